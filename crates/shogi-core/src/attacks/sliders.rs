//! Sliding attacks from the occupied squares, without large tables.
//!
//! A slider's line is cut in two at its square: `below` (lower square numbers) and `above`. The
//! nearest blocker above is the lowest set bit, and `x ^ (x - 1)` marks everything up to it; the
//! nearest below is the highest set bit, found with a leading-zero count. Both halves of a line are
//! a handful of word operations on 48 bytes of masks, which stay in the first-level cache where the
//! 300 KiB of a magic-bitboard table do not. (The idea is known as "obstruction difference" in
//! chess programming and as Qugiy's method in shogi.)

use super::rays::ray;
use super::steps::step_attacks;
use crate::{Bitboard, Color, MoveClass, Square};

/// The two halves of a line through a square.
#[derive(Clone, Copy)]
struct Halves {
    below: Bitboard,
    above: Bitboard,
}

/// Rank, falling diagonal and rising diagonal through each square.
static LINES: [[Halves; 3]; 81] = {
    const EMPTY: Halves = Halves {
        below: Bitboard::EMPTY,
        above: Bitboard::EMPTY,
    };
    let mut table = [[EMPTY; 3]; 81];
    let mut i = 0;
    while i < 81 {
        let square = Square::ALL[i];
        // One more file to the left is +9 in square number, whatever the rank does.
        table[i][0] = Halves {
            below: ray(square, -1, 0),
            above: ray(square, 1, 0),
        };
        table[i][1] = Halves {
            below: ray(square, -1, -1),
            above: ray(square, 1, 1),
        };
        table[i][2] = Halves {
            below: ray(square, -1, 1),
            above: ray(square, 1, -1),
        };
        i += 1;
    }
    table
};

#[inline(always)]
fn line_attacks(halves: &Halves, occupied: Bitboard) -> Bitboard {
    let [occ_low, occ_high] = occupied.words();
    let [below_low, below_high] = halves.below.words();
    let [above_low, above_high] = halves.above.words();

    // Above: subtract one from the 128-bit number of blockers; the borrow runs into the second
    // word only when the first holds none.
    let low = occ_low & above_low;
    let high = occ_high & above_high;
    let (low_minus, borrow) = low.overflowing_sub(1);
    let high_minus = high.wrapping_sub(u64::from(borrow));
    let up_low = (low ^ low_minus) & above_low;
    let up_high = (high ^ high_minus) & above_high;

    // Below: everything from the highest blocker up; with none, everything.
    let low = occ_low & below_low | 1;
    let high = occ_high & below_high;
    let from_low = u64::MAX << low.ilog2();
    let from_high = u64::MAX << (high | 1).ilog2();
    let down_low = (if high == 0 { from_low } else { 0 }) & below_low;
    let down_high = from_high & below_high;

    Bitboard::from_clean_words([up_low | down_low, up_high | down_high])
}

/// Attacks along the rank of `square`, both ways.
#[inline(always)]
pub fn rank_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    line_attacks(&LINES[square as usize][0], occupied)
}

/// What a slider on each of the nine squares of a file attacks, by the seven inner bits of the
/// file's occupation.
static FILE_ATTACKS: [[u16; 128]; 9] = {
    let mut table = [[0; 128]; 9];
    let mut rank = 0;
    while rank < 9 {
        let mut inner = 0;
        while inner < 128 {
            let occupied = (inner as u16) << 1;
            let mut set = 0u16;
            let mut r = rank + 1;
            while r < 9 {
                set |= 1 << r;
                if occupied >> r & 1 != 0 {
                    break;
                }
                r += 1;
            }
            let mut r = rank;
            while r > 0 {
                r -= 1;
                set |= 1 << r;
                if occupied >> r & 1 != 0 {
                    break;
                }
            }
            table[rank][inner] = set;
            inner += 1;
        }
        rank += 1;
    }
    table
};

/// Where the file of a square starts: which word, at which bit; and the square's rank.
#[derive(Clone, Copy)]
struct FilePlace {
    high: bool,
    shift: u8,
    rank: u8,
}

static FILE_PLACES: [FilePlace; 81] = {
    let mut table = [FilePlace {
        high: false,
        shift: 0,
        rank: 0,
    }; 81];
    let mut i = 0;
    while i < 81 {
        let file = i / 9;
        table[i] = FilePlace {
            high: file >= 7,
            shift: (if file >= 7 { file - 7 } else { file } * 9) as u8,
            rank: (i % 9) as u8,
        };
        i += 1;
    }
    table
};

#[inline(always)]
fn file_attacks_masked(square: Square, occupied: Bitboard, mask: impl Fn(u8) -> u64) -> Bitboard {
    let place = FILE_PLACES[square as usize];
    let words = occupied.words();
    let word = if place.high { words[1] } else { words[0] };
    let inner = (word >> (place.shift + 1)) as usize & 0x7f;
    let set =
        (u64::from(FILE_ATTACKS[place.rank as usize][inner]) & mask(place.rank)) << place.shift;
    Bitboard::from_clean_words(if place.high { [0, set] } else { [set, 0] })
}

/// Attacks along the file of `square`, both ways.
#[inline(always)]
pub fn file_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    file_attacks_masked(square, occupied, |_| 0x1ff)
}

/// The lance's attacks: along the file, forward only.
#[inline(always)]
pub fn lance_attacks(color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    file_attacks_masked(square, occupied, |rank| match color {
        Color::Black => (1 << rank) - 1,
        Color::White => 0x1fe << rank,
    })
}

/// The bishop's attacks along both diagonals.
#[inline(always)]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[square as usize];
    line_attacks(&lines[1], occupied) | line_attacks(&lines[2], occupied)
}

/// The rook's attacks along rank and file.
#[inline(always)]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    rank_attacks(square, occupied) | file_attacks(square, occupied)
}

/// The horse's (promoted bishop's) attacks.
#[inline(always)]
pub fn horse_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    bishop_attacks(square, occupied) | step_attacks(Color::Black, MoveClass::Horse, square)
}

/// The dragon's (promoted rook's) attacks.
#[inline(always)]
pub fn dragon_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    rook_attacks(square, occupied) | step_attacks(Color::Black, MoveClass::Dragon, square)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(square: Square, occupied: Bitboard, directions: &[(i8, i8)]) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for &(files, ranks) in directions {
            let mut current = square;
            while let Some(next) = current.offset(files, ranks) {
                set |= next.into();
                if occupied.contains(next) {
                    break;
                }
                current = next;
            }
        }
        set
    }

    #[test]
    fn sliders_agree_with_a_walk() {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            seed ^ seed >> 31
        };
        for round in 0..3000 {
            let dense = Bitboard::from_words([next(), next()]);
            let sparse = Bitboard::from_words([next() & next(), next() & next()]);
            let occupied = if round % 2 == 0 { dense } else { sparse };
            for s in Square::ALL {
                let bishop = walk(s, occupied, &[(1, 1), (1, -1), (-1, 1), (-1, -1)]);
                let rook = walk(s, occupied, &[(1, 0), (-1, 0), (0, 1), (0, -1)]);
                assert_eq!(bishop_attacks(s, occupied), bishop, "{s} {occupied:?}");
                assert_eq!(rook_attacks(s, occupied), rook, "{s} {occupied:?}");
                assert_eq!(
                    lance_attacks(Color::Black, s, occupied),
                    walk(s, occupied, &[(0, -1)])
                );
                assert_eq!(
                    lance_attacks(Color::White, s, occupied),
                    walk(s, occupied, &[(0, 1)])
                );
            }
        }
    }
}
