//! Flips, legal moves and replies with the instructions that every processor has.
//!
//! [`replies`] is written without branches and tables, so that the compiler vectorises its loop: with AVX-512 or AVX2
//! where it is inlined into functions that may use them, else with the base set (SSE2, NEON).

use crate::{Board, Square};

/// The shifts of the four directions towards higher bits: right, down left, down, down right.
pub(super) const STEPS: [u32; 4] = [1, 7, 8, 9];

/// Returns whether a step in the direction (`up`), or against it, stays on the board.
const fn can_go(square: u32, step: u32, up: bool) -> bool {
    let (file, rank) = (square & 7, square >> 3);
    // File change of a step towards higher bits: +1, -1, 0, +1.
    let right = match (step, up) {
        (1 | 9, true) | (7, false) => file < 7,
        (7, true) | (1 | 9, false) => file > 0,
        _ => true,
    };
    let down = step == 1 || (if up { rank < 7 } else { rank > 0 });
    right && down
}

const fn ray(mut square: u32, step: u32, up: bool) -> u64 {
    let mut squares = 0;
    while can_go(square, step, up) {
        square = if up { square + step } else { square - step };
        squares |= 1 << square;
    }
    squares
}

/// All rays from a square: towards higher bits, then towards lower ones, each in the order of [`STEPS`].
#[repr(align(64))]
pub(super) struct Rays {
    pub(super) up: [u64; 4],
    pub(super) down: [u64; 4],
}

/// The rays from each square.
pub(super) static RAYS: [Rays; 64] = {
    let mut all = [const {
        Rays {
            up: [0; 4],
            down: [0; 4],
        }
    }; 64];
    let mut square = 0;
    while square < 64 {
        let mut n = 0;
        while n < 4 {
            all[square].up[n] = ray(square as u32, STEPS[n], true);
            all[square].down[n] = ray(square as u32, STEPS[n], false);
            n += 1;
        }
        square += 1;
    }
    all
};

/// The flips of a disc on an empty `square`.
#[inline]
pub(super) fn flips(mover: u64, opponent: u64, square: Square) -> u64 {
    let rays = &RAYS[square.index()];
    let mut flips = 0;
    for n in 0..4 {
        // Towards higher bits: with ones everywhere but on the ray's squares that are not the opponent's, adding
        // one carries to the first of those.
        let ray = rays.up[n];
        let end = (opponent | !ray).wrapping_add(1) & mover & ray;
        flips |= end.wrapping_sub(u64::from(end != 0)) & ray;
        // Towards lower bits: the first of those is the highest.
        let ray = rays.down[n];
        let stops = ray & !opponent;
        let end = (1 << 63 >> (stops | 1).leading_zeros()) & stops & mover;
        flips |= end.wrapping_neg() << 1 & ray;
    }
    flips
}

/// The other squares of each square's two diagonals: in steps of 7, and of 9.
static DIAGONALS: [[u64; 2]; 64] = {
    let mut all = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        all[square] = [
            RAYS[square].up[1] | RAYS[square].down[1],
            RAYS[square].up[3] | RAYS[square].down[3],
        ];
        square += 1;
    }
    all
};

/// By place on a line and the mover's discs on it, where all other squares are the opponent's: the number of flips of a
/// disc at the place.
pub(super) static LAST_FLIPS: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut line = 0;
        while line < 256 {
            let above = (line as u32) >> (place + 1);
            if above != 0 {
                table[place][line] += above.trailing_zeros() as u8;
            }
            let below = line as u32 & ((1 << place) - 1);
            if below != 0 {
                table[place][line] += (place as u32 - 1 - below.ilog2()) as u8;
            }
            line += 1;
        }
        place += 1;
    }
    table
};

/// [`super::Kernel::last_flips`]. Each line is gathered into a byte by a multiplication; squares that a diagonal lacks
/// are no discs of the mover, so they end no run.
#[inline(always)]
pub(super) fn last_flips(mover: u64, square: Square) -> u32 {
    const FILE: u64 = 0x0101_0101_0101_0101;
    let (file, rank) = (usize::from(square.file()), usize::from(square.rank()));
    let [down_left, down_right] = DIAGONALS[square.index()];
    let row = mover >> (rank * 8) & 0xff;
    let column = (mover >> file & FILE).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let first = (mover & down_left).wrapping_mul(FILE) >> 56;
    let second = (mover & down_right).wrapping_mul(FILE) >> 56;
    let (by_file, by_rank) = (&LAST_FLIPS[file], &LAST_FLIPS[rank]);
    u32::from(by_file[row as usize & 255])
        + u32::from(by_rank[column as usize & 255])
        + u32::from(by_file[first as usize & 255])
        + u32::from(by_file[second as usize & 255])
}

/// The legal moves.
#[inline(always)]
pub(super) fn legal_moves(mover: u64, opponent: u64) -> u64 {
    let inner = opponent & 0x7e7e_7e7e_7e7e_7e7e;
    let moves = ends(mover, inner, 1)
        | ends(mover, opponent, 8)
        | ends(mover, inner, 7)
        | ends(mover, inner, 9);
    moves & !(mover | opponent)
}

/// The squares behind runs of the opponent's discs next to the mover's, along one axis in both directions.
#[inline(always)]
fn ends(mover: u64, opponent: u64, step: u32) -> u64 {
    let mut up = opponent & mover << step;
    let mut down = opponent & mover >> step;
    up |= opponent & up << step;
    down |= opponent & down >> step;
    // Runs have at most 6 discs; pairs of discs are passed two at a time.
    let pairs_up = opponent & opponent << step;
    let pairs_down = pairs_up >> step;
    up |= pairs_up & up << (2 * step);
    down |= pairs_down & down >> (2 * step);
    up |= pairs_up & up << (2 * step);
    down |= pairs_down & down >> (2 * step);
    up << step | down >> step
}

/// The number of moves in a group.
const LANES: usize = 4;

/// A bound on the number of moves, as a multiple of [`LANES`].
const MANY: usize = 64;

/// The number of legal replies to all of `moves`, and the moves that leave none.
#[inline(always)]
pub(super) fn replies(board: Board, moves: u64) -> (u64, u64) {
    let mut bits = [0u64; MANY];
    let mut left = moves;
    let mut len = 0;
    while left != 0 {
        bits[len & (MANY - 1)] = left & left.wrapping_neg();
        left &= left - 1;
        len += 1;
    }
    let (mut count, mut dead) = (0u64, 0u64);
    for group in bits[..len.next_multiple_of(LANES)].as_chunks::<LANES>().0 {
        let (more, none) = of_group(board, group);
        count += more;
        dead |= none;
    }
    (count, dead)
}

/// [`replies`] of one group; zeros are padding.
#[inline(always)]
fn of_group(board: Board, bits: &[u64; LANES]) -> (u64, u64) {
    let (mover, opponent) = (board.mover(), board.opponent());
    let mut counts = [0u64; LANES];
    let mut dead = [0u64; LANES];
    for n in 0..LANES {
        let bit = bits[n];
        let flips = flips_branchless(mover, opponent, bit);
        // Padding has no replies.
        let moved = if bit == 0 { 0 } else { u64::MAX };
        let replies = legal_moves(opponent ^ flips, mover | flips | bit) & moved;
        counts[n] = u64::from(replies.count_ones());
        dead[n] = if replies == 0 { bit } else { 0 };
    }
    let none = dead.iter().fold(0, |all, &bit| all | bit);
    (counts.iter().sum(), none)
}

/// The flips of a disc on one square without branches: runs of the opponent's discs in each direction that a disc of
/// the mover outflanks.
#[inline(always)]
fn flips_branchless(mover: u64, opponent: u64, bit: u64) -> u64 {
    let inner = opponent & 0x7e7e_7e7e_7e7e_7e7e;
    both_ways(mover, inner, bit, 1)
        | both_ways(mover, opponent, bit, 8)
        | both_ways(mover, inner, bit, 7)
        | both_ways(mover, inner, bit, 9)
}

#[inline(always)]
fn both_ways(mover: u64, opponent: u64, bit: u64, step: u32) -> u64 {
    let pairs_up = opponent & opponent << step;
    let pairs_down = pairs_up >> step;
    let mut up = opponent & bit << step;
    let mut down = opponent & bit >> step;
    up |= opponent & up << step;
    down |= opponent & down >> step;
    up |= pairs_up & up << (2 * step);
    down |= pairs_down & down >> (2 * step);
    up |= pairs_up & up << (2 * step);
    down |= pairs_down & down >> (2 * step);
    let closed_up = if mover & up << step == 0 { 0 } else { up };
    let closed_down = if mover & down >> step == 0 { 0 } else { down };
    closed_up | closed_down
}
