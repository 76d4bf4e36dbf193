//! A minimal perfect hash: for each key of a set a number of its own, in half a byte a key.
//!
//! Levels of bits, each twice as many as keys that have not found a place yet. A key hashes to one bit of a level; if
//! no other key of the level does, the bit is set and the key's number is how many bits are set before it. The
//! others go to the next level. Keys that never are alone, which repeated ones cannot be, are left over.

/// Levels. What is left then is one key in two thousand million, or occurs twice.
const LEVELS: u32 = 24;

/// Bits of a level for each of its keys.
const BITS_PER_KEY: u64 = 2;

/// Words of bits between two counts.
const WORDS: usize = 7;

/// Bits of those.
const BITS: u64 = 64 * WORDS as u64;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Perfect {
    levels: Vec<Level>,
    len: u64,
}

/// Bits, and how many are set before them, those of earlier levels included. A line of the processor's cache, so that
/// memory is waited for once.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Block {
    before: u64,
    bits: [u64; WORDS],
}

#[derive(Debug, Default)]
struct Level {
    blocks: Vec<Block>,
}

/// A bit of a level.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    word: usize,
    bit: u64,
}

impl Level {
    /// The bit of a key.
    #[inline(always)]
    fn place(&self, number: u32, key: u64) -> Place {
        let hash = mix(key, number);
        let blocks = self.blocks.len() as u64;
        let bit = ((hash & 0xffff_ffff) * BITS) >> 32;
        Place {
            block: ((u128::from(hash) * u128::from(blocks)) >> 64) as usize,
            word: (bit / 64) as usize,
            bit: 1 << (bit % 64),
        }
    }
}

impl Block {
    /// How many bits are set before one.
    #[inline(always)]
    fn rank(&self, place: Place) -> u64 {
        let whole = self.bits.iter().take(place.word);
        let ones: u32 = whole.map(|word| word.count_ones()).sum();
        let below = self.bits[place.word] & (place.bit - 1);
        self.before + u64::from(ones + below.count_ones())
    }
}

/// Another hash of the same key for each level.
#[inline(always)]
fn mix(key: u64, level: u32) -> u64 {
    let mut hash = key.wrapping_add(u64::from(level + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ hash >> 32
}

impl Perfect {
    /// How many keys have a number.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// The bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let blocks = self.levels.iter().map(|level| level.blocks.len());
        blocks.sum::<usize>() * size_of::<Block>()
    }

    /// The number of a key of the set. For other keys any number, or none.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u64> {
        for (number, level) in (0..).zip(&self.levels) {
            let place = level.place(number, key);
            let block = &level.blocks[place.block];
            if block.bits[place.word] & place.bit != 0 {
                return Some(block.rank(place));
            }
        }
        None
    }

    /// The hash of `count` keys. `keys` goes through all of them each time it is called, in any order; `check` is
    /// called now and then and may stop the work.
    pub(super) fn build<E>(
        count: u64,
        mut keys: impl FnMut(&mut dyn FnMut(u64)) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut perfect = Self::default();
        let mut left = count;
        // Keys without a place, once they are few.
        let mut list: Option<Vec<u64>> = None;
        while left > 0 && perfect.levels.len() < LEVELS as usize {
            let mut building = Building::new(&perfect, left);
            match &list {
                Some(list) => list.iter().for_each(|&key| building.add(key)),
                None => keys(&mut |key| building.add_unplaced(key))?,
            }
            let level = building.finish();
            let words = level.blocks.iter().flat_map(|block| block.bits);
            let placed = words.map(|word| u64::from(word.count_ones())).sum();
            left = left.saturating_sub(placed);
            perfect.len += placed;
            perfect.levels.push(level);
            match &mut list {
                Some(list) => list.retain(|&key| perfect.find(key).is_none()),
                // Less memory than the book's slots will take.
                None if left <= count / 2 => {
                    let mut few = Vec::new();
                    keys(&mut |key| {
                        if perfect.find(key).is_none() {
                            few.push(key);
                        }
                    })?;
                    list = Some(few);
                }
                None => {}
            }
            // Only repeated keys, which no level parts.
            if placed == 0 {
                break;
            }
        }
        Ok(perfect)
    }
}

/// A level while keys come in.
struct Building<'a> {
    perfect: &'a Perfect,
    level: Level,
    /// Places of several keys.
    shared: Vec<[u64; WORDS]>,
    number: u32,
}

impl<'a> Building<'a> {
    fn new(perfect: &'a Perfect, keys: u64) -> Self {
        let blocks = (keys * BITS_PER_KEY).div_ceil(BITS).max(1) as usize;
        Self {
            perfect,
            level: Level {
                blocks: vec![Block::default(); blocks],
            },
            shared: vec![[0; WORDS]; blocks],
            number: perfect.levels.len() as u32,
        }
    }

    fn add_unplaced(&mut self, key: u64) {
        if self.perfect.find(key).is_none() {
            self.add(key);
        }
    }

    #[inline]
    fn add(&mut self, key: u64) {
        let place = self.level.place(self.number, key);
        let word = &mut self.level.blocks[place.block].bits[place.word];
        self.shared[place.block][place.word] |= *word & place.bit;
        *word |= place.bit;
    }

    fn finish(mut self) -> Level {
        let mut rank = self.perfect.len;
        for (block, shared) in self.level.blocks.iter_mut().zip(&self.shared) {
            block.before = rank;
            for (word, shared) in block.bits.iter_mut().zip(shared) {
                *word &= !shared;
                rank += u64::from(word.count_ones());
            }
        }
        self.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(keys: &[u64]) -> Perfect {
        let through = |each: &mut dyn FnMut(u64)| {
            for &key in keys {
                each(key);
            }
            Ok::<(), ()>(())
        };
        Perfect::build(keys.len() as u64, through).unwrap()
    }

    #[test]
    fn every_key_has_a_number_of_its_own() {
        for count in [0, 1, 2, 10, 1000, 100_000] {
            let keys: Vec<u64> = (0..count).map(|n| mix(n, 7)).collect();
            let perfect = build(&keys);
            let mut numbers: Vec<_> = keys.iter().filter_map(|&key| perfect.find(key)).collect();
            assert_eq!(numbers.len() as u64, perfect.len());
            assert_eq!(perfect.len(), count);
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count));
            if count >= 100_000 {
                assert!((perfect.bytes() as u64) < count / 2, "half a byte a key");
            }
        }
    }

    #[test]
    fn repeated_keys_are_left_over() {
        let mut keys: Vec<u64> = (0..1000).map(|n| mix(n, 3)).collect();
        keys.extend_from_within(..10);
        let perfect = build(&keys);
        assert_eq!(perfect.len(), 990);
        for key in &keys[10..1000] {
            assert!(perfect.find(*key).is_some_and(|number| number < 990));
        }
        assert_eq!(build(&[5, 5]).len(), 0);
    }
}
