//! The neighbours of a king that a piece next to it covers, as tables of 9-bit codes.
//!
//! The 3 by 3 block around a king is numbered `3 * (files to the left + 1) + (ranks down + 1)`; the
//! king itself is number 4. A [`Block`] is a set of its squares.

use crate::{Bitboard, Color, MoveClass, Square};

/// A set of squares of the block around a king, one bit for each number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Block(u16);

const CENTRE: usize = 4;
const SETS: usize = 1 << 9;

impl Block {
    /// The part of `set`, which holds only neighbours of `king`.
    #[inline(always)]
    pub(super) const fn from_neighbours(set: Bitboard, king: Square) -> Self {
        let [low, high] = set.words();
        // The block begins one file and one rank before the king: ten squares, and the second word
        // begins with square 63. Its 21 bits are all there is, so rotating brings no others in.
        let king = king as u32;
        let bits =
            low.rotate_right(king.wrapping_sub(10)) | high.rotate_right(king.wrapping_sub(9));
        Self((bits & 7 | bits >> 6 & 0o70 | bits >> 12 & 0o700) as u16)
    }

    /// The squares of the block around `king`, of which `around` are the neighbours.
    #[inline(always)]
    pub(super) const fn to_squares(self, king: Square, around: Bitboard) -> Bitboard {
        let bits = self.0 as u64;
        let spread = bits & 7 | (bits & 0o70) << 6 | (bits & 0o700) << 12;
        // Numbers that are off the board or in the other word land outside `around`.
        let king = king as u32;
        let low = spread.rotate_left(king.wrapping_sub(10));
        let high = spread.rotate_left(king.wrapping_sub(9));
        Bitboard::from_words([low, high]).and(around)
    }

    /// The squares of either.
    #[inline(always)]
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The squares of both.
    #[inline(always)]
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline(always)]
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The neighbours from which a piece of `color` moving like `class` gives check and covers (or
    /// occupies) all of these squares, if nothing but the king stood around: a necessary condition
    /// for mate.
    #[inline(always)]
    pub(super) const fn covered_from(self, color: Color, class: MoveClass) -> Self {
        Self(COVERING[class as usize][color as usize][self.0 as usize])
    }

    /// Returns the neighbours from which a piece of `color` of any class does so.
    #[inline(always)]
    pub(super) const fn covered_by_any(self, color: Color) -> Self {
        Self(COVERING_BY_ANY[color as usize][self.0 as usize])
    }

    /// Returns whether one distant slider can cover all of these squares, by kind of slider.
    #[inline(always)]
    pub(super) const fn lines(self) -> Lines {
        Lines(LINES[self.0 as usize])
    }
}

/// The distant sliders that can cover a set of squares.
#[derive(Clone, Copy)]
pub(super) struct Lines(u8);

const STRAIGHT: u8 = 1;
const DIAGONAL: u8 = 2;
const DRAGON: u8 = 4;

impl Lines {
    /// A rook or lance, or a dragon further than two squares away.
    #[inline(always)]
    pub(super) const fn straight(self) -> bool {
        self.0 & STRAIGHT != 0
    }

    /// A bishop or horse.
    #[inline(always)]
    pub(super) const fn diagonal(self) -> bool {
        self.0 & DIAGONAL != 0
    }

    /// A dragon, which from two squares away also covers the two corners towards it.
    #[inline(always)]
    pub(super) const fn dragon(self) -> bool {
        self.0 & DRAGON != 0
    }
}

/// By class, colour and set of squares to cover: from which neighbours.
static COVERING: [[[u16; SETS]; 2]; MoveClass::COUNT] = {
    let mut table = [[[0; SETS]; 2]; MoveClass::COUNT];
    let mut class = 0;
    while class < MoveClass::COUNT {
        let mut color = 0;
        while color < 2 {
            table[class][color] = covering(MoveClass::ALL[class], Color::ALL[color]);
            color += 1;
        }
        class += 1;
    }
    table
};

/// Table of [`COVERING`] for all classes together.
static COVERING_BY_ANY: [[u16; SETS]; 2] = {
    let mut table = [[0; SETS]; 2];
    let mut class = 0;
    while class < MoveClass::COUNT {
        let mut set = 0;
        while set < SETS {
            table[0][set] |= COVERING[class][0][set];
            table[1][set] |= COVERING[class][1][set];
            set += 1;
        }
        class += 1;
    }
    table
};

const fn covering(class: MoveClass, color: Color) -> [u16; SETS] {
    let mut table = [0; SETS];
    let mut from = 0;
    while from < 9 {
        let attacked = block_attacks(class, color, from);
        if attacked & 1 << CENTRE != 0 {
            let covered = attacked | 1 << from;
            let mut set = 0;
            while set < SETS {
                if set as u16 & !covered == 0 {
                    table[set] |= 1 << from;
                }
                set += 1;
            }
        }
        from += 1;
    }
    table
}

/// The squares of the block that a piece on its square `from` attacks when the block is empty.
const fn block_attacks(class: MoveClass, color: Color, from: usize) -> u16 {
    let mut set = 0;
    let mut to = 0;
    while to < 9 {
        let files = (to / 3) as i32 - (from / 3) as i32;
        let down = (to % 3) as i32 - (from % 3) as i32;
        let ahead = match color {
            Color::Black => -down,
            Color::White => down,
        };
        if to != from && reaches(class, files.abs(), ahead) {
            set |= 1 << to;
        }
        to += 1;
    }
    set
}

/// Returns whether a piece reaches a square `files` files aside and `ahead` ranks ahead on an empty board.
const fn reaches(class: MoveClass, files: i32, ahead: i32) -> bool {
    let step = files <= 1 && ahead.abs() <= 1;
    let straight = files == 0 || ahead == 0;
    let diagonal = files == ahead.abs();
    match class {
        MoveClass::Pawn => files == 0 && ahead == 1,
        MoveClass::Lance => files == 0 && ahead > 0,
        MoveClass::Knight => files == 1 && ahead == 2,
        MoveClass::Silver => step && (ahead == 1 || diagonal),
        MoveClass::Gold => step && (ahead == 1 || straight),
        MoveClass::King => step,
        MoveClass::Bishop => diagonal,
        MoveClass::Rook => straight,
        MoveClass::Horse => diagonal || step,
        MoveClass::Dragon => straight || step,
    }
}

static LINES: [u8; SETS] = {
    // File, rank, and the diagonals, each without the king.
    const FILE: u16 = 1 << 3 | 1 << 5;
    const RANK: u16 = 1 << 1 | 1 << 7;
    const CORNERS: [u16; 4] = [
        1 << 0 | 1 << 6,
        1 << 2 | 1 << 8,
        1 << 0 | 1 << 2,
        1 << 6 | 1 << 8,
    ];
    let mut table = [0; SETS];
    let mut set = 0;
    while set < SETS {
        let bits = set as u16;
        if bits & !FILE == 0 || bits & !RANK == 0 {
            table[set] |= STRAIGHT;
        }
        if bits & !(1 << 0 | 1 << 8) == 0 || bits & !(1 << 2 | 1 << 6) == 0 {
            table[set] |= DIAGONAL;
        }
        let above_or_below = bits & !(FILE | CORNERS[0]) == 0 || bits & !(FILE | CORNERS[1]) == 0;
        let beside = bits & !(RANK | CORNERS[2]) == 0 || bits & !(RANK | CORNERS[3]) == 0;
        if above_or_below || beside {
            table[set] |= DRAGON;
        }
        set += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::{attacks, king_attacks};

    #[test]
    fn blocks_and_squares_are_the_same() {
        for king in Square::ALL {
            let around = king_attacks(king);
            for square in around {
                let block = Block::from_neighbours(square.into(), king);
                assert_eq!(block.0.count_ones(), 1);
                assert_eq!(block.to_squares(king, around), square.into());
            }
            assert_eq!(
                Block::from_neighbours(around, king).0.count_ones(),
                around.len()
            );
        }
    }

    #[test]
    fn covering_agrees_with_attacks() {
        for king in Square::ALL {
            let around = king_attacks(king);
            for color in Color::ALL {
                for class in MoveClass::ALL {
                    for from in around {
                        let attacked = attacks(color, class, from, from.into());
                        if !attacked.contains(king) {
                            continue;
                        }
                        let all = Block::from_neighbours((attacked & around) | from.into(), king);
                        let found = all.covered_from(color, class).to_squares(king, around);
                        assert!(found.contains(from), "{color:?} {class:?} {from} {king}");
                    }
                }
            }
        }
    }
}
