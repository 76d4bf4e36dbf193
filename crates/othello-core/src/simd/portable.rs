//! One board at a time, with the instructions that every processor has.

use super::lines::RAYS;
use crate::Square;

/// Discs that a disc on an empty `square` turns over.
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

/// Squares on which a disc can be placed.
#[inline(always)]
pub(super) fn legal_moves(mover: u64, opponent: u64) -> u64 {
    let inner = opponent & 0x7e7e_7e7e_7e7e_7e7e;
    let moves = ends(mover, inner, 1)
        | ends(mover, opponent, 8)
        | ends(mover, inner, 7)
        | ends(mover, inner, 9);
    moves & !(mover | opponent)
}

/// Squares behind the runs of `opponent`'s discs that begin next to the mover's, on the lines of one step, both
/// ways.
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
