//! A stream of 256 bits, least significant bit of each byte first.

/// Writes bits; counts on when the 256 are full.
pub(super) struct BitWriter {
    words: [u64; 4],
    len: usize,
}

impl BitWriter {
    pub(super) const fn new() -> Self {
        Self {
            words: [0; 4],
            len: 0,
        }
    }

    /// Appends the low `count` bits of `value`, the lowest first; its other bits are zero.
    #[inline]
    pub(super) fn write(&mut self, value: u32, count: usize) {
        debug_assert!(u64::from(value) < 1 << count);
        let (word, shift) = (self.len / 64, self.len % 64);
        // As two words, so that a value across their border needs no special case.
        let bits = u128::from(value) << shift;
        if let Some(low) = self.words.get_mut(word) {
            *low |= bits as u64;
        }
        if let Some(high) = self.words.get_mut(word + 1) {
            *high |= (bits >> 64) as u64;
        }
        self.len += count;
    }

    /// The 32 bytes; the number of bits written when they are not exactly 256.
    pub(super) fn finish(self) -> Result<[u8; 32], usize> {
        if self.len != 256 {
            return Err(self.len);
        }
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(self.words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }
}

/// Reads bits.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8; 32],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(super) const fn new(bytes: &'a [u8; 32]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Number of bits read so far.
    pub(super) const fn position(&self) -> usize {
        self.at
    }

    /// The next 8 bits without moving on, zeros beyond the end.
    pub(super) fn peek(&self) -> u8 {
        let byte = |index: usize| u16::from(self.bytes.get(index).copied().unwrap_or(0));
        let both = byte(self.at / 8) | byte(self.at / 8 + 1) << 8;
        (both >> (self.at % 8)) as u8
    }

    /// Moves on by `count` bits; `None` beyond the end.
    pub(super) fn skip(&mut self, count: usize) -> Option<()> {
        self.at += count;
        (self.at <= 256).then_some(())
    }

    /// The next `count` bits (8 at most).
    pub(super) fn read(&mut self, count: usize) -> Option<u32> {
        let value = u32::from(self.peek()) & ((1 << count) - 1);
        self.skip(count)?;
        Some(value)
    }
}
