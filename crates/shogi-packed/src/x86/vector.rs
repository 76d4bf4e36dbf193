//! Arrays as vectors.

use std::arch::x86_64::*;

use crate::board::Squares;
use crate::wide::head;
use shogi_core::{File, Piece};

/// The content of a square is a byte, the number of its piece or zero: vectors of squares are vectors
/// of these numbers.
const _: () = {
    // SAFETY: both are one byte, and every byte is a `u8`.
    let empty = unsafe { std::mem::transmute::<Option<Piece>, u8>(None) };
    assert!(empty == 0);
};

/// The 32 squares from `AT` on as numbers of pieces.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn contents<const AT: usize>(board: &[Option<Piece>; 81]) -> __m256i {
    const { assert!(AT + 32 <= 81) };
    // SAFETY: the 32 bytes are within the array, and none of them is uninitialised.
    unsafe { _mm256_loadu_si256(board.as_ptr().add(AT).cast()) }
}

/// The 16 squares from `AT` on as numbers of pieces, and 16 empty ones.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn contents_16<const AT: usize>(board: &[Option<Piece>; 81]) -> __m256i {
    const { assert!(AT + 16 <= 81) };
    // SAFETY: the 16 bytes are within the array, and none of them is uninitialised.
    _mm256_zextsi128_si256(unsafe { _mm_loadu_si128(board.as_ptr().add(AT).cast()) })
}

/// A table of 16 bytes in both halves of a vector, as shuffling bytes wants it.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn table(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: the array has the 16 bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

/// 32 bytes as a vector.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn bytes(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the array has the 32 bytes.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// Four words as a vector.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn words(words: &[u64; 4]) -> __m256i {
    // SAFETY: the array has the 32 bytes.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

/// A vector as bytes.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn store(bytes: &mut [u8; 32], vector: __m256i) {
    // SAFETY: the array has the 32 bytes.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) };
}

/// A vector as 64 bytes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn store_512(bytes: &mut [u8; 64], vector: __m512i) {
    // SAFETY: the array has the 64 bytes.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) };
}

/// A vector as words.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn to_words(vector: __m256i) -> [u64; 4] {
    // SAFETY: both are 32 bytes without padding, and every bit pattern is four words.
    unsafe { std::mem::transmute(vector) }
}

/// 128 bytes as two vectors.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn halves(bytes: &[u8; 128]) -> [__m512i; 2] {
    let start: *const u8 = bytes.as_ptr();
    // SAFETY: the array has the 64 bytes, and 64 more.
    unsafe {
        [
            _mm512_loadu_si512(start.cast()),
            _mm512_loadu_si512(start.add(64).cast()),
        ]
    }
}

/// 64 bytes as a vector.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn bytes_512(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the array has the 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// 16 words as two vectors.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn words_1024(words: &[u64; 16]) -> [__m512i; 2] {
    let (words, _) = words.as_chunks();
    [eight_words(&words[0]), eight_words(&words[1])]
}

/// Eight words as a vector.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn eight_words(words: &[u64; 8]) -> __m512i {
    // SAFETY: the array has the 64 bytes.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// Eight bytes as words of a vector.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn eight_bytes(bytes: &[u8; 8]) -> __m512i {
    // SAFETY: the array has the eight bytes.
    _mm512_cvtepu8_epi64(unsafe { _mm_loadl_epi64(bytes.as_ptr().cast()) })
}

/// Eight codes of moves as a vector.
#[target_feature(enable = "sse2")]
#[inline]
pub(crate) fn eight_codes(codes: [u16; 8]) -> __m128i {
    // SAFETY: both are 16 bytes without padding, and every bit pattern is a vector.
    unsafe { std::mem::transmute(codes) }
}

/// A vector as eight codes of moves.
#[target_feature(enable = "sse2")]
#[inline]
pub(crate) fn store_codes(codes: &mut [u16; 8], vector: __m128i) {
    // SAFETY: the array has the 16 bytes.
    unsafe { _mm_storeu_si128(codes.as_mut_ptr().cast(), vector) };
}

/// A vector as eight words.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn store_words(words: &mut [u64; 8], vector: __m512i) {
    // SAFETY: the array has the 64 bytes.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) };
}

/// As [`put`] for half as many bytes; nothing from byte 160 on.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn put_256(bytes: &mut [u8; 192], at: u8, vector: __m256i) {
    let at = usize::from(at).min(160);
    // SAFETY: the 32 bytes from `at` on are within the array.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().add(at).cast(), vector) };
}

/// Eight times word `i`, 3 at most, the last time the bits from the word's last byte on.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn eights(bytes: &[u8; 32], i: usize) -> __m512i {
    // Loads out of memory go to all parts of a vector at no more cost than to one.
    let start: *const u8 = bytes.as_ptr();
    if i < 3 {
        // SAFETY: the eight bytes from byte 16 + 7 on are the last of the array.
        let (word, last) = unsafe {
            (
                _mm_loadl_epi64(start.add(8 * i).cast()),
                _mm_loadl_epi64(start.add(8 * i + 7).cast()),
            )
        };
        let eights = _mm512_broadcastq_epi64(word);
        _mm512_mask_broadcastq_epi64(eights, 1 << 7, last)
    } else {
        // SAFETY: the array has four times eight bytes.
        let word = unsafe { _mm_loadl_epi64(start.add(24).cast()) };
        let eights = _mm512_broadcastq_epi64(word);
        _mm512_mask_set1_epi64(eights, 1 << 7, bytes[31].into())
    }
}

/// Writes a vector from byte `at` on; nothing from byte 128 on.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn put(bytes: &mut [u8; 192], at: u8, vector: __m512i) {
    let at = usize::from(at).min(128);
    // SAFETY: the 64 bytes from `at` on are within the array.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().add(at).cast(), vector) };
}

/// The first 32 bytes of records, of two of them in each row.
#[target_feature(enable = "avx2,avx512f")]
#[inline]
pub(crate) fn rows<const N: usize>(records: &[[u8; N]; 64]) -> [__m512i; 32] {
    let mut rows = [_mm512_setzero_si512(); 32];
    for (row, [even, odd]) in rows.iter_mut().zip(records.as_chunks::<2>().0) {
        // SAFETY: the arrays have the 32 bytes.
        let (even, odd) = unsafe {
            (
                _mm256_loadu_si256(head(even).as_ptr().cast()),
                _mm256_loadu_si256(head(odd).as_ptr().cast()),
            )
        };
        *row = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(even), odd);
    }
    rows
}

/// Rows of 64 bytes as words.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn store_rows(words: &mut [[u64; 4]; 64], rows: &[__m512i; 32]) {
    let start = words.as_mut_ptr();
    for (i, row) in rows.iter().enumerate() {
        // SAFETY: the array has 32 times 64 bytes.
        unsafe { _mm512_storeu_si512(start.add(2 * i).cast(), *row) };
    }
}

/// Squares 0 to 31, 32 to 63, and the rest; zeros beyond.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn squares([a, b, c]: [__m256i; 3]) -> Squares {
    // SAFETY: both are 128 bytes without padding, and every bit pattern is bytes.
    unsafe { std::mem::transmute([a, b, c, _mm256_setzero_si256()]) }
}

/// The 32 squares from `AT` on; zeros beyond the board.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn part<const AT: usize>(squares: &Squares) -> __m256i {
    const { assert!(AT + 32 <= 128) };
    // SAFETY: the 32 bytes are within the array.
    unsafe { _mm256_loadu_si256(squares.0.as_ptr().add(AT).cast()) }
}

/// The nine squares of a file, and seven more.
#[target_feature(enable = "sse2")]
#[inline]
pub(crate) fn from_file(squares: &Squares, file: File) -> __m128i {
    let start = 9 * file.index();
    let squares = &squares.0[start..start + 16];
    // SAFETY: the slice has the 16 bytes.
    unsafe { _mm_loadu_si128(squares.as_ptr().cast()) }
}

/// Squares 0 to 63, and the rest.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn squares_512(halves: [__m512i; 2]) -> Squares {
    // SAFETY: both are 128 bytes without padding, and every bit pattern is bytes.
    unsafe { std::mem::transmute(halves) }
}

/// The words one place lower.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn next_words(words: __m256i) -> __m256i {
    _mm256_blend_epi32::<0b11000000>(
        _mm256_permute4x64_epi64::<0b00_11_10_01>(words),
        _mm256_setzero_si256(),
    )
}

/// All bits `N` places lower; `next` are [`next_words`].
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn down<const N: i32, const REST: i32>(words: __m256i, next: __m256i) -> __m256i {
    const { assert!(N + REST == 64) };
    _mm256_or_si256(
        _mm256_srli_epi64::<N>(words),
        _mm256_slli_epi64::<REST>(next),
    )
}

/// 64 ones from each bit on.
#[repr(align(64))]
struct Windows([[u64; 4]; 256]);

static WINDOWS: Windows = {
    let mut windows = [[0; 4]; 256];
    let mut at = 0;
    while at < 256 {
        windows[at][at / 64] = u64::MAX << (at % 64);
        if at / 64 < 3 {
            windows[at][at / 64 + 1] = !(u64::MAX << (at % 64));
        }
        at += 1;
    }
    Windows(windows)
};

/// `words` with `bits` from bit `at` on; `at` counts modulo 256.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn place(vector: __m256i, at: u32, bits: u64) -> __m256i {
    let window = words(&WINDOWS.0[at as usize % 256]);
    let everywhere = _mm256_set1_epi64x(bits.rotate_left(at) as i64);
    _mm256_or_si256(vector, _mm256_and_si256(everywhere, window))
}
