//! Squares, sets of squares, and the eight symmetries of the board.
//!
//! A square is numbered `rank * 8 + file`: a1 = 0, h1 = 7, a2 = 8, h8 = 63. Edax numbers them so.
//! Egaroucid counts from h8; [`Square::rotated`] goes between the two.

use std::fmt;
use std::str::FromStr;

#[cfg(test)]
use crate::symmetry::Symmetry;

/// A square of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// All squares from a1 to h8.
    pub const ALL: [Self; 64] = {
        let mut all = [Self(0); 64];
        let mut n = 0;
        while n < 64 {
            all[n] = Self(n as u8);
            n += 1;
        }
        all
    };

    /// The square with a number from 0 (a1) to 63 (h8).
    #[inline]
    pub const fn new(number: u8) -> Option<Self> {
        if number < 64 {
            Some(Self(number))
        } else {
            None
        }
    }

    /// The square of the lowest bit.
    #[inline(always)]
    pub(crate) const fn of_lowest_bit(bits: u64) -> Self {
        Self((bits.trailing_zeros() & 63) as u8)
    }

    /// 0 (a1) to 63 (h8).
    #[inline(always)]
    pub const fn number(self) -> u8 {
        self.0 & 63
    }

    /// The number as an index.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.number() as usize
    }

    /// The bitboard of this square, a1 = bit 0.
    #[inline(always)]
    pub const fn bit(self) -> u64 {
        1 << self.number()
    }

    /// 0 (file a) to 7 (file h).
    #[inline]
    pub const fn file(self) -> u8 {
        self.number() & 7
    }

    /// 0 (rank 1) to 7 (rank 8).
    #[inline]
    pub const fn rank(self) -> u8 {
        self.number() >> 3
    }

    /// The square rotated by 180 degrees: a1 becomes h8.
    #[inline]
    pub const fn rotated(self) -> Self {
        Self(63 - self.number())
    }
}

/// Writes the name in lower case, `a1` to `h8`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, rank) = (b'a' + self.file(), b'1' + self.rank());
        write!(f, "{}{}", file as char, rank as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Parses a name in lower or upper case.
impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Self, SquareError> {
        let &[file, rank] = text.as_bytes() else {
            return Err(SquareError(text.to_owned()));
        };
        let file = file.to_ascii_lowercase().wrapping_sub(b'a');
        let rank = rank.wrapping_sub(b'1');
        if file < 8 && rank < 8 {
            Ok(Self(rank * 8 + file))
        } else {
            Err(SquareError(text.to_owned()))
        }
    }
}

/// A set of squares as a bitboard, a1 = bit 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Squares(pub u64);

impl Squares {
    /// No square.
    pub const EMPTY: Self = Self(0);

    /// The squares from a1 to h8.
    #[inline]
    pub fn iter(self) -> SquareIter {
        self.into_iter()
    }

    /// The number of squares.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set has this square.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }
}

/// An iterator over the squares of a set, from a1 to h8.
#[derive(Clone, Debug)]
pub struct SquareIter(Squares);

impl IntoIterator for Squares {
    type Item = Square;
    type IntoIter = SquareIter;

    #[inline]
    fn into_iter(self) -> SquareIter {
        SquareIter(self)
    }
}

impl Iterator for SquareIter {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let bits = self.0.0;
        if bits == 0 {
            return None;
        }
        self.0.0 = bits & (bits - 1);
        Some(Square::of_lowest_bit(bits))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for SquareIter {}

impl FromIterator<Square> for Squares {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        Self(
            squares
                .into_iter()
                .fold(0, |set, square| set | square.bit()),
        )
    }
}

impl fmt::Debug for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

/// A text that is not the name of a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a square: a letter from a to h and a digit from 1 to 8 were expected")]
pub struct SquareError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_go_together() {
        for (n, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(square.index(), n);
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(square.to_string().to_uppercase().parse(), Ok(square));
            assert_eq!(square.rotated().rotated(), square);
        }
        assert_eq!("f5".parse::<Square>().map(Square::number), Ok(37));
        assert_eq!(Square::new(64), None);
        for bad in ["", "a", "a9", "i1", "a0", "11", "a1 ", "é"] {
            assert!(bad.parse::<Square>().is_err(), "{bad}");
        }
    }

    #[test]
    fn symmetries_are_a_group() {
        for a in Symmetry::ALL {
            assert_eq!(a.then(a.inverse()), Symmetry::IDENTITY);
            for b in Symmetry::ALL {
                for square in Square::ALL {
                    assert_eq!(a.then(b).square(square), b.square(a.square(square)));
                }
            }
        }
    }

    #[test]
    fn sets_are_transformed_as_their_squares() {
        for symmetry in Symmetry::ALL {
            for square in Square::ALL {
                let image = symmetry.squares(Squares(square.bit()));
                assert_eq!(image.0, symmetry.square(square).bit());
                assert_eq!(
                    Symmetry::ROTATION.square(square),
                    square.rotated(),
                    "180 degrees"
                );
            }
        }
    }
}
