//! One board with vector instructions of x86-64 processors: a lane for each direction.
//!
//! All `unsafe` code of the crate is here: calls of functions that need certain instructions, for which a value
//! such as [`Avx2`] is the proof that they are there, and reads of arrays as vectors.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with _mm"
)]

use std::arch::x86_64::{_pdep_u64, _pext_u64, *};

use super::portable::{LAST_FLIPS, RAYS};
use super::{Kernel, portable};
use crate::{Board, Square};

/// Proof that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT (since 2013 Intel's Haswell, 2015
/// AMD's Excavator; `pext` and `pdep` are slow before AMD's Zen 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

/// Proof that the processor has AVX-512 F, VL, CD and VPOPCNTDQ (Ice Lake, Zen 4), and all of [`Avx2`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

impl Avx2 {
    /// Detects the instructions.
    #[inline(always)]
    pub fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt"))
        .then_some(Self(()))
    }
}

impl Avx512 {
    /// Detects the instructions.
    #[inline(always)]
    pub fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512vpopcntdq")
            && Avx2::detect().is_some())
        .then_some(Self(()))
    }
}

impl Kernel for Avx2 {
    #[inline(always)]
    fn flips(self, mover: u64, opponent: u64, square: Square) -> u64 {
        // SAFETY: a value exists only where the processor has all that the function needs.
        unsafe { flips_4(mover, opponent, square) }
    }

    #[inline(always)]
    fn legal_moves(self, mover: u64, opponent: u64) -> u64 {
        // SAFETY: as in `flips`.
        unsafe { legal_moves_4(mover, opponent) }
    }

    #[inline(always)]
    fn last_flips(self, mover: u64, square: Square) -> u32 {
        // SAFETY: as in `flips`.
        unsafe { last_flips_pext(mover, square) }
    }
}

impl Kernel for Avx512 {
    #[inline(always)]
    fn flips(self, mover: u64, opponent: u64, square: Square) -> u64 {
        // SAFETY: a value exists only where the processor has all that the function needs.
        unsafe { flips_8(mover, opponent, square) }
    }

    #[inline(always)]
    fn legal_moves(self, mover: u64, opponent: u64) -> u64 {
        // SAFETY: as in `flips`, and it has all of `Avx2` as well.
        unsafe { legal_moves_4(mover, opponent) }
    }

    #[inline(always)]
    fn last_flips(self, mover: u64, square: Square) -> u32 {
        // SAFETY: as in `legal_moves`.
        unsafe { last_flips_pext(mover, square) }
    }
}

/// The flips of a disc on an empty `square`, by tables of lines.
#[inline]
pub(super) fn flips_pext(_: Avx2, mover: u64, opponent: u64, square: Square) -> u64 {
    // SAFETY: an `Avx2` exists only where the processor has all that the function needs.
    unsafe { flips(mover, opponent, square) }
}

/// The flips of a disc on an empty `square`.
#[inline]
pub(super) fn flips_avx2(_: Avx2, mover: u64, opponent: u64, square: Square) -> u64 {
    // SAFETY: as in `flips_pext`.
    unsafe { flips_4(mover, opponent, square) }
}

/// The flips of a disc on an empty `square`.
#[inline]
pub(super) fn flips_avx512(_: Avx512, mover: u64, opponent: u64, square: Square) -> u64 {
    // SAFETY: an `Avx512` exists only where the processor has all that the function needs.
    unsafe { flips_8(mover, opponent, square) }
}

/// The legal moves.
#[inline]
pub(super) fn legal_moves_avx2(_: Avx2, mover: u64, opponent: u64) -> u64 {
    // SAFETY: as in `flips_pext`.
    unsafe { legal_moves_4(mover, opponent) }
}

/// The legal moves.
#[inline]
pub(super) fn legal_moves_avx512(_: Avx512, mover: u64, opponent: u64) -> u64 {
    // SAFETY: as in `flips_avx512`.
    unsafe { legal_moves_8(mover, opponent) }
}

/// The replies to all moves.
#[inline]
pub(super) fn replies_avx2(_: Avx2, board: Board, moves: u64) -> (u64, u64) {
    // SAFETY: as in `flips_pext`.
    unsafe { replies_4(board, moves) }
}

/// The replies to all moves.
#[inline]
pub(super) fn replies_avx512(_: Avx512, board: Board, moves: u64) -> (u64, u64) {
    // SAFETY: as in `flips_avx512`.
    unsafe { replies_8(board, moves) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn replies_4(board: Board, moves: u64) -> (u64, u64) {
    portable::replies(board, moves)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512cd,avx512vpopcntdq")]
fn replies_8(board: Board, moves: u64) -> (u64, u64) {
    portable::replies(board, moves)
}

/// Four words as a vector.
#[inline]
#[target_feature(enable = "avx2")]
fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read, and they need not be aligned.
    unsafe { _mm256_loadu_si256(std::ptr::from_ref(words).cast()) }
}

/// The bitwise "or" of the lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn any(lanes: __m256i) -> u64 {
    let half = _mm_or_si128(
        _mm256_castsi256_si128(lanes),
        _mm256_extracti128_si256::<1>(lanes),
    );
    let word = _mm_or_si128(half, _mm_unpackhi_epi64(half, half));
    _mm_cvtsi128_si64(word) as u64
}

/// [`flips_avx2`]: the four directions towards higher bits, then the four towards lower ones.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn flips_4(mover: u64, opponent: u64, square: Square) -> u64 {
    let rays = &RAYS[square.index()];
    let mover = _mm256_set1_epi64x(mover as i64);
    let opponent = _mm256_set1_epi64x(opponent as i64);
    let (zero, ones) = (_mm256_setzero_si256(), _mm256_set1_epi64x(-1));
    let steps = _mm256_set_epi64x(9, 8, 7, 1);

    // As in `portable::flips`: adding one carries to the first square that is not the opponent's.
    let ray = load(&rays.up);
    let carried = _mm256_sub_epi64(_mm256_or_si256(opponent, _mm256_xor_si256(ray, ones)), ones);
    let end = _mm256_and_si256(_mm256_and_si256(carried, mover), ray);
    let before = _mm256_sub_epi64(_mm256_add_epi64(end, ones), _mm256_cmpeq_epi64(end, zero));
    let up = _mm256_and_si256(before, ray);

    // The highest square that is not the opponent's: all below it are filled, then it is the one that has no
    // filled one above.
    let ray = load(&rays.down);
    let mut stops = _mm256_andnot_si256(opponent, ray);
    stops = _mm256_or_si256(stops, _mm256_srlv_epi64(stops, steps));
    let two = _mm256_add_epi64(steps, steps);
    stops = _mm256_or_si256(stops, _mm256_srlv_epi64(stops, two));
    let four = _mm256_add_epi64(two, two);
    stops = _mm256_or_si256(stops, _mm256_srlv_epi64(stops, four));
    let first = _mm256_andnot_si256(_mm256_srlv_epi64(stops, steps), stops);
    let end = _mm256_and_si256(first, mover);
    let above = _mm256_slli_epi64::<1>(_mm256_sub_epi64(zero, end));
    any(_mm256_or_si256(up, _mm256_and_si256(above, ray)))
}

/// [`flips_avx512`]: as [`flips_4`], with a count of leading zeros in each lane.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512cd")]
fn flips_8(mover: u64, opponent: u64, square: Square) -> u64 {
    let rays = &RAYS[square.index()];
    let mover = _mm256_set1_epi64x(mover as i64);
    let opponent = _mm256_set1_epi64x(opponent as i64);
    let (zero, ones) = (_mm256_setzero_si256(), _mm256_set1_epi64x(-1));

    let ray = load(&rays.up);
    // opponent | !ray
    let filled = _mm256_ternarylogic_epi64::<0xf3>(opponent, ray, ray);
    let carried = _mm256_sub_epi64(filled, ones);
    // Intersection of all three.
    let end = _mm256_ternarylogic_epi64::<0x80>(carried, mover, ray);
    let some = _mm256_test_epi64_mask(end, end);
    let before = _mm256_maskz_add_epi64(some, end, ones);
    let up = _mm256_and_si256(before, ray);

    let ray = load(&rays.down);
    let stops = _mm256_andnot_si256(opponent, ray);
    let first = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(stops));
    let end = _mm256_and_si256(first, mover);
    let above = _mm256_slli_epi64::<1>(_mm256_sub_epi64(zero, end));
    // up | (above & ray)
    any(_mm256_ternarylogic_epi64::<0xf8>(up, above, ray))
}

/// [`legal_moves_avx2`]: a lane for each line, both ways of each.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn legal_moves_4(mover: u64, opponent: u64) -> u64 {
    const INNER: i64 = 0x7e7e_7e7e_7e7e_7e7e;
    let discs = mover | opponent;
    let steps = _mm256_set_epi64x(9, 8, 7, 1);
    let two = _mm256_add_epi64(steps, steps);
    let mover = _mm256_set1_epi64x(mover as i64);
    let opponent = _mm256_and_si256(
        _mm256_set1_epi64x(opponent as i64),
        _mm256_set_epi64x(INNER, -1, INNER, INNER),
    );
    let mut up = _mm256_and_si256(opponent, _mm256_sllv_epi64(mover, steps));
    let mut down = _mm256_and_si256(opponent, _mm256_srlv_epi64(mover, steps));
    let up_1 = _mm256_and_si256(opponent, _mm256_sllv_epi64(up, steps));
    let down_1 = _mm256_and_si256(opponent, _mm256_srlv_epi64(down, steps));
    up = _mm256_or_si256(up, up_1);
    down = _mm256_or_si256(down, down_1);
    let pairs_up = _mm256_and_si256(opponent, _mm256_sllv_epi64(opponent, steps));
    let pairs_down = _mm256_srlv_epi64(pairs_up, steps);
    for _ in 0..2 {
        let more_up = _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two));
        let more_down = _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two));
        up = _mm256_or_si256(up, more_up);
        down = _mm256_or_si256(down, more_down);
    }
    let ends = _mm256_or_si256(_mm256_sllv_epi64(up, steps), _mm256_srlv_epi64(down, steps));
    any(ends) & !discs
}

/// [`legal_moves_avx512`]: a lane for each direction; a rotation to the left shifts either way. Discs of the
/// opponent at the edge that a direction leads to end no run, so nothing wraps round.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512cd")]
fn legal_moves_8(mover: u64, opponent: u64) -> u64 {
    const FILES: i64 = 0x7e7e_7e7e_7e7e_7e7e;
    const RANKS: i64 = 0x00ff_ffff_ffff_ff00;
    const BOTH: i64 = FILES & RANKS;
    let discs = mover | opponent;
    let steps = _mm512_set_epi64(55, 56, 57, 63, 9, 8, 7, 1);
    let two = _mm512_set_epi64(46, 48, 50, 62, 18, 16, 14, 2);
    let mover = _mm512_set1_epi64(mover as i64);
    let opponent = _mm512_and_si512(
        _mm512_set1_epi64(opponent as i64),
        _mm512_set_epi64(BOTH, RANKS, BOTH, FILES, BOTH, RANKS, BOTH, FILES),
    );
    // run | (through & rotated)
    macro_rules! extend {
        ($run:expr, $through:expr, $by:expr) => {
            _mm512_ternarylogic_epi64::<0xf8>($run, $through, _mm512_rolv_epi64($run, $by))
        };
    }
    let run = _mm512_and_si512(opponent, _mm512_rolv_epi64(mover, steps));
    let run = extend!(run, opponent, steps);
    let pairs = _mm512_and_si512(opponent, _mm512_rolv_epi64(opponent, steps));
    let run = extend!(run, pairs, two);
    let run = extend!(run, pairs, two);
    let ends = _mm512_rolv_epi64(run, steps);
    let half = _mm256_or_si256(
        _mm512_castsi512_si256(ends),
        _mm512_extracti64x4_epi64::<1>(ends),
    );
    any(half) & !discs
}

// Flips by tables: the four lines through a square as bytes, which `pext` takes out of the board.

/// By place on a line and the opponent's discs on its inner squares: where a disc of the mover would outflank them.
static ENDS: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut place = 0;
    while place < 8 {
        let mut inner = 0;
        while inner < 64 {
            table[place][inner] = ends(place, (inner as u8) << 1);
            inner += 1;
        }
        place += 1;
    }
    table
};

/// By place on a line and the mover's discs of [`ENDS`]: the squares between.
static BETWEEN: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut closing = 0;
        while closing < 256 {
            table[place][closing] = between(place, closing as u8);
            closing += 1;
        }
        place += 1;
    }
    table
};

/// The lines through a square, and its place on each.
struct Lines {
    squares: [u64; 4],
    places: [u8; 4],
}

static LINES: [Lines; 64] = {
    let mut all = [const {
        Lines {
            squares: [0; 4],
            places: [0; 4],
        }
    }; 64];
    let mut square = 0;
    while square < 64 {
        let mut n = 0;
        while n < 4 {
            let below = RAYS[square].down[n];
            all[square].squares[n] = RAYS[square].up[n] | below | 1 << square;
            all[square].places[n] = below.count_ones() as u8;
            n += 1;
        }
        square += 1;
    }
    all
};

const fn ends(place: usize, opponent: u8) -> u8 {
    let mut ends = 0;
    let mut up = place + 1;
    while up < 8 && opponent >> up & 1 != 0 {
        up += 1;
    }
    if up > place + 1 && up < 8 {
        ends |= 1 << up;
    }
    let mut steps = 1;
    while steps <= place && opponent >> (place - steps) & 1 != 0 {
        steps += 1;
    }
    if steps > 1 && steps <= place {
        ends |= 1 << (place - steps);
    }
    ends
}

/// The squares between a place and the nearest bit on either side.
const fn between(place: usize, closing: u8) -> u8 {
    let mut between = 0;
    let above = (closing as u32) >> (place + 1) << (place + 1);
    if above != 0 {
        let nearest = above & above.wrapping_neg();
        between |= (nearest - 1) >> (place + 1) << (place + 1);
    }
    let below = closing as u32 & ((1 << place) - 1);
    if below != 0 {
        let nearest = below.ilog2();
        between |= ((1 << place) - 1) >> (nearest + 1) << (nearest + 1);
    }
    between as u8
}

/// [`flips_pext`].
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn flips(mover: u64, opponent: u64, square: Square) -> u64 {
    let lines = &LINES[square.index()];
    let mut flips = 0;
    for n in 0..4 {
        let (line, place) = (lines.squares[n], usize::from(lines.places[n] & 7));
        let inner = _pext_u64(opponent, line) >> 1 & 63;
        let ends = ENDS[place][inner as usize];
        let closing = ends & _pext_u64(mover, line) as u8;
        flips |= _pdep_u64(u64::from(BETWEEN[place][usize::from(closing)]), line);
    }
    flips
}

/// [`Kernel::last_flips`]: the four lines through the square as bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn last_flips_pext(mover: u64, square: Square) -> u32 {
    let lines = &LINES[square.index()];
    let mut count = 0;
    for n in 0..4 {
        let line = _pext_u64(mover, lines.squares[n]) as u8;
        count += u32::from(LAST_FLIPS[usize::from(lines.places[n] & 7)][usize::from(line)]);
    }
    count
}
