//! Outlines: properties of positions that follow from the places of their codes.

use std::arch::x86_64::*;

use shogi_core::{ByColor, Color};

use super::vector;
use crate::board::Header;
use crate::{MANY, NO_KING, wide};

/// Outline of a position, known before its codes are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    /// The kings' squares, or [`NO_KING`].
    pub(crate) kings: [u8; 2],
    /// Number of codes that begin in the first word, in the first two, and in the first three.
    pub(crate) counts: [u8; 3],
    /// Number of bits after the last square's code.
    pub(crate) rest: u8,
}

/// Outlines of many positions.
pub(crate) struct Outlines {
    /// Where codes begin, see [`find`].
    pub(crate) starts: [[u64; 4]; MANY],
    pub(crate) kings: [[u8; MANY]; 2],
    pub(crate) counts: [[u8; MANY]; 3],
    pub(crate) rest: [u8; MANY],
    /// A bit for each: whether there is an outline.
    pub(crate) good: [u64; MANY / 64],
}

impl Outline {
    /// The outline of a position, and in `starts` where codes begin; `None` when the kings' squares make no sense or
    /// when there are fewer codes than squares.
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    pub(crate) fn find(bytes: &[u8; 32], starts: &mut [u64; 4]) -> Option<Self> {
        let kings = Header::read(bytes)?.kings.0;
        let [black, white] = kings;
        let squares = 81 - u32::from(black != NO_KING) - u32::from(white != NO_KING);
        let whole;
        (*starts, whole) = find_starts(bytes);
        let [w0, w1, w2, w3] = *starts;
        let a = w0.count_ones();
        let b = a + w1.count_ones();
        let c = b + w2.count_ones();
        let before = [0, a, b, c, c + w3.count_ones()];
        let is_before = |word: usize| usize::from(squares >= before[word]);
        let word = is_before(1) + is_before(2) + is_before(3) + is_before(4);
        let bits = [w0, w1, w2, w3, whole.into()][word];
        let bit = _pdep_u64(1_u64.unbounded_shl(squares - before[word]), bits);
        let outline = Self {
            kings,
            counts: [before[1] as u8, before[2] as u8, before[3] as u8],
            rest: (256 - 64 * word as u32).wrapping_sub(bit.trailing_zeros()) as u8,
        };
        (bit != 0).then_some(outline)
    }

    /// The header of the position.
    #[inline(always)]
    pub(crate) fn header(self, bytes: &[u8; 32]) -> Header {
        Header {
            side: Color::ALL[usize::from(bytes[0] & 1)],
            kings: ByColor(self.kings),
        }
    }
}

impl Outlines {
    /// The empty outlines.
    pub(crate) const EMPTY: Self = Self {
        starts: [[0; 4]; MANY],
        kings: [[0; MANY]; 2],
        counts: [[0; MANY]; 3],
        rest: [0; MANY],
        good: [0; MANY / 64],
    };

    /// The outline of position `i`.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> Option<Outline> {
        (self.good[i / 64] >> (i % 64) & 1 != 0).then(|| Outline {
            kings: [self.kings[0][i], self.kings[1][i]],
            counts: [self.counts[0][i], self.counts[1][i], self.counts[2][i]],
            rest: self.rest[i],
        })
    }
}

// Finds the bits at which the codes of the squares begin.
//
// The lengths of the codes on the board are those of a small automaton that reads one bit after
// another. Read a byte at a time, all that it needs is two tables: one processor cycle a byte, as
// the next state comes out of a shift by the last.

/// The states, as 8 times their number.
pub(crate) const ROOT: u8 = 0;
const ONE: u8 = 8;
const ONES_2: u8 = 16;
const ONES_3: u8 = 24;
const ONES_4: u8 = 32;
const REST_1: u8 = 40;
const REST_2: u8 = 48;
const REST_3: u8 = 56;

/// The state after another bit on the board.
pub(crate) const fn step(state: u8, bit: bool) -> u8 {
    match (state, bit) {
        (ROOT, true) => ONE,
        (ONE, true) => ONES_2,
        (ONES_2, true) => ONES_3,
        (ONES_3, true) => ONES_4,
        // A pawn: two more bits. Two ones, or three and a zero, are lance, knight and silver.
        (ONE | ONES_3, false) | (REST_3, _) => REST_2,
        (ONES_2, false) | (ONES_4, true) => REST_3,
        // Gold.
        (ONES_4, false) | (REST_2, _) => REST_1,
        _ => ROOT,
    }
}

/// By byte: the next state for each of the eight states, one byte each.
static NEXT: [u64; 256] = tables().0;
/// By byte: the bits at which a code begins for each of the eight states, one byte each.
static STARTS: [u64; 256] = tables().1;

const fn tables() -> ([u64; 256], [u64; 256]) {
    let mut tables = ([0; 256], [0; 256]);
    let mut byte = 0;
    while byte < 256 {
        let mut from = 0;
        while from < 64 {
            let mut state = from as u8;
            let mut starts = 0;
            let mut bit = 0;
            while bit < 8 {
                if state == ROOT {
                    starts |= 1u64 << bit;
                }
                state = step(state, byte >> bit & 1 != 0);
                bit += 1;
            }
            tables.0[byte] |= (state as u64) << from;
            tables.1[byte] |= starts << from;
            from += 8;
        }
        byte += 1;
    }
    tables
}

/// The bits of the stream at which a square's code begins, if squares' codes were to go on to the end, and
/// whether the last of these codes ends with the last bit.
#[target_feature(enable = "bmi2")]
#[inline]
pub(crate) fn find_starts(bytes: &[u8; 32]) -> ([u64; 4], bool) {
    let mut starts = [0u8; 32];
    starts[1] = 0x80;
    let mut state = u64::from(bytes[1] >> 7) * u64::from(ONE);
    for i in 2..32 {
        let byte = usize::from(bytes[i]);
        starts[i] = (STARTS[byte] >> (state & 63)) as u8;
        state = NEXT[byte] >> (state & 63);
    }
    (wide::from_bytes(&starts), state as u8 & 63 == ROOT)
}

// The outlines of many positions at once.
//
// The automaton of [`find_starts`] with half a byte for each step: state and half byte are
// an index of seven bits, which is what one instruction looks up for 64 bytes, one of each stream.
// While it goes through the streams it counts the codes and notes where the last square's ends.

/// By half byte and, times 16, number of the state: where codes begin, and 16 times the next state's
/// number.
static STEPS: [u8; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        let (half, mut state) = (i & 15, (i >> 4 << 3) as u8);
        let mut bit = 0;
        while bit < 4 {
            table[i] |= ((state == ROOT) as u8) << bit;
            state = step(state, half >> bit & 1 != 0);
            bit += 1;
        }
        table[i] |= state << 1;
        i += 1;
    }
    table
};

/// State of scanning 64 streams, a byte of a vector each.
#[derive(Clone, Copy)]
struct Group {
    kings: [__m512i; 2],
    /// The kings' squares make sense.
    good: u64,
    /// Number of codes required.
    squares: __m512i,
    /// The automaton's state.
    state: __m512i,
    /// Number of codes that have begun.
    count: __m512i,
    /// Number of codes that had begun in the first word, the first two, and the first three.
    counts: [__m512i; 3],
    /// The last byte of the stream before which there were not too many: its first bit's number, where
    /// codes begin in it, and how many of these to leave out.
    at: __m512i,
    byte: __m512i,
    left_out: __m512i,
}

/// Finds the outline of each position.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,bmi2")]
pub(crate) fn find_many<const N: usize>(records: &[[u8; N]; MANY], outlines: &mut Outlines) {
    let (front, back) = records.split_at(64);
    let mut rows_a = vector::rows(front.first_chunk().expect("64 of 128"));
    let mut rows_b = vector::rows(back.first_chunk().expect("64 of 128"));
    transpose(&mut rows_a);
    transpose(&mut rows_b);
    let table = vector::halves(&STEPS);
    let mut a = Group::new(&mut rows_a);
    let mut b = Group::new(&mut rows_b);
    // Two at a time: each step has to wait for the one before.
    for word in 0..4 {
        for i in (8 * word).max(2)..8 * word + 8 {
            rows_a[i] = a.read(rows_a[i], i, table);
            rows_b[i] = b.read(rows_b[i], i, table);
        }
        if word < 3 {
            a.counts[word] = a.count;
            b.counts[word] = b.count;
        }
    }
    transpose(&mut rows_a);
    transpose(&mut rows_b);
    let (front, back) = outlines.starts.split_at_mut(64);
    vector::store_rows(front.first_chunk_mut().expect("64 of 128"), &rows_a);
    vector::store_rows(back.first_chunk_mut().expect("64 of 128"), &rows_b);
    a.finish(outlines, 0);
    b.finish(outlines, 1);
}

impl Group {
    /// Reads the first two rows and puts there where codes begin.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg")]
    #[inline]
    fn new(rows: &mut [__m512i; 32]) -> Self {
        let one = _mm512_set1_epi8(1);
        let none = _mm512_set1_epi8(NO_KING as i8);
        let seven_bits = _mm512_set1_epi8(0x7f);
        let black = _mm512_and_si512(_mm512_srli_epi16::<1>(rows[0]), seven_bits);
        let white = _mm512_and_si512(rows[1], seven_bits);
        let on_board = [
            _mm512_cmplt_epu8_mask(black, none),
            _mm512_cmplt_epu8_mask(white, none),
        ];
        let good = _mm512_cmple_epu8_mask(black, none)
            & _mm512_cmple_epu8_mask(white, none)
            & (_mm512_cmpneq_epi8_mask(black, white) | !on_board[0]);
        let mut squares = _mm512_set1_epi8(81);
        squares = _mm512_mask_sub_epi8(squares, on_board[0], squares, one);
        squares = _mm512_mask_sub_epi8(squares, on_board[1], squares, one);
        // The first code begins with the last bit of the second byte.
        let state = _mm512_and_si512(_mm512_srli_epi16::<3>(rows[1]), _mm512_set1_epi8(0x10));
        rows[0] = _mm512_setzero_si512();
        rows[1] = _mm512_set1_epi8(0x80_u8 as i8);
        Self {
            kings: [black, white],
            good,
            squares,
            state,
            count: one,
            counts: [one; 3],
            at: _mm512_set1_epi8(8),
            byte: rows[1],
            left_out: squares,
        }
    }

    /// Reads the row of byte `i` and returns where codes begin in it.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg")]
    #[inline]
    fn read(&mut self, row: __m512i, i: usize, table: [__m512i; 2]) -> __m512i {
        let low = _mm512_set1_epi8(0x0f);
        // The second of two, with the low half of each byte from the first.
        let with_low = |half, rest| _mm512_ternarylogic_epi32::<0b11001010>(low, half, rest);
        let step = |state, half| {
            let index = with_low(half, state);
            _mm512_permutex2var_epi8(table[0], index, table[1])
        };
        let first = step(self.state, row);
        self.state = step(first, _mm512_srli_epi16::<4>(row));
        let starts = with_low(first, _mm512_slli_epi16::<4>(self.state));
        self.note(starts, i);
        self.count = _mm512_add_epi8(self.count, _mm512_popcnt_epi8(starts));
        starts
    }

    /// Notes byte `i` of the streams in which it might have the last square's end.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn note(&mut self, starts: __m512i, i: usize) {
        let reached = _mm512_cmple_epu8_mask(self.count, self.squares);
        self.at = _mm512_mask_mov_epi8(self.at, reached, _mm512_set1_epi8((8 * i) as i8));
        self.byte = _mm512_mask_mov_epi8(self.byte, reached, starts);
        self.left_out = _mm512_mask_sub_epi8(self.left_out, reached, self.squares, self.count);
    }

    /// Stores what has been found out about group `number`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,bmi2")]
    #[inline]
    fn finish(mut self, outlines: &mut Outlines, number: usize) {
        // One more code begins after the last bit, if there the automaton is where it began.
        let one = _mm512_set1_epi8(1);
        let whole = _mm512_testn_epi8_mask(self.state, _mm512_set1_epi8(0x70));
        self.note(_mm512_maskz_mov_epi8(whole, one), 32);
        let enough = _mm512_cmplt_epu8_mask(self.left_out, _mm512_popcnt_epi8(self.byte));
        let minus_one = _mm512_set1_epi8(-1);
        for left_out in 0..7 {
            let more = _mm512_cmpgt_epu8_mask(self.left_out, _mm512_set1_epi8(left_out));
            let without_lowest = _mm512_and_si512(self.byte, _mm512_add_epi8(self.byte, minus_one));
            self.byte = _mm512_mask_mov_epi8(self.byte, more, without_lowest);
        }
        let below = _mm512_andnot_si512(self.byte, _mm512_add_epi8(self.byte, minus_one));
        let end = _mm512_add_epi8(self.at, _mm512_popcnt_epi8(below));
        let rest = _mm512_sub_epi8(_mm512_setzero_si512(), end);

        let order = vector::bytes_512(&ORDER);
        let put = |bytes: &mut [u8; MANY], vector| {
            let part = &mut bytes.as_chunks_mut::<64>().0[number];
            vector::store_512(part, _mm512_permutexvar_epi8(order, vector));
        };
        let [black, white] = &mut outlines.kings;
        put(black, self.kings[0]);
        put(white, self.kings[1]);
        for (bytes, counts) in outlines.counts.iter_mut().zip(self.counts) {
            put(bytes, counts);
        }
        put(&mut outlines.rest, rest);
        let good = self.good & enough;
        outlines.good[number] =
            _pdep_u64(good, 0x5555_5555_5555_5555) | _pdep_u64(good >> 32, 0xaaaa_aaaa_aaaa_aaaa);
    }
}

/// Order of the streams in a row: the even ones, then the odd ones.
const ORDER: [u8; 64] = {
    let mut order = [0; 64];
    let mut i = 0;
    while i < 64 {
        order[i] = (i / 2 + i % 2 * 32) as u8;
        i += 1;
    }
    order
};

/// Exchanges each bit of the number of a row with the same bit of the place in the row. From 64
/// streams of 32 bytes, two in each row, that makes 32 rows of 64 streams' bytes with the even streams'
/// first; doing it again takes it back.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn transpose(rows: &mut [__m512i; 32]) {
    // A few rows at a time stay in registers.
    for rows in rows.as_chunks_mut::<8>().0 {
        let [a, b, c, d, e, f, g, h] = *rows;
        let ([a, b], [c, d]) = (exchange::<0>(a, b), exchange::<0>(c, d));
        let ([e, f], [g, h]) = (exchange::<0>(e, f), exchange::<0>(g, h));
        let ([a, c], [b, d]) = (exchange::<1>(a, c), exchange::<1>(b, d));
        let ([e, g], [f, h]) = (exchange::<1>(e, g), exchange::<1>(f, h));
        let ([a, e], [b, f]) = (exchange::<2>(a, e), exchange::<2>(b, f));
        let ([c, g], [d, h]) = (exchange::<2>(c, g), exchange::<2>(d, h));
        *rows = [a, b, c, d, e, f, g, h];
    }
    for i in 0..8 {
        let [a, b, c, d] = [rows[i], rows[i + 8], rows[i + 16], rows[i + 24]];
        let ([a, b], [c, d]) = (exchange::<3>(a, b), exchange::<3>(c, d));
        let ([a, c], [b, d]) = (exchange_16(a, c), exchange_16(b, d));
        [rows[i], rows[i + 8], rows[i + 16], rows[i + 24]] = [a, b, c, d];
    }
}

/// Exchanges bit `BIT`, at most 3, of the place in two rows with the bit that tells the rows apart.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn exchange<const BIT: usize>(a: __m512i, b: __m512i) -> [__m512i; 2] {
    // The places that have the bit, and the places of 16 with the bit changed.
    let (places, [high, low]) = const {
        [
            (
                0xaaaa_aaaa_aaaa_aaaa,
                [0x0e0f0c0d0a0b0809, 0x0607040502030001],
            ),
            (
                0xcccc_cccc_cccc_cccc,
                [0x0d0c0f0e09080b0a, 0x0504070601000302],
            ),
            (
                0xf0f0_f0f0_f0f0_f0f0,
                [0x0b0a09080f0e0d0c, 0x0302010007060504],
            ),
            (
                0xff00_ff00_ff00_ff00,
                [0x0706050403020100, 0x0f0e0d0c0b0a0908],
            ),
        ][BIT]
    };
    let neighbours = _mm512_broadcast_i32x4(_mm_set_epi64x(high, low));
    [
        _mm512_mask_shuffle_epi8(a, places, b, neighbours),
        _mm512_mask_shuffle_epi8(b, !places, a, neighbours),
    ]
}

/// As [`exchange`] for the bit of 16.
#[target_feature(enable = "avx512f")]
#[inline]
fn exchange_16(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [
        _mm512_mask_shuffle_i64x2::<0b10_11_00_01>(a, 0b1100_1100, b, b),
        _mm512_mask_shuffle_i64x2::<0b10_11_00_01>(b, 0b0011_0011, a, a),
    ]
}
