//! 256 bits as four words, lowest first.

/// The 32 bytes that a record begins with.
#[inline(always)]
pub(crate) const fn head<const N: usize>(record: &[u8; N]) -> &[u8; 32] {
    const { assert!(N >= 32) };
    record.first_chunk().expect("N is large enough")
}

/// The 32 bytes as words.
#[inline(always)]
pub(crate) fn from_bytes(bytes: &[u8; 32]) -> [u64; 4] {
    // Not `map`: the compiler leaves that one a call where it matters most.
    let (words, _) = bytes.as_chunks::<8>();
    [
        u64::from_le_bytes(words[0]),
        u64::from_le_bytes(words[1]),
        u64::from_le_bytes(words[2]),
        u64::from_le_bytes(words[3]),
    ]
}

/// The words as 32 bytes.
#[inline(always)]
pub(crate) fn to_bytes(words: [u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let (chunks, _) = bytes.as_chunks_mut::<8>();
    for (chunk, word) in chunks.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    bytes
}

/// Sets the bits of `bits` from bit `at` on; those beyond the 256 are lost.
#[inline(always)]
pub(crate) fn place(words: &mut [u64; 4], at: u32, bits: u64) {
    let (word, shift) = ((at / 64) as usize, at % 64);
    if let Some(low) = words.get_mut(word) {
        *low |= bits << shift;
    }
    if let Some(high) = words.get_mut(word + 1) {
        *high |= bits >> 1 >> (63 - shift);
    }
}

/// The 64 bits from bit `at` on; `at` is below 320.
#[inline(always)]
pub(crate) fn window(words: &[u64; 6], at: u32) -> u64 {
    let (word, shift) = ((at / 64) as usize, at % 64);
    words[word] >> shift | words[word + 1] << 1 << (63 - shift)
}

/// The lowest bits of `bits`, in order, at the places of the ones of `mask`.
#[inline(always)]
pub(crate) fn deposit(mut bits: u64, mut mask: u64) -> u64 {
    let mut placed = 0;
    while mask != 0 {
        placed |= (bits & 1) * (mask & mask.wrapping_neg());
        bits >>= 1;
        mask &= mask - 1;
    }
    placed
}

/// The bits of `bits` at the ones of `mask`, put together at the lowest places.
#[inline(always)]
pub(crate) const fn extract(bits: u64, mut mask: u64) -> u64 {
    let (mut found, mut at) = (0, 0);
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        found |= ((bits & lowest != 0) as u64) << at;
        mask ^= lowest;
        at += 1;
    }
    found
}

/// A table that begins where a line of the cache does, so that none of its parts of 64 bytes is in two of them.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);
