//! Random numbers from a seed, the same on every machine and in every version: hash keys, synthetic data, self-play and golden
//! tests depend on them.
//!
//! [`SplitMix64`] is the generator of Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014); it and its
//! mixing function are usable in constants. [`Sequence`] has numbers by name and index.
//!
//! With the feature `streams` there are two more, of the crate `rand`, because what was made with them must stay byte for
//! byte: [`Stream`] of self-play, matches and choices among moves, [`ShuffleStream`] of shuffled files.

mod sequence;
#[cfg(feature = "streams")]
mod streams;

pub use sequence::Sequence;
#[cfg(feature = "streams")]
pub use streams::{
    IndexedRandom, IteratorRandom, Rng, RngExt, ShuffleStream, SliceRandom, Stream, shuffle_stream,
    stream,
};

/// The increment of the generator: 2^64 divided by the golden ratio, odd.
///
/// Multiplication by it spreads small numbers over the high bits (Fibonacci hashing).
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of `SplitMix64`: a bijection in which every bit of `z` reaches every bit of the result. 0 stays 0.
#[inline(always)]
pub const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A round of a weaker mixing than [`mix`]: a hash of book files and the order of start positions are made of it.
#[inline(always)]
pub const fn mix_round(z: u64) -> u64 {
    (z ^ (z >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// The hash FNV-1a of a name, 64 bits.
pub fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Maps 64 random bits to a number from 0 to `end - 1`, from the high bits.
#[inline(always)]
pub const fn scaled(bits: u64, end: u64) -> u64 {
    ((bits as u128 * end as u128) >> 64) as u64
}

/// The `SplitMix64` generator: a counter whose values are [mixed](mix).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts at `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The number `index`, counted from 0, of the generator that starts at `seed`.
    #[inline]
    pub const fn nth(seed: u64, index: u64) -> u64 {
        let steps = index.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA);
        mix(seed.wrapping_add(steps))
    }

    /// The next 64 bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        mix(self.0)
    }

    /// A number from 0 to `end - 1`, from the high bits.
    pub const fn below(&mut self, end: u64) -> u64 {
        scaled(self.next_u64(), end)
    }

    /// A number from 0 to `end - 1`, the remainder of a division; `end` must not be 0. [`SplitMix64::below`] is
    /// faster; this is for data that was made with it.
    ///
    /// # Panics
    /// When `end` is 0.
    pub const fn remainder(&mut self, end: usize) -> usize {
        (self.next_u64() % end as u64) as usize
    }

    /// An index below `len`, from the high bits.
    pub const fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// One of `items`.
    ///
    /// # Panics
    /// When there is none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_paper() {
        let mut random = SplitMix64::new(1_234_567);
        for (index, expected) in [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
            .into_iter()
            .enumerate()
        {
            assert_eq!(random.next_u64(), expected);
            assert_eq!(SplitMix64::nth(1_234_567, index as u64), expected);
        }
    }

    #[test]
    fn numbers_stay_below_the_end() {
        let mut random = SplitMix64::new(1);
        assert!((0..1000).all(|_| random.below(7) < 7 && random.remainder(5) < 5));
        assert!([1, 2, 3].contains(random.choose(&[1, 2, 3])));
    }
}
