//! Random numbers for tests.

/// The `SplitMix64` generator (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
///
/// The same seed gives the same numbers on every machine, so goldens may depend on them.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts at `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end - 1`, from the high bits.
    pub const fn below(&mut self, end: u64) -> u64 {
        ((self.next_u64() as u128 * end as u128) >> 64) as u64
    }

    /// A number from 0 to `end - 1`, as the remainder of a division: the way of older tests, whose numbers stay.
    pub const fn remainder(&mut self, end: usize) -> usize {
        (self.next_u64() % end as u64) as usize
    }

    /// One of `items`, which must not be empty.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_paper() {
        let mut random = SplitMix64::new(1234567);
        assert_eq!(random.next_u64(), 6457827717110365317);
        assert_eq!(random.next_u64(), 3203168211198807973);
    }

    #[test]
    fn numbers_stay_below_the_end() {
        let mut random = SplitMix64::new(1);
        assert!((0..1000).all(|_| random.below(7) < 7 && random.remainder(5) < 5));
    }
}
