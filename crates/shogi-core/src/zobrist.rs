//! Zobrist keys.
//!
//! The board part is the XOR of one 128-bit number for every piece on its square (and one for white
//! to move); `Position::do_move` keeps it up to date with one XOR of a 16-byte value for each change.
//! The hands enter through a mixing function of their 32-bit packed counts when the key is asked
//! for: two multiplications, cheaper than keeping them incrementally. The 64-bit key is the low half
//! of the 128-bit key.
//!
//! The numbers come from SplitMix64 with a fixed seed, so keys are the same on every machine and in
//! every build of this version. They are not part of any file format.

use crate::{Color, Hand, Piece, Square};

/// A 128-bit number for every piece on every square.
static PIECES: [[u128; 81]; Piece::INDEX_LIMIT] = {
    let mut table = [[0; 81]; Piece::INDEX_LIMIT];
    let mut state = 0x79616e65_75726121;
    let mut i = 0;
    while i < Piece::ALL.len() {
        let mut square = 0;
        while square < 81 {
            let low = splitmix(&mut state);
            let high = splitmix(&mut state);
            table[Piece::ALL[i] as usize][square] = (high as u128) << 64 | low as u128;
            square += 1;
        }
        i += 1;
    }
    table
};

/// White to move.
const WHITE_TO_MOVE: u128 = 0x9d39_247e_3377_6d41_2af7_398005aa_a5c7;

/// One step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
const fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e3779b97f4a7c15);
    mix(*state)
}

const fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d049bb133111eb);
    z ^ z >> 31
}

/// The number of `piece` on `square`.
#[inline(always)]
pub(crate) fn piece_key(piece: Piece, square: Square) -> u128 {
    PIECES[piece as usize][square as usize]
}

/// The number of the side to move.
#[inline(always)]
pub(crate) const fn side_key(color: Color) -> u128 {
    match color {
        Color::Black => 0,
        Color::White => WHITE_TO_MOVE,
    }
}

/// The 64-bit number of both hands.
#[inline(always)]
pub(crate) const fn hands_key(black: Hand, white: Hand) -> u64 {
    let both = (black.bits() as u64) << 32 | white.bits() as u64;
    mix(both)
}

/// The 128-bit number of both hands; its low half is [`hands_key`].
#[inline(always)]
pub(crate) const fn hands_key_128(black: Hand, white: Hand) -> u128 {
    let low = hands_key(black, white);
    let both = (black.bits() as u64) << 32 | white.bits() as u64;
    let high = mix(both.wrapping_mul(0xd1342543de82ef95).wrapping_add(0x2545f4914f6cdd1d));
    (high as u128) << 64 | low as u128
}
