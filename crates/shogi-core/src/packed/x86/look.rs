//! Attacks and legal moves with AVX-512: eight directions at once.

use std::arch::x86_64::*;

use super::super::attack;
use super::super::board::Squares;
use super::super::placement::Placement;
use super::vector;
use crate::{Color, MoveText, Piece, PieceKind, Square};

/// Whether a move is legal.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
pub(super) fn is_legal(placement: &Placement, text: MoveText) -> bool {
    placement.is_legal_with(text, |squares: &Squares, color, square, change| {
        let [low, high] = vector::from_squares(squares);
        // The piece that moved is any of the other colour: it attacks nothing here.
        let moved = _mm512_set1_epi8(Piece::new(color.flip(), PieceKind::Pawn) as i8);
        let [low_from, high_from] = ONLY[usize::from(change.from) % 128];
        let [low_to, high_to] = ONLY[usize::from(change.to) % 128];
        let zero = _mm512_setzero_si512();
        let low = _mm512_mask_mov_epi8(low, low_from, zero);
        let high = _mm512_mask_mov_epi8(high, high_from, zero);
        let low = _mm512_mask_mov_epi8(low, low_to, moved);
        let high = _mm512_mask_mov_epi8(high, high_to, moved);
        attackers([low, high], color, square)
    })
}

/// Whether a piece of `color` attacks `square`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
pub(super) fn is_attacked([low, high]: [__m512i; 2], color: Color, square: Square) -> bool {
    let knight = _mm512_set1_epi8(Piece::new(color, PieceKind::Knight) as i8);
    let [low_jumps, high_jumps] = JUMPS[color.index()][square.index()];
    let knights = _mm512_mask_cmpeq_epi8_mask(low_jumps, low, knight)
        | _mm512_mask_cmpeq_epi8_mask(high_jumps, high, knight);
    attackers([low, high], color, square) | knights != 0
}

/// [`attack::attackers_on_rays`] for all directions at once.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn attackers([low, high]: [__m512i; 2], color: Color, square: Square) -> u64 {
    let rays = vector::bytes_512(&attack::RAYS[square.index()]);
    let pieces = _mm512_permutex2var_epi8(low, rays, high);
    // The first piece in each direction: the lowest one of each byte.
    let occupied = _mm512_test_epi8_mask(pieces, pieces);
    let below = (occupied | 0x8080808080808080) - 0x0101010101010101;
    let first = occupied & !below;
    let attackers = &attack::ATTACKERS[color.index()];
    let far = _mm512_permutexvar_epi8(pieces, vector::bytes_512(&attackers.far));
    let near = vector::bytes_512(&attackers.near);
    let nearest = 0x0101010101010101;
    let directions = _mm512_mask_permutexvar_epi8(far, nearest, pieces, near);
    _mm512_test_epi8_mask(directions, vector::bytes_512(&DIRECTION_BITS)) & first
}

/// A bit for each direction, eight times.
const DIRECTION_BITS: [u8; 64] = {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < 64 {
        bits[i] = 1 << (i / 8);
        i += 1;
    }
    bits
};

/// [`attack::KNIGHTS`] as bits of 64 squares each.
static JUMPS: [[[u64; 2]; 81]; 2] = {
    let mut table = [[[0; 2]; 81]; 2];
    let mut i = 0;
    while i < 2 * 81 * 2 {
        let (color, square) = (i / 2 / 81, i / 2 % 81);
        let from = attack::KNIGHTS[color][square][i % 2];
        if from != attack::NOWHERE {
            table[color][square][from as usize / 64] |= 1 << (from % 64);
        }
        i += 1;
    }
    table
};

/// Each square as a bit of 64 squares each; none for what is no square.
static ONLY: [[u64; 2]; 128] = {
    let mut table = [[0; 2]; 128];
    let mut i = 0;
    while i < 81 {
        table[i][i / 64] = 1 << (i % 64);
        i += 1;
    }
    table
};
