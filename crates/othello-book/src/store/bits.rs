//! A bit for each of many things.

/// Bits, at first clear.
#[derive(Debug)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn new(count: u64) -> Self {
        Self(vec![0; count.div_ceil(64) as usize])
    }

    pub(crate) fn set(&mut self, n: u64) {
        if let Some(word) = self.0.get_mut((n / 64) as usize) {
            *word |= 1 << (n % 64);
        }
    }

    /// Sets a bit, and tells whether it was clear.
    pub(crate) fn add(&mut self, n: u64) -> bool {
        let is_new = !self.has(n);
        self.set(n);
        is_new
    }

    /// Makes set what is clear, and the other way round.
    pub(crate) fn turn(&mut self) {
        self.0.iter_mut().for_each(|word| *word = !*word);
    }

    /// How many are set.
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    pub(crate) fn has(&self, n: u64) -> bool {
        let word = self.0.get((n / 64) as usize);
        word.is_some_and(|word| word >> (n % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_as_they_were_set() {
        let mut bits = Bits::new(130);
        for n in [0, 63, 64, 129] {
            bits.set(n);
        }
        let set: Vec<u64> = (0..200).filter(|&n| bits.has(n)).collect();
        assert_eq!(set, [0, 63, 64, 129]);
        assert_eq!((bits.add(64), bits.add(65), bits.count()), (false, true, 5));
    }
}
