//! A minimal perfect hash: for each key of a set a number of its own, in little more than half a byte a key.
//!
//! A key hashes to one line of the processor's cache, which it shares with about a hundred others, and to one bit of
//! each of four steps in that line, each half as long as the one before. If no other key has its bit of the first step,
//! the bit is set and the key's number is how many bits are set before it; the others look for a place of their own at
//! the next step. The three in a thousand that find none in four go to another, much smaller level of lines. Keys that
//! are never alone, which repeated ones cannot be, are left over. So memory is waited for once, and one page of it
//! looked up, to find nearly any key.
//!
//! The first step, at which most keys find their place, is made while keys come by, so that nobody has to keep them.

use yane_mem::prefetch;

use super::zeros::Zeros;
use crate::bytes::u64_at;

/// Levels of lines. Three keys in a thousand are left after each.
const LEVELS: usize = 8;

/// Keys of a level for each of its lines.
const KEYS_PER_LINE: u64 = 116;

/// Bytes of a line: the four steps, of 256, 128, 64 and 32 bits, then 31 bits for how many bits are set in lines before
/// it, those of earlier levels included, and one that tells whether keys of it are at the next level.
const LINE: usize = 64;

/// 64-bit words of those.
const WORDS: usize = LINE / 8;

/// Steps of a level.
const STEPS: usize = 4;

/// Bits of a place in a line.
const PLACE_BITS: usize = 9;

/// Where in the last word the count begins.
const COUNT_AT: u32 = 32;

/// The bit of the last word that tells that keys of the line are at the next level.
const MORE: u64 = 1 << 63;

/// Keys that are looked up together.
pub(super) const TOGETHER: usize = 64;

/// No number.
pub(super) const NONE: u64 = u64::MAX;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Perfect {
    levels: Vec<Level>,
    len: u64,
}

#[derive(Debug)]
struct Level {
    bytes: Zeros,
    /// Where the first line begins, so that none lies across lines of the processor's cache.
    start: usize,
    lines: usize,
    /// Which of the levels it is.
    number: usize,
}

/// The places of a key at a level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    /// Where its line begins.
    line: usize,
    /// Its bit of each step, one behind the other.
    bits: u64,
}

impl Places {
    /// The bit of a step, counted from the beginning of the line.
    #[inline(always)]
    const fn bit(self, step: usize) -> usize {
        (self.bits >> (PLACE_BITS * step)) as usize % (1 << PLACE_BITS)
    }
}

/// Another hash of the same key for each level.
#[inline(always)]
fn mix(key: u64, level: usize) -> u64 {
    let mut hash = key.wrapping_add((level as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ hash >> 32
}

/// How many bits a step has. As many lie behind it in its line; while it is made, they mark those that several keys have.
const fn bits_of(step: usize) -> usize {
    256 >> step
}

impl Level {
    /// A level for about so many keys.
    fn new(number: usize, keys: u64) -> Self {
        let lines = keys.div_ceil(KEYS_PER_LINE).max(1) as usize;
        let bytes = Zeros::new((lines + 1) * LINE);
        let start = bytes.as_ptr().align_offset(LINE).min(LINE);
        Self {
            bytes,
            start,
            lines,
            number,
        }
    }

    #[inline(always)]
    fn places(&self, key: u64) -> Places {
        let hash = mix(key, self.number);
        let line = ((u128::from(hash) * self.lines as u128) >> 64) as usize;
        let mut bits = hash % 256;
        bits |= (256 + (hash >> 8) % 128) << PLACE_BITS;
        bits |= (384 + (hash >> 15) % 64) << (2 * PLACE_BITS);
        bits |= (448 + (hash >> 21) % 32) << (3 * PLACE_BITS);
        Places {
            line: self.start + line * LINE,
            bits,
        }
    }

    /// Asks for the line of a key, and tells its places.
    #[inline(always)]
    fn ask(&self, key: u64) -> Places {
        let places = self.places(key);
        if let Some(byte) = self.bytes.get(places.line) {
            prefetch(byte);
        }
        places
    }

    /// [`ask`](Self::ask) for several keys, up to [`TOGETHER`].
    #[inline(always)]
    fn ask_together(&self, keys: &[u64]) -> [Places; TOGETHER] {
        let mut places = [Places::default(); TOGETHER];
        for (places, &key) in places.iter_mut().zip(keys) {
            *places = self.ask(key);
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

    /// The number of the key that has one of the places; [`NONE`] if no key has. Then whether it may be one of the next
    /// level.
    #[inline(always)]
    fn number(&self, places: Places) -> (u64, bool) {
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

    /// Marks the places of keys at a step, up to [`TOGETHER`] of them, and behind the step those that were marked before.
    #[inline]
    fn add(&mut self, step: usize, keys: &[u64]) {
        let places = self.ask_together(keys);
        for places in &places[..keys.len()] {
            let bit = places.bit(step);
            let twice = usize::from(self.has(places.line, bit)) * bits_of(step);
            self.mark(places.line, bit + twice);
        }
    }

    /// Leaves only the marks of keys that are alone at a step, which all keys have been added to.
    fn settle(&mut self, step: usize) {
        for line in 0..self.lines {
            let at = self.start + line * LINE + LINE - (LINE >> step);
            let (once, twice) = self.bytes[at..][..LINE >> step].split_at_mut(bits_of(step) / 8);
            for (once, twice) in once.iter_mut().zip(twice) {
                *once &= !std::mem::take(twice);
            }
        }
    }

    /// Writes to `left` those of the keys that are not alone at a step, and tells how many. Up to [`TOGETHER`].
    #[inline]
    fn sift(&self, step: usize, keys: &[u64], left: &mut [u64; TOGETHER]) -> usize {
        let places = self.ask_together(keys);
        let mut count = 0;
        for (places, &key) in places.iter().zip(keys) {
            // Without a branch, which would be a coin's toss.
            left[count % TOGETHER] = key;
            count += usize::from(!self.has(places.line, places.bit(step)));
        }
        count
    }

    /// Keeps those of the keys that are not alone at a step.
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

    /// Notes in each line how many keys are before it, with those that are before the level, and how many there are then;
    /// and which lines have keys that are left over.
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

impl Perfect {
    /// How many keys can have a number.
    pub(super) const MAX: u64 = 1 << (u64::BITS - COUNT_AT - 1);

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
        self.number(key, self.ask(key))
    }

    /// Asks for the line that finding a key looks at first, and tells where it will look.
    #[inline(always)]
    pub(super) fn ask(&self, key: u64) -> Places {
        let first = self.levels.first();
        first.map_or(Places::default(), |first| first.ask(key))
    }

    /// [`find`](Self::find) for a key that was [asked](Self::ask) for.
    #[inline(always)]
    pub(super) fn number(&self, key: u64, places: Places) -> u64 {
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

    /// [`find`](Self::find) for several keys, so that the waits for memory overlap.
    #[inline]
    pub(super) fn find_together(&self, keys: &[u64], numbers: &mut [u64; TOGETHER]) {
        let mut places = [Places::default(); TOGETHER];
        for (places, &key) in places.iter_mut().zip(keys) {
            *places = self.ask(key);
        }
        numbers.fill(NONE);
        for ((&places, &key), number) in places.iter().zip(keys).zip(numbers) {
            *number = self.number(key, places);
        }
    }

    /// Adds a level whose first `steps` are made, with the keys that found no place at them, and what those need.
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
            // The first level may have been made for far fewer keys. Those that no other parts are repeated.
            let repeated = self.len == before && number > 1;
            if keys.is_empty() || repeated || number == LEVELS {
                break;
            }
            level = Level::new(number, keys.len() as u64);
            steps = 0;
        }
    }
}

/// A hash while its keys come by for the first time.
#[derive(Debug)]
pub(super) struct Building(Level);

impl Building {
    /// A hash for about so many keys.
    pub(super) fn new(keys: u64) -> Self {
        Self(Level::new(0, keys))
    }

    /// Takes keys in, up to [`TOGETHER`].
    #[inline]
    pub(super) fn add(&mut self, keys: &[u64]) {
        self.0.add(0, keys);
    }

    /// What the same keys are to come by a second time for.
    pub(super) fn sifting(mut self) -> Sifting {
        self.0.settle(0);
        Sifting {
            level: self.0,
            left: Vec::new(),
        }
    }
}

/// A hash while its keys come by for the second time.
#[derive(Debug)]
pub(super) struct Sifting {
    level: Level,
    /// Those that were not alone at the first step.
    left: Vec<u64>,
}

impl Sifting {
    /// Takes keys in, up to [`TOGETHER`].
    #[inline]
    pub(super) fn add(&mut self, keys: &[u64]) {
        let mut left = [0; TOGETHER];
        let count = self.level.sift(0, keys, &mut left);
        self.left.extend_from_slice(&left[..count]);
    }

    /// The hash.
    pub(super) fn finish(self) -> Perfect {
        let mut perfect = Perfect::default();
        perfect.add(self.level, 1, self.left);
        perfect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(keys: &[u64]) -> Perfect {
        build_for(keys.len() as u64, keys)
    }

    /// Where as many keys were expected.
    fn build_for(expected: u64, keys: &[u64]) -> Perfect {
        let mut building = Building::new(expected);
        for keys in keys.chunks(TOGETHER) {
            building.add(keys);
        }
        let mut sifting = building.sifting();
        for keys in keys.chunks(TOGETHER) {
            sifting.add(keys);
        }
        sifting.finish()
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
    fn how_many_keys_are_expected_costs_memory_only() {
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
