//! Large arrays: a bit set, zeroed bytes in pages of their own, and slots of file offsets.

use std::ops::{Deref, DerefMut};

use hashbrown::HashMap;
use yane_base::memory::{Pages, prefetch};

use crate::bytes::u64_at;

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

// Slots: the file offset of each position, and its number of taken edges: five bytes a position.

/// The bytes of a slot.
const WIDTH: usize = 5;

/// The bits of a slot.
const BITS: u32 = 8 * WIDTH as u32;

/// The bits of the count of taken edges.
const COUNT_BITS: u32 = 6;

/// The count whose value is in another table. No board has as many moves, but a file may.
const MANY: u64 = (1 << COUNT_BITS) - 1;

/// The slots of an index: half of an offset (offsets are even), a tag of hash bits in the spare room, and a count.
#[derive(Debug)]
pub(super) struct Slots {
    bytes: ZeroedBytes,
    /// The bits of half an offset.
    offset_bits: u32,
    many: HashMap<u64, u16>,
}

impl Slots {
    /// The size of the largest file whose offsets fit.
    pub(super) const MAX_FILE: u64 = 1 << (BITS - COUNT_BITS + 1);

    pub(super) fn new(count: u64, file_len: u64) -> Self {
        let half = (file_len.saturating_sub(1) / 2).max(1);
        Self {
            // A slot is read as eight bytes.
            bytes: ZeroedBytes::new(count as usize * WIDTH + 8 - WIDTH),
            offset_bits: u64::BITS - half.leading_zeros(),
            many: HashMap::new(),
        }
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    #[inline(always)]
    fn get(&self, slot: u64) -> u64 {
        u64_at(&self.bytes, slot as usize * WIDTH) & ((1 << BITS) - 1)
    }

    fn set(&mut self, slot: u64, value: u64) {
        let at = slot as usize * WIDTH;
        self.bytes[at..at + WIDTH].copy_from_slice(&value.to_le_bytes()[..WIDTH]);
    }

    /// The tag of a hash, shifted to its place.
    #[inline(always)]
    fn tag(&self, hash: u64) -> u64 {
        let width = BITS - COUNT_BITS - self.offset_bits;
        let tag = hash & ((1 << width) - 1);
        tag << self.offset_bits
    }

    /// Fills an empty slot.
    pub(super) fn put(&mut self, slot: u64, offset: u64, hash: u64) {
        self.set(slot, (offset / 2) | self.tag(hash));
    }

    /// The offset in a slot, if the tag matches a hash.
    #[inline(always)]
    pub(super) fn offset(&self, slot: u64, hash: u64) -> Option<u64> {
        let value = self.get(slot);
        let mask = ((1 << (BITS - COUNT_BITS)) - 1) & !((1 << self.offset_bits) - 1);
        (value & mask == self.tag(hash)).then_some((value & ((1 << self.offset_bits) - 1)) * 2)
    }

    /// The offset in a slot.
    pub(super) fn place(&self, slot: u64) -> u64 {
        (self.get(slot) & ((1 << self.offset_bits) - 1)) * 2
    }

    /// Prefetches a slot, which may be out of range.
    #[inline(always)]
    pub(super) fn prefetch(&self, slot: u64) {
        if let Some(byte) = self.bytes.get((slot as usize).wrapping_mul(WIDTH)) {
            prefetch(byte);
        }
    }

    /// The number of taken edges.
    #[inline(always)]
    pub(super) fn taken(&self, slot: u64) -> usize {
        match self.get(slot) >> (BITS - COUNT_BITS) {
            MANY => self.many.get(&slot).copied().map_or(0, usize::from),
            count => count as usize,
        }
    }

    /// Takes another edge.
    #[inline(always)]
    pub(super) fn take(&mut self, slot: u64) {
        let value = self.get(slot);
        match value >> (BITS - COUNT_BITS) {
            MANY => *self.many.entry(slot).or_default() += 1,
            count => {
                if count + 1 == MANY {
                    self.many.insert(slot, MANY as u16);
                }
                self.set(slot, value + (1 << (BITS - COUNT_BITS)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_keep_their_values() {
        let mut bits = BitSet::new(130);
        for n in [0, 63, 64, 129] {
            bits.set(n);
        }
        let set: Vec<u64> = (0..200).filter(|&n| bits.has(n)).collect();
        assert_eq!(set, [0, 63, 64, 129]);
        assert_eq!((bits.add(64), bits.add(65), bits.count()), (false, true, 5));
    }

    #[test]
    fn slots_keep_offset_tag_and_count() {
        for file in [100u64, 1 << 20, 1 << 33, Slots::MAX_FILE] {
            let mut slots = Slots::new(3, file);
            let offset = file - 2;
            slots.put(0, 42, 1);
            slots.put(1, offset, 0xdead_beef_dead_beef);
            slots.put(2, 44, 2);
            for taken in 0..=256 {
                assert_eq!(slots.offset(1, 0xdead_beef_dead_beef), Some(offset));
                assert_eq!(slots.place(1), offset);
                assert_eq!(slots.taken(1), taken);
                slots.take(1);
            }
            assert_eq!((slots.taken(0), slots.taken(2)), (0, 0));
            assert_eq!(
                (slots.offset(0, 1), slots.offset(2, 2)),
                (Some(42), Some(44))
            );
            if file < 1 << 33 {
                assert_eq!(slots.offset(1, 0xdead_beef_dead_bee0), None, "another tag");
            }
        }
    }
}
