//! Squares, files and ranks.
//!
//! A square is numbered `file * 9 + rank` with file 0 = 1筋 and rank 0 = 一段, so 1a = 0, 1i = 8,
//! 2a = 9 and 9i = 80. Packed positions, 16-bit moves and evaluation files of the field use the
//! same numbers.

use std::fmt;

use crate::Color;

/// A file (筋), counted from black's right: `F1` to `F9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum File {
    F1,
    F2,
    F3,
    F4,
    F5,
    F6,
    F7,
    F8,
    F9,
}

impl File {
    /// All files from 1 to 9.
    pub const ALL: [Self; 9] = [
        Self::F1,
        Self::F2,
        Self::F3,
        Self::F4,
        Self::F5,
        Self::F6,
        Self::F7,
        Self::F8,
        Self::F9,
    ];

    /// The file with index 0 (1筋) to 8 (9筋).
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < 9 {
            Some(Self::ALL[index])
        } else {
            None
        }
    }

    /// The file of a USI digit, `'1'` to `'9'`.
    pub fn from_usi(digit: char) -> Option<Self> {
        digit
            .to_digit(10)
            .and_then(|d| Self::from_index((d as usize).wrapping_sub(1)))
    }

    /// 0 (1筋) to 8 (9筋).
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The USI digit.
    pub const fn to_usi(self) -> char {
        (b'1' + self as u8) as char
    }
}

/// A rank (段), counted from white's side: `A` (一段) to `I` (九段).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Rank {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
    I,
}

impl Rank {
    /// All ranks from a to i.
    pub const ALL: [Self; 9] = [
        Self::A,
        Self::B,
        Self::C,
        Self::D,
        Self::E,
        Self::F,
        Self::G,
        Self::H,
        Self::I,
    ];

    /// The rank with index 0 (一段, a) to 8 (九段, i).
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < 9 {
            Some(Self::ALL[index])
        } else {
            None
        }
    }

    /// The rank of a USI letter, `'a'` to `'i'`.
    pub fn from_usi(letter: char) -> Option<Self> {
        Self::from_index((letter as usize).wrapping_sub('a' as usize))
    }

    /// 0 (a) to 8 (i).
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The USI letter.
    pub const fn to_usi(self) -> char {
        (b'a' + self as u8) as char
    }

    /// The distance of the rank from `color`'s far edge: 0 is the last rank a piece of that colour can
    /// reach, 0 to 2 are its promotion zone.
    #[inline(always)]
    pub const fn distance_to_edge(self, color: Color) -> usize {
        match color {
            Color::Black => self as usize,
            Color::White => 8 - self as usize,
        }
    }

    /// Returns whether a piece of `color` may promote when it moves to or from this rank.
    #[inline(always)]
    pub const fn is_promotion_zone(self, color: Color) -> bool {
        self.distance_to_edge(color) < 3
    }
}

/// One of the 81 squares, named by file digit and rank letter as in USI: `S7G` is 7g (７七).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
#[rustfmt::skip]
pub enum Square {
    S1A, S1B, S1C, S1D, S1E, S1F, S1G, S1H, S1I,
    S2A, S2B, S2C, S2D, S2E, S2F, S2G, S2H, S2I,
    S3A, S3B, S3C, S3D, S3E, S3F, S3G, S3H, S3I,
    S4A, S4B, S4C, S4D, S4E, S4F, S4G, S4H, S4I,
    S5A, S5B, S5C, S5D, S5E, S5F, S5G, S5H, S5I,
    S6A, S6B, S6C, S6D, S6E, S6F, S6G, S6H, S6I,
    S7A, S7B, S7C, S7D, S7E, S7F, S7G, S7H, S7I,
    S8A, S8B, S8C, S8D, S8E, S8F, S8G, S8H, S8I,
    S9A, S9B, S9C, S9D, S9E, S9F, S9G, S9H, S9I,
}

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 81;

    /// All squares in order of their index.
    #[rustfmt::skip]
    pub const ALL: [Self; 81] = [
        Self::S1A, Self::S1B, Self::S1C, Self::S1D, Self::S1E, Self::S1F, Self::S1G, Self::S1H, Self::S1I,
        Self::S2A, Self::S2B, Self::S2C, Self::S2D, Self::S2E, Self::S2F, Self::S2G, Self::S2H, Self::S2I,
        Self::S3A, Self::S3B, Self::S3C, Self::S3D, Self::S3E, Self::S3F, Self::S3G, Self::S3H, Self::S3I,
        Self::S4A, Self::S4B, Self::S4C, Self::S4D, Self::S4E, Self::S4F, Self::S4G, Self::S4H, Self::S4I,
        Self::S5A, Self::S5B, Self::S5C, Self::S5D, Self::S5E, Self::S5F, Self::S5G, Self::S5H, Self::S5I,
        Self::S6A, Self::S6B, Self::S6C, Self::S6D, Self::S6E, Self::S6F, Self::S6G, Self::S6H, Self::S6I,
        Self::S7A, Self::S7B, Self::S7C, Self::S7D, Self::S7E, Self::S7F, Self::S7G, Self::S7H, Self::S7I,
        Self::S8A, Self::S8B, Self::S8C, Self::S8D, Self::S8E, Self::S8F, Self::S8G, Self::S8H, Self::S8I,
        Self::S9A, Self::S9B, Self::S9C, Self::S9D, Self::S9E, Self::S9F, Self::S9G, Self::S9H, Self::S9I,
    ];

    /// The square where `file` and `rank` cross.
    #[inline(always)]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self::ALL[file as usize * 9 + rank as usize]
    }

    /// The square with this index, 0 (1a) to 80 (9i).
    #[inline(always)]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT {
            Some(Self::ALL[index])
        } else {
            None
        }
    }

    /// The square with this index, without a check.
    ///
    /// # Safety
    /// `index` is below 81.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) const unsafe fn from_index_unchecked(index: u8) -> Self {
        debug_assert!(index < 81);
        // SAFETY: the enum is `repr(u8)` with the 81 discriminants 0..=80, and the caller
        // guarantees the range.
        unsafe { std::mem::transmute::<u8, Self>(index) }
    }

    /// 0 (1a) to 80 (9i).
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The file it is on.
    #[inline(always)]
    pub const fn file(self) -> File {
        File::ALL[self as usize / 9]
    }

    /// The rank it is on.
    #[inline(always)]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self as usize % 9]
    }

    /// The square after turning the board by 180 degrees: 1a becomes 9i.
    #[inline(always)]
    pub const fn rotate(self) -> Self {
        Self::ALL[80 - self as usize]
    }

    /// The square mirrored left to right: 1a becomes 9a.
    #[inline(always)]
    pub const fn mirror(self) -> Self {
        Self::ALL[(8 - self as usize / 9) * 9 + self as usize % 9]
    }

    /// The square `files` to the left (towards 9筋) and `ranks` down (towards 九段), if on the board.
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        let file = (self as u8 / 9) as i8 + files;
        let rank = (self as u8 % 9) as i8 + ranks;
        if file < 0 || file > 8 || rank < 0 || rank > 8 {
            return None;
        }
        Some(Self::ALL[(file * 9 + rank) as usize])
    }

    /// Returns whether `color` may promote a piece that moves to or from here.
    #[inline(always)]
    pub const fn is_promotion_zone(self, color: Color) -> bool {
        self.rank().is_promotion_zone(color)
    }

    /// The square named by two USI characters such as `7g`.
    pub fn from_usi(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        let file = File::from_usi(chars.next()?)?;
        let rank = Rank::from_usi(chars.next()?)?;
        if chars.next().is_some() {
            return None;
        }
        Some(Self::new(file, rank))
    }
}

impl fmt::Display for Square {
    /// USI notation, for example `7g`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().to_usi(), self.rank().to_usi())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const _: () = assert!(size_of::<Option<Square>>() == 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!(Square::S1A.index(), 0);
        assert_eq!(Square::S1I.index(), 8);
        assert_eq!(Square::S9I.index(), 80);
        for (index, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(square.index(), index);
            assert_eq!(Square::from_usi(&square.to_string()), Some(square));
            assert_eq!(Square::new(square.file(), square.rank()), square);
            assert_eq!(square.rotate().rotate(), square);
            assert_eq!(square.mirror().mirror(), square);
        }
    }

    #[test]
    fn names_off_the_board_are_refused() {
        for text in ["", "7", "0a", "7j", "7gg", "a7", "77", "７g"] {
            assert_eq!(Square::from_usi(text), None, "{text}");
        }
        assert_eq!(Square::S1A.offset(-1, 0), None);
        assert_eq!(Square::S9I.offset(0, 1), None);
        assert_eq!(Square::S5E.offset(1, -1), Some(Square::S6D));
    }
}
