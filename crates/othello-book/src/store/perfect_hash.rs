//! A minimal perfect hash: a distinct number for each key of a set, in little more than half a byte a key.
//!
//! A key hashes to one cache line, which it shares with about a hundred others, and to one bit of each of four steps in
//! that line, each half as long as the one before. If no other key has its bit of the first step, the bit is set and
//! the key's number is the number of bits set before it; the others try the next step. The three in a thousand that
//! collide at all four go to another, much smaller level of lines. Keys that always collide, such as duplicates, get no
//! number. So nearly any key is found with one access to memory, in one page.
//!
//! The first step, which places most keys, is computed while keys stream by, so that they need not be stored.

use yane_base::memory::prefetch;
use yane_base::random::{GOLDEN_GAMMA, mix_round};

use crate::bytes::u64_at;
use crate::store::arrays::ZeroedBytes;

/// The number of levels. Three keys in a thousand are left after each.
const LEVELS: usize = 8;

/// The average number of keys a line.
const KEYS_PER_LINE: u64 = 116;

/// The bytes of a line: the four steps of 256, 128, 64 and 32 bits, then 31 bits for the number of bits set before the
/// line, earlier levels included, and one that tells whether keys of the line are at the next level.
const LINE: usize = 64;

/// The 64-bit words of a line.
const WORDS: usize = LINE / 8;

/// The steps of a level.
const STEPS: usize = 4;

/// The bits of a place in a line.
const PLACE_BITS: usize = 9;

/// The shift of the count in the last word.
const COUNT_AT: u32 = 32;

/// The bit of the last word that marks keys at the next level.
const MORE: u64 = 1 << 63;

/// The number of keys that are processed together.
pub(super) const TOGETHER: usize = 64;

/// The number of keys that have none.
pub(super) const NONE: u64 = u64::MAX;

/// A minimal perfect hash (see the module).
#[derive(Debug, Default)]
pub(super) struct PerfectHash {
    levels: Vec<Level>,
    len: u64,
}

#[derive(Debug)]
struct Level {
    bytes: ZeroedBytes,
    /// The offset of the first line, aligned to cache lines.
    start: usize,
    lines: usize,
    /// The number of the level.
    number: usize,
}

/// The places of a key at a level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HashPlaces {
    /// The offset of its line.
    line: usize,
    /// Its bit of each step, packed.
    bits: u64,
}

impl HashPlaces {
    /// The bit of a step, from the beginning of the line.
    #[inline(always)]
    const fn bit(self, step: usize) -> usize {
        (self.bits >> (PLACE_BITS * step)) as usize % (1 << PLACE_BITS)
    }
}

/// The hash of a key for a level.
#[inline(always)]
fn mix(key: u64, level: usize) -> u64 {
    let seed = key.wrapping_add((level as u64 + 1).wrapping_mul(GOLDEN_GAMMA));
    let hash = mix_round(mix_round(seed));
    hash ^ hash >> 32
}

/// The number of bits of a step. As many behind it mark collisions during construction.
const fn bits_of(step: usize) -> usize {
    256 >> step
}

impl Level {
    /// A level for about `keys` keys.
    fn new(number: usize, keys: u64) -> Self {
        let lines = keys.div_ceil(KEYS_PER_LINE).max(1) as usize;
        let bytes = ZeroedBytes::new((lines + 1) * LINE);
        let start = bytes.as_ptr().align_offset(LINE).min(LINE);
        Self {
            bytes,
            start,
            lines,
            number,
        }
    }

    #[inline(always)]
    fn places(&self, key: u64) -> HashPlaces {
        let hash = mix(key, self.number);
        let line = ((u128::from(hash) * self.lines as u128) >> 64) as usize;
        let mut bits = hash % 256;
        bits |= (256 + (hash >> 8) % 128) << PLACE_BITS;
        bits |= (384 + (hash >> 15) % 64) << (2 * PLACE_BITS);
        bits |= (448 + (hash >> 21) % 32) << (3 * PLACE_BITS);
        HashPlaces {
            line: self.start + line * LINE,
            bits,
        }
    }

    /// Prefetches the line of a key and returns its places.
    #[inline(always)]
    fn prefetch(&self, key: u64) -> HashPlaces {
        let places = self.places(key);
        if let Some(byte) = self.bytes.get(places.line) {
            prefetch(byte);
        }
        places
    }

    /// [`prefetch`](Self::prefetch) for several keys, up to [`TOGETHER`].
    #[inline(always)]
    fn prefetch_together(&self, keys: &[u64]) -> [HashPlaces; TOGETHER] {
        let mut places = [HashPlaces::default(); TOGETHER];
        for (places, &key) in places.iter_mut().zip(keys) {
            *places = self.prefetch(key);
        }
        places
    }

    #[inline(always)]
    fn word(&self, line: usize, word: usize) -> u64 {
        u64_at(&self.bytes, line + 8 * word)
    }

    #[inline(always)]
    fn has(&self, line: usize, bit: usize) -> bool {
        self.word(line, bit / 64) >> (bit % 64) & 1 != 0
    }

    /// The number of the key with these places, or [`NONE`], and whether it may be at the next level.
    #[inline(always)]
    fn number(&self, places: HashPlaces) -> (u64, bool) {
        let line = places.line;
        let mut found = 1 << STEPS;
        for step in 0..STEPS {
            found |= u32::from(self.has(line, places.bit(step))) << step;
        }
        let step = found.trailing_zeros() as usize;
        let bit = places.bit(step);
        let mut before = 0;
        for word in 0..WORDS {
            let count = self.word(line, word).count_ones();
            before += if word < bit / 64 { count } else { 0 };
        }
        before += (self.word(line, bit / 64) & ((1 << (bit % 64)) - 1)).count_ones();
        let last = self.word(line, WORDS - 1);
        let number = ((last & !MORE) >> COUNT_AT) + u64::from(before);
        let none = step == STEPS;
        (if none { NONE } else { number }, none && last & MORE != 0)
    }

    fn set(&mut self, line: usize, word: usize, bits: u64) {
        let at = line + 8 * word;
        self.bytes[at..at + 8].copy_from_slice(&bits.to_le_bytes());
    }

    fn mark(&mut self, line: usize, bit: usize) {
        let bits = self.word(line, bit / 64) | 1 << (bit % 64);
        self.set(line, bit / 64, bits);
    }

    /// Marks the places of up to [`TOGETHER`] keys at a step, and collisions behind the step.
    #[inline]
    fn add(&mut self, step: usize, keys: &[u64]) {
        let places = self.prefetch_together(keys);
        for places in &places[..keys.len()] {
            let bit = places.bit(step);
            let twice = usize::from(self.has(places.line, bit)) * bits_of(step);
            self.mark(places.line, bit + twice);
        }
    }

    /// Clears the marks of colliding keys at a step, after all keys were added.
    fn settle(&mut self, step: usize) {
        for line in 0..self.lines {
            let at = self.start + line * LINE + LINE - (LINE >> step);
            let (once, twice) = self.bytes[at..][..LINE >> step].split_at_mut(bits_of(step) / 8);
            for (once, twice) in once.iter_mut().zip(twice) {
                *once &= !std::mem::take(twice);
            }
        }
    }

    /// Writes the colliding ones of up to [`TOGETHER`] keys to `left` and returns their number.
    #[inline]
    fn sift(&self, step: usize, keys: &[u64], left: &mut [u64; TOGETHER]) -> usize {
        let places = self.prefetch_together(keys);
        let mut count = 0;
        for (places, &key) in places.iter().zip(keys) {
            // Without an unpredictable branch.
            left[count % TOGETHER] = key;
            count += usize::from(!self.has(places.line, places.bit(step)));
        }
        count
    }

    /// Keeps the colliding keys of a step.
    fn sift_all(&self, step: usize, keys: &mut Vec<u64>) {
        let (mut left, mut kept) = ([0; TOGETHER], 0);
        for first in (0..keys.len()).step_by(TOGETHER) {
            let end = keys.len().min(first + TOGETHER);
            let count = self.sift(step, &keys[first..end], &mut left);
            keys[kept..kept + count].copy_from_slice(&left[..count]);
            kept += count;
        }
        keys.truncate(kept);
    }

    /// Stores in each line the number of keys before it, adds those of the level to `len`, and marks the lines of
    /// `left` keys.
    fn count(&mut self, len: &mut u64, left: &[u64]) {
        for line in 0..self.lines {
            let line = self.start + line * LINE;
            let last = self.word(line, WORDS - 1);
            let bits: u32 = (0..WORDS).map(|n| self.word(line, n).count_ones()).sum();
            self.set(line, WORDS - 1, last | *len << COUNT_AT);
            *len += u64::from(bits);
        }
        for &key in left {
            let line = self.places(key).line;
            self.mark(line, 64 * WORDS - 1);
        }
    }
}

impl PerfectHash {
    /// The greatest number of keys.
    pub(super) const MAX: u64 = 1 << (u64::BITS - COUNT_AT - 1);

    /// The number of keys that have a number.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.bytes.len()).sum()
    }

    /// The number of a key of the set. For other keys any number, or [`NONE`].
    #[inline]
    pub(super) fn find(&self, key: u64) -> u64 {
        self.number(key, self.prefetch(key))
    }

    /// Prefetches the first line of a key and returns its places.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) -> HashPlaces {
        let first = self.levels.first();
        first.map_or(HashPlaces::default(), |first| first.prefetch(key))
    }

    /// [`find`](Self::find) of a [prefetched](Self::prefetch) key.
    #[inline(always)]
    pub(super) fn number(&self, key: u64, places: HashPlaces) -> u64 {
        let Some((first, others)) = self.levels.split_first() else {
            return NONE;
        };
        let (mut number, mut more) = first.number(places);
        for level in others {
            if !more {
                break;
            }
            (number, more) = level.number(level.places(key));
        }
        number
    }

    /// [`find`](Self::find) of several keys, so that memory latencies overlap.
    #[inline]
    pub(super) fn find_together(&self, keys: &[u64], numbers: &mut [u64; TOGETHER]) {
        let mut places = [HashPlaces::default(); TOGETHER];
        for (places, &key) in places.iter_mut().zip(keys) {
            *places = self.prefetch(key);
        }
        numbers.fill(NONE);
        for ((&places, &key), number) in places.iter().zip(keys).zip(numbers) {
            *number = self.number(key, places);
        }
    }

    /// Adds a level whose first `steps` are done, with the keys left by them, and the further levels for those.
    fn add(&mut self, mut level: Level, mut steps: usize, mut keys: Vec<u64>) {
        loop {
            let (before, number) = (self.len, level.number + 1);
            for step in steps..STEPS {
                for keys in keys.chunks(TOGETHER) {
                    level.add(step, keys);
                }
                level.settle(step);
                level.sift_all(step, &mut keys);
            }
            level.count(&mut self.len, &keys);
            self.levels.push(level);
            // The first level may have been too small. Keys that no other level separates are duplicates.
            let repeated = self.len == before && number > 1;
            if keys.is_empty() || repeated || number == LEVELS {
                break;
            }
            level = Level::new(number, keys.len() as u64);
            steps = 0;
        }
    }
}

/// The first pass of the construction over all keys.
#[derive(Debug)]
pub(super) struct HashBuilder(Level);

impl HashBuilder {
    /// A hash for about `keys` keys.
    pub(super) fn new(keys: u64) -> Self {
        Self(Level::new(0, keys))
    }

    /// Adds up to [`TOGETHER`] keys.
    #[inline]
    pub(super) fn add(&mut self, keys: &[u64]) {
        self.0.add(0, keys);
    }

    /// Begins the second pass over the same keys.
    pub(super) fn sifting(mut self) -> HashSecondPass {
        self.0.settle(0);
        HashSecondPass {
            level: self.0,
            left: Vec::new(),
        }
    }
}

/// The second pass of the construction, over the same keys.
#[derive(Debug)]
pub(super) struct HashSecondPass {
    level: Level,
    /// The keys that collide at the first step.
    left: Vec<u64>,
}

impl HashSecondPass {
    /// Adds up to [`TOGETHER`] keys.
    #[inline]
    pub(super) fn add(&mut self, keys: &[u64]) {
        let mut left = [0; TOGETHER];
        let count = self.level.sift(0, keys, &mut left);
        self.left.extend_from_slice(&left[..count]);
    }

    /// Finishes the hash.
    pub(super) fn finish(self) -> PerfectHash {
        let mut perfect = PerfectHash::default();
        perfect.add(self.level, 1, self.left);
        perfect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(keys: &[u64]) -> PerfectHash {
        build_for(keys.len() as u64, keys)
    }

    /// A hash whose number of keys was estimated.
    fn build_for(expected: u64, keys: &[u64]) -> PerfectHash {
        let mut building = HashBuilder::new(expected);
        for keys in keys.chunks(TOGETHER) {
            building.add(keys);
        }
        let mut sifting = building.sifting();
        for keys in keys.chunks(TOGETHER) {
            sifting.add(keys);
        }
        sifting.finish()
    }

    /// Finds keys together and one by one.
    fn find_all(perfect: &PerfectHash, keys: &[u64]) -> Vec<u64> {
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
    fn a_wrong_number_of_expected_keys_costs_memory_only() {
        let keys: Vec<u64> = (0..20_000).map(|n| mix(n, 5)).collect();
        for expected in [0, 2_000, 10_000, 100_000] {
            let mut numbers = find_all(&build_for(expected, &keys), &keys);
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..20_000), "{expected}");
        }
    }

    #[test]
    fn nearly_all_keys_are_found_at_the_first_level() {
        let keys: Vec<u64> = (0..100_000).map(|n| mix(n, 11)).collect();
        let perfect = build(&keys);
        let first = &perfect.levels[0];
        let later = |key: &&u64| first.number(first.places(**key)).1;
        assert!(keys.iter().filter(later).count() < 400);
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
