//! Attack sets: the squares that a piece attacks.
//!
//! Steps come from tables; sliders are computed from the occupied squares with a few
//! word operations each; [`between()`] and [`line()`] relate two squares. All tables are constants.

use crate::{Bitboard, Color, MoveClass, Square};

/// The squares a piece of `color` moving like `class` attacks from `square` when `occupied` are the
/// occupied squares: up to and including the first occupied square of each line.
#[inline]
pub fn attacks(color: Color, class: MoveClass, square: Square, occupied: Bitboard) -> Bitboard {
    // Steps of all classes stand in one table; only sliders branch.
    let steps = step_attacks(color, class, square);
    if matches!(class, MoveClass::Bishop | MoveClass::Horse) {
        steps | bishop_attacks(square, occupied)
    } else if matches!(class, MoveClass::Rook | MoveClass::Dragon) {
        steps | rook_attacks(square, occupied)
    } else if class == MoveClass::Lance {
        lance_attacks(color, square, occupied)
    } else {
        steps
    }
}

// Step attacks from tables.

type StepTable = [[Bitboard; 81]; 2];

/// Steps as (files to the left, ranks up for black).
const PAWN: &[(i8, i8)] = &[(0, 1)];
const KNIGHT: &[(i8, i8)] = &[(1, 2), (-1, 2)];
const SILVER: &[(i8, i8)] = &[(0, 1), (1, 1), (-1, 1), (1, -1), (-1, -1)];
const GOLD: &[(i8, i8)] = &[(0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (0, -1)];
const ORTHOGONAL: &[(i8, i8)] = &[(0, 1), (1, 0), (-1, 0), (0, -1)];
const DIAGONAL: &[(i8, i8)] = &[(1, 1), (-1, 1), (1, -1), (-1, -1)];

const fn step_table(steps: &[(i8, i8)]) -> StepTable {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut square = 0;
    while square < 81 {
        let mut i = 0;
        while i < steps.len() {
            let (left, up) = steps[i];
            if let Some(to) = Square::ALL[square].offset(left, -up) {
                table[0][square] = table[0][square].or(Bitboard::from_square(to));
            }
            if let Some(to) = Square::ALL[square].offset(left, up) {
                table[1][square] = table[1][square].or(Bitboard::from_square(to));
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn union(a: &StepTable, b: &StepTable) -> StepTable {
    let mut table = *a;
    let mut square = 0;
    while square < 81 {
        table[0][square] = table[0][square].or(b[0][square]);
        table[1][square] = table[1][square].or(b[1][square]);
        square += 1;
    }
    table
}

const ORTHOGONALS: StepTable = step_table(ORTHOGONAL);
const DIAGONALS: StepTable = step_table(DIAGONAL);

/// Step part of every class, indexed by class, colour and square. The step part of bishop, rook and
/// lance is empty; the horse's and the dragon's is the king-like part that the slider has not.
static STEPS: [StepTable; MoveClass::COUNT] = {
    let mut table = [[[Bitboard::EMPTY; 81]; 2]; MoveClass::COUNT];
    table[MoveClass::Pawn as usize] = step_table(PAWN);
    table[MoveClass::Knight as usize] = step_table(KNIGHT);
    table[MoveClass::Silver as usize] = step_table(SILVER);
    table[MoveClass::Gold as usize] = step_table(GOLD);
    table[MoveClass::King as usize] = union(&ORTHOGONALS, &DIAGONALS);
    table[MoveClass::Horse as usize] = ORTHOGONALS;
    table[MoveClass::Dragon as usize] = DIAGONALS;
    table
};

/// The squares next to `square` or a knight's jump away that a piece moving like `class` attacks
/// whatever stands between. Empty for bishop, rook and lance; for horse and dragon only the steps
/// that bishop and rook lack.
#[inline(always)]
pub(crate) const fn step_attacks(color: Color, class: MoveClass, square: Square) -> Bitboard {
    STEPS[class as usize][color as usize][square as usize]
}

/// The square in front of a pawn, if there is one.
#[inline(always)]
pub(crate) fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    step_attacks(color, MoveClass::Pawn, square)
}

/// The knight's two jumps.
#[inline(always)]
pub(crate) fn knight_attacks(color: Color, square: Square) -> Bitboard {
    step_attacks(color, MoveClass::Knight, square)
}

/// The silver's five steps.
#[inline(always)]
pub(crate) fn silver_attacks(color: Color, square: Square) -> Bitboard {
    step_attacks(color, MoveClass::Silver, square)
}

/// The six steps of gold, promoted pawn, lance, knight and silver.
#[inline(always)]
pub(crate) fn gold_attacks(color: Color, square: Square) -> Bitboard {
    step_attacks(color, MoveClass::Gold, square)
}

/// The king's eight steps.
#[inline(always)]
pub fn king_attacks(square: Square) -> Bitboard {
    step_attacks(Color::Black, MoveClass::King, square)
}

// Lines on an empty board.

const DIRECTIONS: [(i8, i8); 8] = [
    (0, -1),
    (0, 1),
    (1, 0),
    (-1, 0),
    (1, -1),
    (-1, 1),
    (1, 1),
    (-1, -1),
];

/// The squares from `square` (exclusive) in direction `(files, ranks)` to the edge.
const fn ray(square: Square, files: i8, ranks: i8) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut current = square;
    while let Some(next) = current.offset(files, ranks) {
        set = set.or(Bitboard::from_square(next));
        current = next;
    }
    set
}

static FORWARD: [[Bitboard; 81]; 2] = {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut i = 0;
    while i < 81 {
        table[0][i] = ray(Square::ALL[i], 0, -1);
        table[1][i] = ray(Square::ALL[i], 0, 1);
        i += 1;
    }
    table
};

/// Orthogonal lines, then diagonal lines through a square, without the square.
static CROSSES: [[Bitboard; 2]; 81] = {
    let mut table = [[Bitboard::EMPTY; 2]; 81];
    let mut i = 0;
    while i < 81 {
        let mut d = 0;
        while d < 8 {
            let set = ray(Square::ALL[i], DIRECTIONS[d].0, DIRECTIONS[d].1);
            table[i][d / 4] = table[i][d / 4].or(set);
            d += 1;
        }
        i += 1;
    }
    table
};

#[allow(long_running_const_eval)]
static BETWEEN: [[Bitboard; 81]; 81] = {
    let mut table = [[Bitboard::EMPTY; 81]; 81];
    let mut i = 0;
    while i < 81 {
        let mut d = 0;
        while d < 8 {
            let mut passed = Bitboard::EMPTY;
            let mut current = Square::ALL[i];
            while let Some(next) = current.offset(DIRECTIONS[d].0, DIRECTIONS[d].1) {
                table[i][next as usize] = passed;
                passed = passed.or(Bitboard::from_square(next));
                current = next;
            }
            d += 1;
        }
        i += 1;
    }
    table
};

#[allow(long_running_const_eval)]
static LINE: [[Bitboard; 81]; 81] = {
    let mut table = [[Bitboard::EMPTY; 81]; 81];
    let mut i = 0;
    while i < 81 {
        let mut d = 0;
        while d < 8 {
            let (files, ranks) = DIRECTIONS[d];
            let full = ray(Square::ALL[i], files, ranks)
                .or(ray(Square::ALL[i], -files, -ranks))
                .or(Bitboard::from_square(Square::ALL[i]));
            let mut current = Square::ALL[i];
            while let Some(next) = current.offset(files, ranks) {
                table[i][next as usize] = full;
                current = next;
            }
            d += 1;
        }
        i += 1;
    }
    table
};

/// The squares strictly between two squares of one rank, file or diagonal; empty when they are
/// neighbours or not on a line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a as usize][b as usize]
}

/// All squares of the rank, file or diagonal through two different squares, from edge to edge;
/// empty when they are not on a line.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a as usize][b as usize]
}

/// The squares in front of `square` as `color` sees them, to the edge.
#[inline(always)]
pub(crate) fn forward_ray(color: Color, square: Square) -> Bitboard {
    FORWARD[color as usize][square as usize]
}

/// Rank and file through `square`, without it.
#[inline(always)]
pub(crate) fn orthogonals(square: Square) -> Bitboard {
    CROSSES[square as usize][0]
}

/// Both diagonals through `square`, without it.
#[inline(always)]
pub(crate) fn diagonals(square: Square) -> Bitboard {
    CROSSES[square as usize][1]
}

// Sliding attacks from the occupied squares, without large tables.
//
// A slider's line is cut in two at its square: `below` (lower square numbers) and `above`. The
// nearest blocker above is the lowest set bit, and `x ^ (x - 1)` marks everything up to it; the
// nearest below is the highest set bit, found with a leading-zero count. Both halves of a line are
// a handful of word operations on 48 bytes of masks, which stay in the first-level cache where the
// 300 KiB of a magic-bitboard table do not. (The idea is known as "obstruction difference" in
// chess programming and as Qugiy's method in shogi.)

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
pub(crate) fn rank_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    line_attacks(&LINES[square as usize][0], occupied)
}

/// The attacks of a slider on each of the nine squares of a file, by the seven inner bits of the
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

/// The place where the file of a square starts: which word, at which bit; and the square's rank.
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
pub(crate) fn file_attacks(square: Square, occupied: Bitboard) -> Bitboard {
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

#[cfg(test)]
mod tests {
    use test_support::SplitMix64;

    use super::*;

    #[test]
    fn between_and_line_agree_with_rays() {
        for a in Square::ALL {
            for b in Square::ALL {
                let on_line = (orthogonals(a) | diagonals(a)).contains(b);
                assert_eq!(line(a, b).any(), on_line);
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(line(a, b), line(b, a));
                if on_line {
                    assert!(line(a, b).contains(a) && line(a, b).contains(b));
                    let inner = between(a, b);
                    assert_eq!(inner & line(a, b), inner);
                    assert!(!inner.contains(a) && !inner.contains(b));
                }
            }
        }
        assert_eq!(between(Square::S5A, Square::S5E).len(), 3);
        assert_eq!(line(Square::S1A, Square::S2B).len(), 9);
    }

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
        let mut random = SplitMix64::new(7);
        let mut next = || random.next_u64();
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
