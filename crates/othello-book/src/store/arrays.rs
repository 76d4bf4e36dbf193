//! Large arrays: a bit set, and zeroed bytes in pages of their own.

use std::ops::{Deref, DerefMut};

use yane_mem::Pages;

/// A bit set of fixed capacity.
#[derive(Debug)]
pub(crate) struct BitSet(Vec<u64>);

impl BitSet {
    pub(crate) fn new(count: u64) -> Self {
        Self(vec![0; count.div_ceil(64) as usize])
    }

    pub(crate) fn set(&mut self, n: u64) {
        if let Some(word) = self.0.get_mut((n / 64) as usize) {
            *word |= 1 << (n % 64);
        }
    }

    /// Sets a bit and returns whether it was clear.
    pub(crate) fn add(&mut self, n: u64) -> bool {
        let is_new = !self.has(n);
        self.set(n);
        is_new
    }

    /// Inverts all bits.
    pub(crate) fn invert(&mut self) {
        self.0.iter_mut().for_each(|word| *word = !*word);
    }

    /// The number of set bits.
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    pub(crate) fn has(&self, n: u64) -> bool {
        let word = self.0.get((n / 64) as usize);
        word.is_some_and(|word| word >> (n % 64) & 1 != 0)
    }
}

/// The least length of arrays with pages of their own.
const LARGE: usize = 2 << 20;

/// Zeroed bytes, in large pages where the system has them.
#[derive(Debug)]
pub(super) enum ZeroedBytes {
    Pages(Pages),
    Heap(Vec<u8>),
}

impl ZeroedBytes {
    pub(super) fn new(len: usize) -> Self {
        let pages = (len >= LARGE).then(|| Pages::zeros(len));
        match pages {
            Some(Ok(pages)) => Self::Pages(pages),
            _ => Self::Heap(vec![0; len]),
        }
    }
}

impl Deref for ZeroedBytes {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Pages(pages) => pages,
            Self::Heap(bytes) => bytes,
        }
    }
}

impl DerefMut for ZeroedBytes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Pages(pages) => pages,
            Self::Heap(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_as_they_were_set() {
        let mut bits = BitSet::new(130);
        for n in [0, 63, 64, 129] {
            bits.set(n);
        }
        let set: Vec<u64> = (0..200).filter(|&n| bits.has(n)).collect();
        assert_eq!(set, [0, 63, 64, 129]);
        assert_eq!((bits.add(64), bits.add(65), bits.count()), (false, true, 5));
    }
}
