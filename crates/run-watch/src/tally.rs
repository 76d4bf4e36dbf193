//! Counts of bounded size: by name, and by value.

use serde_json::{Value, json};

/// Names that are counted apart.
const MOST_NAMES: usize = 64;

/// The name of all others.
const OTHERS: &str = "…";

/// Bins of a histogram at most.
const MOST_BINS: u64 = 128;

/// How often there was what, in the order of the first times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Vec<(String, u64)>);

impl Tally {
    /// Counts a name once.
    pub(crate) fn add(&mut self, name: &str) {
        self.add_many(name, 1);
    }

    /// Counts a name so many times.
    pub(crate) fn add_many(&mut self, name: &str, n: u64) {
        let found = self.0.iter().position(|(known, _)| known == name);
        let others = || self.0.iter().position(|(known, _)| known == OTHERS);
        let at = match found {
            Some(at) => Some(at),
            None if self.0.len() < MOST_NAMES => None,
            None => others(),
        };
        match at {
            Some(at) => self.0[at].1 = self.0[at].1.saturating_add(n),
            None if self.0.len() < MOST_NAMES => self.0.push((name.to_owned(), n)),
            None => self.0.push((OTHERS.to_owned(), n)),
        }
    }

    pub(crate) fn json(&self) -> Value {
        let counts = self.0.iter();
        counts
            .map(|(name, n)| json!({"name": name, "n": n.to_string()}))
            .collect()
    }
}

/// How often values were how large. Bins get wider as values do.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    width: u64,
    counts: Vec<u64>,
}

impl Histogram {
    /// Bins of so many values at first.
    pub(crate) const fn new(width: u64) -> Self {
        Self {
            width,
            counts: Vec::new(),
        }
    }

    /// Counts a value once.
    pub(crate) fn add(&mut self, value: u64) {
        self.add_many(value, 1);
    }

    /// Counts a value so many times.
    pub(crate) fn add_many(&mut self, value: u64, n: u64) {
        // Values that no program has are not worth bins as wide.
        let value = value.min(1 << 40);
        while value / self.width >= MOST_BINS {
            self.width *= 2;
            let pairs = self.counts.chunks(2);
            self.counts = pairs
                .map(|pair| pair.iter().fold(0, |sum: u64, n| sum.saturating_add(*n)))
                .collect();
        }
        let bin = (value / self.width) as usize;
        if self.counts.len() <= bin {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] = self.counts[bin].saturating_add(n);
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        let counts: Vec<String> = self.counts.iter().map(u64::to_string).collect();
        json!({"name": name, "from": 0, "width": self.width, "counts": counts})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_in_their_order() {
        let mut tally = Tally::default();
        for name in ["draw", "black", "draw"] {
            tally.add(name);
        }
        let expected = json!([{"name": "draw", "n": "2"}, {"name": "black", "n": "1"}]);
        assert_eq!(tally.json(), expected);
        for n in 0..1000 {
            tally.add(&n.to_string());
        }
        let names = tally.json().as_array().unwrap().len();
        assert_eq!(names, MOST_NAMES + 1);
        assert_eq!(tally.0.iter().map(|(_, n)| n).sum::<u64>(), 1003);
    }

    #[test]
    fn bins_get_wider_and_lose_nothing() {
        let mut histogram = Histogram::new(10);
        for value in [0, 9, 10, 1279] {
            histogram.add(value);
        }
        assert_eq!(histogram.counts[..2], [2, 1]);
        histogram.add(1280);
        assert_eq!((histogram.width, histogram.counts[0]), (20, 3));
        histogram.add(u64::MAX);
        assert_eq!(histogram.counts.iter().sum::<u64>(), 6);
        assert!(histogram.counts.len() as u64 <= MOST_BINS);
    }
}
