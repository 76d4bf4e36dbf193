//! A minimal perfect hash: for each key of a set a number of its own, in half a byte a key.
//!
//! Levels of bits, each twice as many as keys that have not found a place yet. A key hashes to one bit of a level; if
//! no other key of the level does, the bit is set and the key's number is how many bits are set before it. The
//! others go to the next level. Keys that never are alone, which repeated ones cannot be, are left over.

/// Levels. What is left then is one key in two thousand million, or occurs twice.
const LEVELS: u32 = 24;

/// Bits of a level for each of its keys.
const BITS_PER_KEY: u64 = 2;

/// Words between two counts of bits.
const BLOCK: usize = 8;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Perfect {
    levels: Vec<Level>,
    len: u64,
}

#[derive(Debug, Default)]
struct Level {
    bits: Vec<u64>,
    /// Bits set before each block, those of earlier levels included.
    before: Vec<u64>,
}

impl Level {
    /// The bit of a key.
    #[inline(always)]
    fn place(&self, number: u32, key: u64) -> u64 {
        let size = self.bits.len() as u64 * 64;
        ((u128::from(mix(key, number)) * u128::from(size)) >> 64) as u64
    }

    #[inline(always)]
    fn is_set(&self, place: u64) -> bool {
        self.bits[(place / 64) as usize] >> (place % 64) & 1 != 0
    }

    /// How many bits are set before a place.
    #[inline(always)]
    fn rank(&self, place: u64) -> u64 {
        let word = (place / 64) as usize;
        let block = word / BLOCK;
        let whole = &self.bits[block * BLOCK..word];
        let ones: u32 = whole.iter().map(|word| word.count_ones()).sum();
        let below = self.bits[word] & ((1 << (place % 64)) - 1);
        self.before[block] + u64::from(ones) + u64::from(below.count_ones())
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
        let words = self.levels.iter().map(|l| l.bits.len() + l.before.len());
        words.sum::<usize>() * 8
    }

    /// The number of a key of the set. For other keys any number, or none.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u64> {
        for (number, level) in (0..).zip(&self.levels) {
            let place = level.place(number, key);
            if level.is_set(place) {
                return Some(level.rank(place));
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
            let placed = level.bits.iter().map(|word| u64::from(word.count_ones()));
            let placed = placed.sum::<u64>();
            left = left.saturating_sub(placed);
            perfect.len += placed;
            perfect.levels.push(level);
            match &mut list {
                Some(list) => list.retain(|&key| perfect.find(key).is_none()),
                None if left <= count / 8 => {
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
    shared: Vec<u64>,
    number: u32,
}

impl<'a> Building<'a> {
    fn new(perfect: &'a Perfect, keys: u64) -> Self {
        let words = (keys * BITS_PER_KEY).div_ceil(64).max(1) as usize;
        let words = words.next_multiple_of(BLOCK);
        Self {
            perfect,
            level: Level {
                bits: vec![0; words],
                before: Vec::new(),
            },
            shared: vec![0; words],
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
        let (word, bit) = ((place / 64) as usize, 1 << (place % 64));
        self.shared[word] |= self.level.bits[word] & bit;
        self.level.bits[word] |= bit;
    }

    fn finish(mut self) -> Level {
        let mut rank = self.perfect.len;
        for (words, shared) in self
            .level
            .bits
            .chunks_mut(BLOCK)
            .zip(self.shared.chunks(BLOCK))
        {
            self.level.before.push(rank);
            for (word, shared) in words.iter_mut().zip(shared) {
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
