//! Attacks and legal moves: eight directions at once with AVX-512, four in each of two vectors with AVX2.

use std::arch::x86_64::*;

use shogi_core::{Color, File, Piece, PieceKind, Square};

use super::vector;
use crate::attack;
use crate::attack::Change;
use crate::board::Squares;
use crate::legal::Look;
use crate::moves::Shift;
use crate::placement::Placement;

/// Returns true for each move that is legal in its position; false for no move.
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

/// Returns true if a piece of `color` attacks `square`.
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

/// Addend of [`attack::ATTACKERS`] to the number of a piece that is not on the nearest square.
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

// Attacks and legal moves with AVX2: four directions in each of two vectors.

/// Returns true for each move that is legal in its position; false for no move.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn are_legal_256<const COUNT: usize>(
    placements: &[Placement; COUNT],
    moves: impl Fn(usize) -> Option<Shift>,
) -> [bool; COUNT] {
    let mut legal = [false; COUNT];
    for i in 0..COUNT {
        let Some(shift) = moves(i) else { continue };
        let look = Look {
            visible: |squares: &Squares, from, to: Square| {
                let [low, high] = occupied(squares);
                let direction =
                    usize::from(attack::SEEN[to.index()][usize::from(from % 128)] / 8 % 8);
                let ray = RAY_BITS[to.index()][direction];
                let opposite = RAY_BITS[usize::from(from % 128)][7 - direction];
                attack::all_if(low & ray[0] & opposite[0] | high & ray[1] & opposite[1] == 0)
            },
            has_on_file: |squares: &Squares, file: File, piece: u8| {
                let pieces = vector::from_file(squares, file);
                let found = _mm_cmpeq_epi8(pieces, _mm_set1_epi8(piece as i8));
                _mm_movemask_epi8(found) & 0x1ff != 0
            },
            is_attacked: |squares: &Squares, color: Color, square, change: Change| {
                let places = places(square);
                let pieces = pieces_at(squares, places);
                // The piece that moved is any of the other colour: it attacks nothing here.
                let moved = _mm256_set1_epi8(Piece::new(color.flip(), PieceKind::Pawn) as i8);
                let from = _mm256_set1_epi8(change.from as i8);
                let to = _mm256_set1_epi8(change.to as i8);
                let after = |pieces, places| {
                    let left = _mm256_andnot_si256(_mm256_cmpeq_epi8(places, from), pieces);
                    _mm256_blendv_epi8(left, moved, _mm256_cmpeq_epi8(places, to))
                };
                let pieces = [after(pieces[0], places[0]), after(pieces[1], places[1])];
                has_free_attacker(pieces, color)
                    | attack::is_attacked_by_knight(squares, color, square, change)
            },
        };
        legal[i] = placements[i].is_legal_with(shift, look);
    }
    legal
}

/// Returns true if a piece of `color` attacks `square`.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn is_attacked_256(squares: &Squares, color: Color, square: usize) -> bool {
    has_free_attacker(pieces_at(squares, places(square)), color)
        | attack::is_attacked_by_knight(squares, color, square, Change::NONE)
}

/// The squares of the eight rays from `square`.
#[target_feature(enable = "avx2")]
#[inline]
fn places(square: usize) -> [__m256i; 2] {
    let (rays, _) = attack::RAYS.0[square].as_chunks();
    [vector::bytes(&rays[0]), vector::bytes(&rays[1])]
}

/// The pieces on these squares.
#[target_feature(enable = "avx2")]
#[inline]
fn pieces_at(squares: &Squares, places: [__m256i; 2]) -> [__m256i; 2] {
    let (parts, _) = squares.0.as_chunks::<16>();
    let mut pieces = [_mm256_setzero_si256(); 2];
    for (i, part) in parts.iter().enumerate().take(6) {
        let part = vector::table(part);
        let number = _mm256_set1_epi8(16 * i as i8);
        // The squares of this part become 0x70 to 0x7f; for others, 0x80 and more, a shuffle gives zero.
        let index =
            |places| _mm256_adds_epu8(_mm256_xor_si256(places, number), _mm256_set1_epi8(0x70));
        let found = |places| _mm256_shuffle_epi8(part, index(places));
        pieces[0] = _mm256_or_si256(pieces[0], found(places[0]));
        pieces[1] = _mm256_or_si256(pieces[1], found(places[1]));
    }
    pieces
}

/// A bit for each square with a piece.
#[target_feature(enable = "avx2")]
#[inline]
fn occupied(squares: &Squares) -> [u64; 2] {
    let bits = |part| {
        let empty = _mm256_cmpeq_epi8(part, _mm256_setzero_si256());
        u64::from(!_mm256_movemask_epi8(empty) as u32)
    };
    let low = bits(vector::part::<0>(squares)) | bits(vector::part::<32>(squares)) << 32;
    [low, bits(vector::part::<64>(squares))]
}

/// [`attack::RAYS`] as bits of 64 squares each, by square and direction.
static RAY_BITS: [[[u64; 2]; 8]; 128] = {
    let mut table = [[[0; 2]; 8]; 128];
    let mut i = 0;
    while i < 81 * 64 {
        let at = attack::RAYS.0[i / 64][i % 64];
        if at != attack::NOWHERE {
            table[i / 64][i / 8 % 8][at as usize / 64] |= 1 << (at % 64);
        }
        i += 1;
    }
    table
};

/// [`attack::Rays::free_attackers`]: whether any of these pieces on rays is one.
#[target_feature(enable = "avx2")]
#[inline]
fn has_free_attacker(pieces: [__m256i; 2], color: Color) -> bool {
    let zero = _mm256_setzero_si256();
    let attackers = &ATTACKERS_256[color.index()];
    let (near, far) = (vector::table(&attackers[0]), vector::table(&attackers[1]));
    let neighbours = _mm256_set1_epi64x(0xff);
    let own = _mm256_set1_epi8((color as i8) << 4);
    let attacks = |pieces, directions: &[u8; 32]| {
        // Pieces of `color` become 0x71 to 0x7e, others 0x80 and more, see `pieces_at`.
        let index = _mm256_adds_epu8(_mm256_xor_si256(pieces, own), _mm256_set1_epi8(0x70));
        let near = _mm256_shuffle_epi8(near, index);
        let far = _mm256_shuffle_epi8(far, index);
        let attacks = _mm256_and_si256(
            _mm256_blendv_epi8(far, near, neighbours),
            vector::bytes(directions),
        );
        // The nearest piece in each direction: the lowest byte of eight that is not zero.
        let ones = _mm256_min_epu8(pieces, _mm256_set1_epi8(1));
        let nearest = _mm256_and_si256(ones, _mm256_sub_epi64(zero, ones));
        _mm256_and_si256(attacks, _mm256_sub_epi8(zero, nearest))
    };
    let found = _mm256_or_si256(
        attacks(pieces[0], &DIRECTION_BITS_256[0]),
        attacks(pieces[1], &DIRECTION_BITS_256[1]),
    );
    _mm256_testz_si256(found, found) == 0
}

/// [`attack::ATTACKERS`] for the 16 numbers of a colour's own pieces: on the neighbouring square, and further away.
static ATTACKERS_256: [[[u8; 16]; 2]; 2] = {
    let mut table = [[[0; 16]; 2]; 2];
    let mut i = 0;
    while i < 64 {
        let (color, far, kind) = (i / 32, i / 16 % 2, i % 16);
        let from = color * 16 + far * attack::FAR as usize + kind;
        table[color][far][kind] = attack::ATTACKERS[color].0[from];
        i += 1;
    }
    table
};

/// A bit for each direction, eight times.
static DIRECTION_BITS_256: [[u8; 32]; 2] = {
    let mut bits = [[0; 32]; 2];
    let mut i = 0;
    while i < 64 {
        bits[i / 32][i % 32] = 1 << (i / 8);
        i += 1;
    }
    bits
};
