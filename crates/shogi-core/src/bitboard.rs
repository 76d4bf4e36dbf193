//! Sets of squares.
//!
//! Two 64-bit words: files 1 to 7 in the low 63 bits of the first, files 8 and 9 in the low 18 bits
//! of the second. No file is split between the words, so a step along a file is one shift of both.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

use crate::{Color, File, Rank, Square};

/// A set of squares.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(C, align(16))]
pub struct Bitboard([u64; 2]);

const LOW: u64 = (1 << 63) - 1;
const HIGH: u64 = (1 << 18) - 1;
/// Lowest bit of each 9-bit file.
const LOW_RANK_A: u64 = 0x0040_2010_0804_0201;
const HIGH_RANK_A: u64 = 0x201;

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self([0, 0]);
    /// All 81 squares.
    pub const ALL: Self = Self([LOW, HIGH]);

    /// The set with just `square`.
    #[inline(always)]
    pub const fn from_square(square: Square) -> Self {
        const TABLE: [Bitboard; 81] = {
            let mut table = [Bitboard::EMPTY; 81];
            let mut i = 0;
            while i < 81 {
                table[i] = if i < 63 {
                    Bitboard([1 << i, 0])
                } else {
                    Bitboard([0, 1 << (i - 63)])
                };
                i += 1;
            }
            table
        };
        static SQUARES: [Bitboard; 81] = TABLE;
        SQUARES[square as usize]
    }

    /// The set of these two words: bit `i` of the first is square `i`, bit `i` of the second is
    /// square `63 + i`. Bits beyond the board are dropped.
    #[inline(always)]
    pub const fn from_words(words: [u64; 2]) -> Self {
        Self([words[0] & LOW, words[1] & HIGH])
    }

    /// As [`Self::from_words`], for words that are known to hold no bits beyond the board.
    #[inline(always)]
    pub(crate) const fn from_clean_words(words: [u64; 2]) -> Self {
        debug_assert!(words[0] & !LOW == 0 && words[1] & !HIGH == 0);
        Self(words)
    }

    /// The two words, as in [`Self::from_words`].
    #[inline(always)]
    pub const fn words(self) -> [u64; 2] {
        self.0
    }

    /// All squares of a file.
    #[inline(always)]
    pub const fn file(file: File) -> Self {
        let index = file as u32;
        if index < 7 {
            Self([0x1ff << (9 * index), 0])
        } else {
            Self([0, 0x1ff << (9 * (index - 7))])
        }
    }

    /// All squares of a rank.
    #[inline(always)]
    pub const fn rank(rank: Rank) -> Self {
        Self([LOW_RANK_A << rank as u32, HIGH_RANK_A << rank as u32])
    }

    /// The first `count` ranks as `color` sees them from the far edge: 3 is its promotion zone.
    pub(crate) const fn far_ranks(color: Color, count: u32) -> Self {
        let mask = (1u64 << count) - 1;
        let mask = match color {
            Color::Black => mask,
            Color::White => mask << (9 - count),
        };
        Self([LOW_RANK_A * mask, HIGH_RANK_A * mask])
    }

    /// Returns whether there is no square in it.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// Returns whether there is any square in it.
    #[inline(always)]
    pub const fn any(self) -> bool {
        !self.is_empty()
    }

    /// Returns whether `square` is in it.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        let bit = Self::from_square(square);
        (self.0[0] & bit.0[0]) | (self.0[1] & bit.0[1]) != 0
    }

    /// Number of squares.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// Returns whether there are at least two squares in it.
    #[inline(always)]
    pub const fn has_several(self) -> bool {
        let rest = self.0[0] & self.0[0].wrapping_sub(1);
        let rest_high = self.0[1] & self.0[1].wrapping_sub(1);
        rest | rest_high != 0 || (self.0[0] != 0 && self.0[1] != 0)
    }

    /// The union, in const context.
    #[inline(always)]
    pub const fn or(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// The squares of both, in const context.
    #[inline(always)]
    pub const fn and(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }

    /// The square with the lowest index.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn first(self) -> Option<Square> {
        let index = if self.0[0] != 0 {
            self.0[0].trailing_zeros()
        } else if self.0[1] != 0 {
            63 + self.0[1].trailing_zeros()
        } else {
            return None;
        };
        // SAFETY: a bitboard never has bits beyond the board (all constructors and operators keep
        // to that), so the index is below 81.
        Some(unsafe { Square::from_index_unchecked(index as u8) })
    }

    /// Removes and returns the square with the lowest index.
    #[inline(always)]
    pub const fn pop(&mut self) -> Option<Square> {
        let first = self.first();
        if self.0[0] != 0 {
            self.0[0] &= self.0[0] - 1;
        } else {
            self.0[1] &= self.0[1].wrapping_sub(1);
        }
        first
    }

    /// Calls `f` for every square from the lowest index up. Cheaper than the iterator in hot loops:
    /// each word has a loop of its own.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn for_each(self, mut f: impl FnMut(Square)) {
        let [mut low, mut high] = self.0;
        while low != 0 {
            // SAFETY: a word's bits are squares of the board, see `first`.
            f(unsafe { Square::from_index_unchecked(low.trailing_zeros() as u8) });
            low &= low - 1;
        }
        while high != 0 {
            // SAFETY: as above; the second word starts at square 63.
            f(unsafe { Square::from_index_unchecked(63 + high.trailing_zeros() as u8) });
            high &= high - 1;
        }
    }

    /// All squares one rank towards `color`'s far edge; squares on the last rank fall off.
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::Black => self.up(),
            Color::White => self.down(),
        }
    }

    /// All squares one rank up (towards rank a).
    #[inline(always)]
    pub const fn up(self) -> Self {
        Self([
            (self.0[0] & !LOW_RANK_A) >> 1,
            (self.0[1] & !HIGH_RANK_A) >> 1,
        ])
    }

    /// All squares one rank down (towards rank i).
    #[inline(always)]
    pub const fn down(self) -> Self {
        Self([
            (self.0[0] & !(LOW_RANK_A << 8)) << 1,
            (self.0[1] & !(HIGH_RANK_A << 8)) << 1,
        ])
    }

    /// All squares one file to the left as black sees it (towards 9筋).
    #[inline(always)]
    pub const fn left(self) -> Self {
        Self([
            (self.0[0] << 9) & LOW,
            (self.0[1] << 9 | self.0[0] >> 54) & HIGH,
        ])
    }

    /// All squares one file to the right as black sees it (towards 1筋).
    #[inline(always)]
    pub const fn right(self) -> Self {
        Self([self.0[0] >> 9 | (self.0[1] & 0x1ff) << 54, self.0[1] >> 9])
    }

    /// All squares of every file that has a square in the set.
    #[inline(always)]
    pub const fn fill_files(self) -> Self {
        // In each 9-bit lane: bit 8 becomes "lane is not zero", then is spread over the lane.
        const fn fill(word: u64, rank_a: u64) -> u64 {
            let low_bits = rank_a * 0xff;
            let any = (((word & low_bits) + low_bits) | word) & (rank_a << 8);
            (any << 1).wrapping_sub(any >> 8)
        }
        Self([fill(self.0[0], LOW_RANK_A), fill(self.0[1], HIGH_RANK_A)])
    }

    /// The set after turning the board by 180 degrees.
    pub fn rotate(self) -> Self {
        self.into_iter().map(Square::rotate).collect()
    }
}

macro_rules! bit_operator {
    ($trait:ident $method:ident $assign_trait:ident $assign:ident $op:tt) => {
        impl $trait for Bitboard {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self([self.0[0] $op other.0[0], self.0[1] $op other.0[1]])
            }
        }

        impl $assign_trait for Bitboard {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
}

bit_operator!(BitAnd bitand BitAndAssign bitand_assign &);
bit_operator!(BitOr bitor BitOrAssign bitor_assign |);
bit_operator!(BitXor bitxor BitXorAssign bitxor_assign ^);

/// Set difference: the squares of the first that are not in the second.
impl Sub for Bitboard {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }
}

impl Not for Bitboard {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self::ALL - self
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares
            .into_iter()
            .fold(Self::EMPTY, |set, square| set | Self::from_square(square))
    }
}

impl From<Square> for Bitboard {
    #[inline(always)]
    fn from(square: Square) -> Self {
        Self::from_square(square)
    }
}

/// The squares of a [`Bitboard`] from the lowest index up.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        self.0.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

impl fmt::Debug for Bitboard {
    /// Nine rows as black sees the board, `*` for the squares of the set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for rank in Rank::ALL {
            for file in File::ALL.into_iter().rev() {
                let mark = if self.contains(Square::new(file, rank)) {
                    '*'
                } else {
                    '.'
                };
                write!(f, "{mark}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use test_support::SplitMix64;

    use super::*;

    fn shifted(set: Bitboard, files: i8, ranks: i8) -> Bitboard {
        set.into_iter()
            .filter_map(|square| square.offset(files, ranks))
            .collect()
    }

    #[test]
    fn shifts_agree_with_coordinates() {
        let mut random = SplitMix64::new(1);
        for _ in 0..1000 {
            let mut next = || random.next_u64();
            let set = Bitboard::from_words([next() & next(), next() & next()]);
            assert_eq!(set.up(), shifted(set, 0, -1));
            assert_eq!(set.down(), shifted(set, 0, 1));
            assert_eq!(set.left(), shifted(set, 1, 0));
            assert_eq!(set.right(), shifted(set, -1, 0));
            let files = Square::ALL
                .into_iter()
                .filter(|&s| (set & Bitboard::file(s.file())).any())
                .collect::<Bitboard>();
            assert_eq!(set.fill_files(), files);
            assert_eq!(set.len() as usize, set.into_iter().count());
            assert_eq!(set.has_several(), set.len() > 1);
            assert_eq!(!!set, set);
            assert_eq!(set.rotate().rotate(), set);
            let mut seen = Vec::new();
            set.for_each(|square| seen.push(square));
            assert!(seen.iter().copied().eq(set));
        }
    }

    #[test]
    fn files_and_ranks_cover_the_board() {
        let files = File::ALL
            .into_iter()
            .map(Bitboard::file)
            .fold(Bitboard::EMPTY, |a, b| a | b);
        let ranks = Rank::ALL
            .into_iter()
            .map(Bitboard::rank)
            .fold(Bitboard::EMPTY, |a, b| a | b);
        assert_eq!((files, ranks), (Bitboard::ALL, Bitboard::ALL));
        assert_eq!(
            Bitboard::far_ranks(Color::Black, 1),
            Bitboard::rank(Rank::A)
        );
        assert_eq!(
            Bitboard::far_ranks(Color::White, 1),
            Bitboard::rank(Rank::I)
        );
        assert_eq!(Bitboard::far_ranks(Color::White, 3).len(), 27);
    }
}
