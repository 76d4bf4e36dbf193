//! A minimal perfect hash: for each key of a set a number of its own, in little more than half a byte a key.
//!
//! Levels of bits, each twice as many as keys that have not found a place yet. A key hashes to one bit of a level; if
//! no other key of the level does, the bit is set and the key's number is how many bits are set before it. The
//! others go to the next level. Keys that never are alone, which repeated ones cannot be, are left over.
//!
//! The first level, which most keys find their place in, is made while keys come by, so that nobody has to keep them.

use yane_io::prefetch;

use super::zeros::Zeros;
use crate::bytes::u64_at;

/// Levels. What is left then is one key in two thousand million, or occurs twice.
const LEVELS: usize = 24;

/// Bits of a level for each of its keys.
const BITS_PER_KEY: u64 = 2;

/// Words of bits in a block.
const WORDS: usize = 6;

/// Bits of those.
const BITS: u64 = 64 * WORDS as u64;

/// Bits of a count within a block.
const COUNT_BITS: usize = 9;

/// Levels that are larger than what is near the processor. Each is two fifths of the one before.
const LARGE: usize = 4;

/// Keys that are looked up together.
pub(super) const TOGETHER: usize = 32;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Perfect {
    levels: Vec<Level>,
    len: u64,
}

/// Bytes of a block: how many bits are set before it, those of earlier levels included; how many are set before each of
/// its words, nine bits for each; the words. A line of the processor's cache, so that memory is waited for once.
const BLOCK: usize = 8 * (2 + WORDS);

#[derive(Debug)]
struct Level {
    bytes: Zeros,
    /// Where the first block begins, so that none lies across lines.
    start: usize,
    blocks: usize,
}

/// A bit of a level.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Where its block begins.
    block: usize,
    word: usize,
    bit: u64,
}

impl Level {
    fn new(blocks: usize) -> Self {
        let bytes = Zeros::new((blocks + 1) * BLOCK);
        let start = bytes.as_ptr().align_offset(BLOCK).min(BLOCK);
        Self {
            bytes,
            start,
            blocks,
        }
    }

    /// The bit of a key.
    #[inline(always)]
    fn place(&self, number: usize, key: u64) -> Place {
        let hash = mix(key, number);
        let bit = ((hash & 0xffff_ffff) * BITS) >> 32;
        let block = ((u128::from(hash) * self.blocks as u128) >> 64) as usize;
        Place {
            block: self.start + block * BLOCK,
            word: (bit / 64) as usize,
            bit: 1 << (bit % 64),
        }
    }

    /// Where the word of a place is.
    #[inline(always)]
    const fn word(place: Place) -> usize {
        place.block + 8 * (2 + place.word)
    }

    /// The number of the key that has a bit; [`NONE`] if no key has.
    #[inline(always)]
    fn number(&self, place: Place) -> u64 {
        let bits = u64_at(&self.bytes, Self::word(place));
        let before = u64_at(&self.bytes, place.block);
        let before_words = u64_at(&self.bytes, place.block + 8);
        let words = before_words >> (COUNT_BITS * place.word) & ((1 << COUNT_BITS) - 1);
        let below = (bits & (place.bit - 1)).count_ones();
        let number = before + words + u64::from(below);
        if bits & place.bit == 0 { NONE } else { number }
    }

    /// Asks for the block of a place.
    #[inline(always)]
    fn prefetch(&self, place: Place) {
        if let Some(byte) = self.bytes.get(place.block) {
            prefetch(byte);
        }
    }

    fn set(&mut self, at: usize, word: u64) {
        self.bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
}

/// No number.
pub(super) const NONE: u64 = u64::MAX;

/// Another hash of the same key for each level.
#[inline(always)]
fn mix(key: u64, level: usize) -> u64 {
    let mut hash = key.wrapping_add((level as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
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
        self.levels.iter().map(|level| level.bytes.len()).sum()
    }

    /// The number of a key of the set. For other keys any number, or [`NONE`].
    #[inline]
    pub(super) fn find(&self, key: u64) -> u64 {
        let numbers = self.levels.iter().enumerate();
        let mut numbers = numbers.map(|(n, level)| level.number(level.place(n, key)));
        numbers.find(|&number| number != NONE).unwrap_or(NONE)
    }

    /// Asks for the lines that finding a key looks at first.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        for (n, level) in self.levels.iter().take(2).enumerate() {
            level.prefetch(level.place(n, key));
        }
    }

    /// [`find`](Self::find) for several keys, level by level, so that the waits for memory overlap. The large levels
    /// are asked for while the one before is looked at.
    #[inline]
    pub(super) fn find_together(&self, keys: &[u64], numbers: &mut [u64; TOGETHER]) {
        numbers.fill(NONE);
        let Some(first) = self.levels.first() else {
            return;
        };
        // Which keys have no number yet, and their places at the level.
        let mut left: [u8; TOGETHER] = std::array::from_fn(|n| n as u8);
        let mut left_count = keys.len().min(TOGETHER);
        let mut places = [Place::default(); TOGETHER];
        for (place, &key) in places.iter_mut().zip(keys) {
            *place = first.place(0, key);
            self.prefetch(key);
        }
        for (n, level) in self.levels.iter().enumerate() {
            let mut still = 0;
            for at in 0..left_count {
                let key = left[at];
                let number = level.number(places[at]);
                numbers[usize::from(key)] = number;
                // Without a branch, which would be a coin's toss.
                left[still] = key;
                still += usize::from(number == NONE);
            }
            left_count = still;
            let Some(next) = self.levels.get(n + 1).filter(|_| left_count > 0) else {
                break;
            };
            for (place, &key) in places.iter_mut().zip(&left[..left_count]) {
                *place = next.place(n + 1, keys[usize::from(key)]);
            }
            if let Some(third) = self.levels.get(n + 2).filter(|_| n < LARGE - 2) {
                for &key in &left[..left_count] {
                    third.prefetch(third.place(n + 2, keys[usize::from(key)]));
                }
            }
        }
    }

    /// Adds levels for the keys that have no number.
    pub(super) fn add_levels(&mut self, mut keys: Vec<u64>) {
        while !keys.is_empty() && self.levels.len() < LEVELS {
            let mut building = Building::new(self.levels.len(), keys.len() as u64);
            for keys in keys.chunks(TOGETHER) {
                building.add(keys);
            }
            let before = self.len;
            self.add(building);
            // Only repeated keys, which no level parts.
            if self.len == before {
                break;
            }
            let (n, level) = (self.levels.len() - 1, &self.levels[self.levels.len() - 1]);
            let mut kept = 0;
            for at in 0..keys.len() {
                if let Some(&ahead) = keys.get(at + TOGETHER) {
                    level.prefetch(level.place(n, ahead));
                }
                let key = keys[at];
                keys[kept] = key;
                kept += usize::from(level.number(level.place(n, key)) == NONE);
            }
            keys.truncate(kept);
        }
    }

    fn add(&mut self, building: Building) {
        self.levels.push(building.finish(&mut self.len));
    }
}

/// A level while keys come in.
pub(super) struct Building {
    level: Level,
    /// Places of several keys, laid out as the level.
    shared: Zeros,
    number: usize,
}

impl Building {
    /// The first level of a hash for about so many keys.
    pub(super) fn first(keys: u64) -> Self {
        Self::new(0, keys)
    }

    fn new(number: usize, keys: u64) -> Self {
        let blocks = (keys * BITS_PER_KEY).div_ceil(BITS).max(1) as usize;
        let level = Level::new(blocks);
        Self {
            shared: Zeros::new(level.bytes.len()),
            level,
            number,
        }
    }

    /// Takes keys in, up to [`TOGETHER`].
    #[inline]
    pub(super) fn add(&mut self, keys: &[u64]) {
        let mut places = [Place::default(); TOGETHER];
        let places = &mut places[..keys.len().min(TOGETHER)];
        for (place, &key) in places.iter_mut().zip(keys) {
            *place = self.level.place(self.number, key);
            self.level.prefetch(*place);
            if let Some(byte) = self.shared.get(place.block) {
                prefetch(byte);
            }
        }
        for &place in &*places {
            let at = Level::word(place);
            let word = u64_at(&self.level.bytes, at);
            let shared = u64_at(&self.shared, at) | word & place.bit;
            self.shared[at..at + 8].copy_from_slice(&shared.to_le_bytes());
            self.level.set(at, word | place.bit);
        }
    }

    /// A hash of this level alone; keys that have no number there want others
    /// ([`add_levels`](Perfect::add_levels)).
    pub(super) fn into_perfect(self) -> Perfect {
        let mut perfect = Perfect::default();
        perfect.add(self);
        perfect
    }

    fn finish(mut self, len: &mut u64) -> Level {
        for block in 0..self.level.blocks {
            let block = self.level.start + block * BLOCK;
            let (before, mut before_words) = (*len, 0);
            for word in 0..WORDS {
                before_words |= (*len - before) << (COUNT_BITS * word);
                let at = block + 8 * (2 + word);
                let bits = u64_at(&self.level.bytes, at) & !u64_at(&self.shared, at);
                self.level.set(at, bits);
                *len += u64::from(bits.count_ones());
            }
            self.level.set(block, before);
            self.level.set(block + 8, before_words);
        }
        self.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(keys: &[u64]) -> Perfect {
        let mut first = Building::first(keys.len() as u64);
        for keys in keys.chunks(TOGETHER) {
            first.add(keys);
        }
        let mut perfect = first.into_perfect();
        let left = |key: &u64| perfect.find(*key) == NONE;
        let left = keys.iter().copied().filter(left).collect();
        perfect.add_levels(left);
        perfect
    }

    /// Several at once are what they are one by one.
    fn find_all(perfect: &Perfect, keys: &[u64]) -> Vec<u64> {
        let mut all = Vec::new();
        for keys in keys.chunks(TOGETHER) {
            let mut numbers = [0; TOGETHER];
            perfect.find_together(keys, &mut numbers);
            all.extend(&numbers[..keys.len()]);
        }
        assert!(
            all.iter()
                .zip(keys)
                .all(|(&n, &key)| n == perfect.find(key))
        );
        all.retain(|&number| number != NONE);
        all
    }

    #[test]
    fn every_key_has_a_number_of_its_own() {
        for count in [0, 1, 2, 10, 1000, 100_000u64] {
            let keys: Vec<u64> = (0..count).map(|n| mix(n, 7)).collect();
            let perfect = build(&keys);
            let mut numbers = find_all(&perfect, &keys);
            assert_eq!(numbers.len() as u64, perfect.len());
            assert_eq!(perfect.len(), count);
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count));
            if count >= 100_000 {
                assert!(
                    (perfect.bytes() as u64) < count * 9 / 16,
                    "half a byte a key"
                );
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
            assert!(perfect.find(*key) < 990);
        }
        assert_eq!(build(&[5, 5]).len(), 0);
    }
}
