//! Writing a position.
//!
//! The codes of eight squares and masks of their bits are looked up as bytes; taking the bits of the
//! masks out of the codes (`pext`) joins them. They go to their place in the 256 bits by a rotation and
//! a mask.

use std::arch::x86_64::*;

use shogi_core::{Bitboard, ByColor, Color, Hand, MoveClass, Piece, PieceKind, Position};

use super::vector;
use crate::board::{HEADER_BITS, Header, Sets, Squares};
use crate::form::{BOARD_MASKS, Form};
use crate::off_board::Codes64;
use crate::placement::FULL_SET;
use crate::{off_board, wide};

/// Code bits of all squares but the last, and masks of those that count.
#[repr(C, align(64))]
struct Expanded {
    codes: [u8; 96],
    masks: [u8; 96],
}

/// Packs a position into `bytes` and returns the number of bits, 256 if all is well.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn encode(position: &Position, form: &Form, bytes: &mut [u8; 32]) -> u32 {
    let board = position.board();
    let mut expanded = Expanded {
        codes: [0; 96],
        masks: [0; 96],
    };
    expand(board, form, &mut expanded);
    // Reading words out of memory is cheaper than taking them out of vectors, as the compiler would.
    let expanded = std::hint::black_box(&expanded);
    let header = Header::new(position);
    let (codes, len) = group(expanded, 0);
    let first = [
        header.bits() | codes << HEADER_BITS,
        codes >> (64 - HEADER_BITS),
        0,
        0,
    ];
    let mut words = vector::words(&first);
    let mut at = HEADER_BITS + len;
    for index in 1..10 {
        let (codes, len) = group(expanded, index);
        words = vector::place(words, at, codes);
        at += len;
    }
    let extract = |bits, mask| _pext_u64(bits, mask);
    let hands = ByColor([position.hand(Color::Black), position.hand(Color::White)]);
    let mut black = Codes64::new(form.board[number(board[80])]);
    black.push_hand(&form.off_board[0], hands.0[0], extract);
    let white = Codes64::hand(&form.off_board[1], hands.0[1], extract);
    words = vector::place(words, at, black.bits);
    at += black.len;
    words = vector::place(words, at, white.bits);
    at += white.len;
    let fits = black.len <= 64 && white.len <= 64;
    if at == 256 && fits {
        vector::store(bytes, words);
        return 256;
    }
    let deposit = |bits, mask| _pdep_u64(bits, mask);
    let [a, b, c] = contents(board);
    let c = _mm256_insert_epi8::<16>(c, number(board[80]) as i8);
    let counts = counts([a, b, c]) + off_board::counts(hands, deposit);
    let boxed = off_board::boxed(FULL_SET - counts, extract);
    let rest = Codes64::hand(&form.off_board[2], boxed, extract);
    if at + rest.len == 256 && rest.len <= 64 && fits {
        vector::store(bytes, vector::place(words, at, rest.bits));
        return 256;
    }
    encode_any(position, header, expanded, boxed, form, bytes)
}

/// [`encode`] for full hands, a full box, or a missing king.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn encode_any(
    position: &Position,
    header: Header,
    expanded: &Expanded,
    boxed: Hand,
    form: &Form,
    bytes: &mut [u8; 32],
) -> u32 {
    let mut words = [header.bits(), 0, 0, 0];
    let mut at = HEADER_BITS;
    for index in 0..10 {
        let (codes, len) = group(expanded, index);
        wide::place(&mut words, at, codes);
        at += len;
    }
    let last = Codes64::new(form.board[number(position.board()[80])]);
    wide::place(&mut words, at, last.bits);
    let hands = ByColor(Color::ALL.map(|color| position.hand(color)));
    at = off_board::write(&mut words, at + last.len, hands, boxed, form);
    *bytes = wide::to_bytes(words);
    at
}

/// The squares as numbers of pieces: 0 to 31, 32 to 63, and the rest but the last.
#[target_feature(enable = "avx2")]
#[inline]
fn contents(board: &[Option<Piece>; 81]) -> [__m256i; 3] {
    [
        vector::contents::<0>(board),
        vector::contents::<32>(board),
        vector::contents_16::<64>(board),
    ]
}

#[inline(always)]
fn number(content: Option<Piece>) -> usize {
    content.map_or(0, |piece| piece as usize)
}

#[target_feature(enable = "avx2")]
#[inline]
fn expand(board: &[Option<Piece>; 81], form: &Form, expanded: &mut Expanded) {
    let black = vector::table(&form.black);
    let white = vector::table(&form.white);
    let masks = vector::table(&BOARD_MASKS);
    // Shuffling looks at the lower four bits, the kind. White's pieces have the bit above.
    let codes = |pieces: __m256i| {
        _mm256_blendv_epi8(
            _mm256_shuffle_epi8(black, pieces),
            _mm256_shuffle_epi8(white, pieces),
            _mm256_slli_epi16::<3>(pieces),
        )
    };
    let mut put = |part: usize, pieces: __m256i| {
        vector::store(&mut expanded.codes.as_chunks_mut().0[part], codes(pieces));
        let masks = _mm256_shuffle_epi8(masks, pieces);
        vector::store(&mut expanded.masks.as_chunks_mut().0[part], masks);
    };
    let [a, b, c] = contents(board);
    put(0, a);
    put(1, b);
    put(2, c);
}

/// The codes of eight squares and their length.
#[target_feature(enable = "bmi2,popcnt")]
#[inline]
fn group(expanded: &Expanded, index: usize) -> (u64, u32) {
    let word = |bytes: &[u8; 96]| u64::from_le_bytes(bytes.as_chunks().0[index]);
    let mask = word(&expanded.masks);
    (_pext_u64(word(&expanded.codes), mask), mask.count_ones())
}

// Sets and numbers of pieces.

/// [`Squares::sets`].
#[target_feature(enable = "avx2")]
pub(crate) fn sets(squares: &Squares) -> Sets {
    // Words of a bitboard take 63 squares; the second part ends one further.
    let a = vector::part::<0>(squares);
    let b = vector::part::<32>(squares);
    let c = vector::part::<63>(squares);
    let bits = |[a, b, c]: [__m256i; 3]| {
        let bits = |part| u64::from(_mm256_movemask_epi8(part) as u32);
        let low = bits(a) | (bits(b) << 32 & (u64::MAX >> 1));
        Bitboard::from_words([low, bits(c)])
    };
    let table = vector::table(&CLASSES);
    let classes = |part| _mm256_shuffle_epi8(table, part);
    let (of_a, of_b, of_c) = (classes(a), classes(b), classes(c));
    let mut sets = Sets {
        classes: [Bitboard::EMPTY; MoveClass::COUNT],
        colors: ByColor([Bitboard::EMPTY; 2]),
    };
    let mut all = Bitboard::EMPTY;
    for class in MoveClass::ALL {
        let number = _mm256_set1_epi8(class as i8 + 1);
        let is = |part| _mm256_cmpeq_epi8(part, number);
        let set = bits([is(of_a), is(of_b), is(of_c)]);
        sets.classes[class as usize] = set;
        all |= set;
    }
    // White's bit becomes the sign.
    let signs = |part| _mm256_slli_epi16::<3>(part);
    let white = bits([signs(a), signs(b), signs(c)]);
    sets.colors = ByColor([all - white, white]);
    sets
}

/// One more than the number of the class of each kind.
const CLASSES: [u8; 16] = {
    let mut classes = [0; 16];
    let mut i = 0;
    while i < PieceKind::ALL.len() {
        classes[PieceKind::ALL[i] as usize] = PieceKind::ALL[i].move_class() as u8 + 1;
        i += 1;
    }
    classes
};

/// Returns the number of pieces of each kind, see [`Squares::counts`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512bitalg,gfni")]
#[inline]
pub(crate) fn counts_512([low, high]: [__m512i; 2]) -> u64 {
    // A bit for each kind; then, for each eight squares, a byte for each kind.
    let table = vector::bytes_512(&KIND_BITS);
    let columns = _mm512_set1_epi64(0x8040201008040201_u64 as i64);
    let count = |squares| {
        let kinds = _mm512_permutexvar_epi8(squares, table);
        _mm512_popcnt_epi8(_mm512_gf2p8affine_epi64_epi8::<0>(columns, kinds))
    };
    let sum = _mm512_add_epi8(count(low), count(high));
    let sum = _mm256_add_epi8(
        _mm512_castsi512_si256(sum),
        _mm512_extracti64x4_epi64::<1>(sum),
    );
    let sum = _mm_add_epi8(
        _mm256_castsi256_si128(sum),
        _mm256_extracti128_si256::<1>(sum),
    );
    let sum = _mm_add_epi8(sum, _mm_srli_si128::<8>(sum));
    _mm_cvtsi128_si64(sum) as u64
}

/// A bit for each kind that can be in hand, by number of the piece.
const KIND_BITS: [u8; 64] = {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < 32 {
        bits[i] = (1 << (i % 8) >> 1) as u8;
        i += 1;
    }
    bits
};

/// Returns the number of pieces of each kind that can be in hand, see [`Squares::counts`].
#[target_feature(enable = "avx2,popcnt")]
#[inline]
pub(crate) fn counts(pieces: [__m256i; 3]) -> u64 {
    let kinds = |pieces| _mm256_and_si256(pieces, _mm256_set1_epi8(7));
    let [a, b, c] = [kinds(pieces[0]), kinds(pieces[1]), kinds(pieces[2])];
    let mut counts = 0;
    for kind in 1..8 {
        let wanted = _mm256_set1_epi8(kind);
        let ones = |kinds| _mm256_movemask_epi8(_mm256_cmpeq_epi8(kinds, wanted)).count_ones();
        counts |= u64::from(ones(a) + ones(b) + ones(c)) << (8 * (kind - 1));
    }
    counts
}
