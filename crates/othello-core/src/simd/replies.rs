//! All replies to all moves of a board: many boards side by side.
//!
//! The code is for one board and one move. It has neither branches nor tables, so that the compiler makes vector
//! instructions of the loop: of AVX-512 or AVX2 where it is inlined into functions that may use them, else of what
//! every processor of its kind has (SSE2, NEON).

use super::portable::legal_moves;
use crate::Board;

/// Moves are taken so many at a time.
const LANES: usize = 4;

/// More moves than any board has, as a multiple of [`LANES`]; a board of 60 empty squares is the worst.
const MANY: usize = 64;

/// The number of legal replies to all of the mover's moves, and those moves after which there is none.
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

/// The same for some moves; zeros stand for none.
#[inline(always)]
fn of_group(board: Board, bits: &[u64; LANES]) -> (u64, u64) {
    let (mover, opponent) = (board.mover(), board.opponent());
    let mut counts = [0u64; LANES];
    let mut dead = [0u64; LANES];
    for n in 0..LANES {
        let bit = bits[n];
        let flips = flips(mover, opponent, bit);
        // Without a move the board after it would be the opponent's turn: not one of the replies.
        let moved = if bit == 0 { 0 } else { u64::MAX };
        let replies = legal_moves(opponent ^ flips, mover | flips | bit) & moved;
        counts[n] = u64::from(replies.count_ones());
        dead[n] = if replies == 0 { bit } else { 0 };
    }
    let none = dead.iter().fold(0, |all, &bit| all | bit);
    (counts.iter().sum(), none)
}

/// Discs that a disc on one square turns over: runs of the opponent's discs from it in each direction, if one of
/// the mover's is behind them.
#[inline(always)]
fn flips(mover: u64, opponent: u64, bit: u64) -> u64 {
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
