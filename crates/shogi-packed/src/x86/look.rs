//! Attacks and legal moves with AVX-512: eight directions at once.

use std::arch::x86_64::*;

use super::vector;
use crate::attack::{self, Change};
use crate::board::Squares;
use crate::legal::Look;
use crate::moves::Shift;
use crate::placement::Placement;
use shogi_core::{Color, File, Piece, PieceKind, Square};

/// Whether each move is legal in its position; no move is not.
///
/// A function of several so that the loop, called for one as well, needs no calls.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
pub(crate) fn are_legal<const COUNT: usize>(
    placements: &[Placement; COUNT],
    moves: impl Fn(usize) -> Option<Shift>,
) -> [bool; COUNT] {
    let mut legal = [false; COUNT];
    for i in 0..COUNT {
        let Some(shift) = moves(i) else { continue };
        let look = Look {
            visible: |squares: &Squares, _, to: Square| {
                let (_, pieces) = seen(vector::halves(&squares.0), to.index());
                attack::nearest(_mm512_test_epi8_mask(pieces, pieces))
            },
            has_on_file: |squares: &Squares, file: File, piece: u8| {
                let pieces = vector::from_file(squares, file);
                _mm_mask_cmpeq_epi8_mask(0x1ff, pieces, _mm_set1_epi8(piece as i8)) != 0
            },
            is_attacked: |squares: &Squares, color: Color, square, change: Change| {
                let halves = vector::halves(&squares.0);
                let (places, pieces) = seen(halves, square);
                let from = _mm512_cmpeq_epi8_mask(places, _mm512_set1_epi8(change.from as i8));
                let to = _mm512_cmpeq_epi8_mask(places, _mm512_set1_epi8(change.to as i8));
                // The piece that moved is any of the other colour: it attacks nothing here.
                let moved = _mm512_set1_epi8(Piece::new(color.flip(), PieceKind::Pawn) as i8);
                let pieces = _mm512_mask_mov_epi8(pieces, from, _mm512_setzero_si512());
                let pieces = _mm512_mask_mov_epi8(pieces, to, moved);
                // A knight that attacks here is seldom there, and then the move takes it.
                free_attackers(pieces, color) != 0
                    || knights(halves, color, square) != 0
                        && attack::is_attacked_by_knight(squares, color, square, change)
            },
        };
        legal[i] = placements[i].is_legal_with(shift, look);
    }
    legal
}

/// The squares of the eight rays from `square` and the pieces there.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn seen([low, high]: [__m512i; 2], square: usize) -> (__m512i, __m512i) {
    let places = vector::bytes_512(&attack::RAYS.0[square]);
    (places, _mm512_permutex2var_epi8(low, places, high))
}

/// [`attack::Rays::free_attackers`] of these pieces on rays.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn free_attackers(pieces: __m512i, color: Color) -> u64 {
    let attackers = vector::bytes_512(&attack::ATTACKERS[color.index()].0);
    let index = _mm512_or_si512(pieces, vector::bytes_512(&FAR));
    let directions = _mm512_permutexvar_epi8(index, attackers);
    // The nearest piece in each direction: the lowest byte of eight that is not zero.
    let ones = _mm512_min_epu8(pieces, _mm512_set1_epi8(1));
    let nearest = _mm512_and_si512(ones, _mm512_sub_epi64(_mm512_setzero_si512(), ones));
    let attacks = _mm512_test_epi8_mask(directions, vector::bytes_512(&DIRECTION_BITS));
    _mm512_mask_test_epi8_mask(attacks, nearest, nearest)
}

/// Whether a piece of `color` attacks `square`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
pub(crate) fn is_attacked([low, high]: [__m512i; 2], color: Color, square: usize) -> bool {
    let (_, pieces) = seen([low, high], square);
    free_attackers(pieces, color) | knights([low, high], color, square) != 0
}

/// Zero if no knight of `color` attacks `square`.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn knights([low, high]: [__m512i; 2], color: Color, square: usize) -> u64 {
    let knight = _mm512_set1_epi8(Piece::new(color, PieceKind::Knight) as i8);
    let [low_jumps, high_jumps] = JUMPS[color.index()][square];
    _mm512_mask_cmpeq_epi8_mask(low_jumps, low, knight)
        | _mm512_mask_cmpeq_epi8_mask(high_jumps, high, knight)
}

/// What [`attack::ATTACKERS`] adds to the number of a piece that is not on the nearest square.
const FAR: [u8; 64] = {
    let mut bytes = [attack::FAR; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = 0;
        i += 8;
    }
    bytes
};

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
