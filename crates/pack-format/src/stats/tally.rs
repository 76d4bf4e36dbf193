//! Counting small numbers.

/// Exact histogram of numbers. Takes eight bytes for every number up to the largest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// By number; the last is never zero.
    counts: Vec<u64>,
}

impl Tally {
    /// Counts a number.
    #[inline]
    pub fn add(&mut self, value: u32) {
        let index = value as usize;
        if index >= self.counts.len() {
            self.grow(index + 1);
        }
        self.counts[index] += 1;
    }

    #[cold]
    fn grow(&mut self, len: usize) {
        self.counts.resize(len, 0);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        if other.counts.len() > self.counts.len() {
            self.grow(other.counts.len());
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
    }

    /// Returns the count of all numbers.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The numbers that occurred, ascending, and how often each did.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, u64)> {
        let values = self.counts.iter().enumerate();
        values
            .filter(|&(_, &count)| count > 0)
            .map(|(value, &count)| (value as u32, count))
    }

    /// The smallest number.
    pub fn min(&self) -> Option<u32> {
        let index = self.counts.iter().position(|&count| count > 0);
        index.map(|index| index as u32)
    }

    /// The largest number.
    pub fn max(&self) -> Option<u32> {
        self.counts.len().checked_sub(1).map(|index| index as u32)
    }

    /// The mean.
    pub fn mean(&self) -> Option<f64> {
        let sum: u128 = self
            .iter()
            .map(|(value, count)| u128::from(value) * u128::from(count))
            .sum();
        let count = self.count();
        (count > 0).then(|| sum as f64 / count as f64)
    }

    /// The smallest number that at least `percent` % of all numbers do not exceed ("nearest rank";
    /// 50 gives the median).
    pub(crate) fn percentile(&self, percent: u8) -> Option<u32> {
        let rank = (u128::from(self.count()) * u128::from(percent)).div_ceil(100);
        let mut below = 0;
        let mut values = self.iter();
        values
            .find(|&(_, count)| {
                below += u128::from(count);
                below >= rank
            })
            .map(|(value, _)| value)
    }

    /// Counts of the numbers in bins `width` wide, each with its first number, a multiple of
    /// `width`: from the bin of the smallest number to that of the largest, empty ones included.
    pub fn bins(&self, width: u32) -> Vec<(u32, u64)> {
        let width = width.max(1);
        let Some(first) = self.min().map(|min| min / width) else {
            return Vec::new();
        };
        let bins = self
            .counts
            .chunks(width as usize)
            .map(|bin| bin.iter().sum());
        (0u32..)
            .zip(bins)
            .skip(first as usize)
            .map(|(index, count)| (index * width, count))
            .collect()
    }

    /// The numbers of a bin in words, such as `20–39`.
    pub(super) fn bin_name(from: u32, width: u32) -> String {
        if width <= 1 {
            from.to_string()
        } else {
            format!("{from}–{}", from + (width - 1))
        }
    }

    /// A width (1, 2, 5, 10, 20, 50, …) that gives `most` bins or less.
    pub(crate) fn width_for(&self, most: u32) -> u32 {
        let (Some(min), Some(max)) = (self.min(), self.max()) else {
            return 1;
        };
        let mut power = 1;
        loop {
            for width in [power, 2 * power, 5 * power] {
                if max / width - min / width < most.max(1) {
                    return width;
                }
            }
            power *= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(values: &[u32]) -> Tally {
        let mut tally = Tally::default();
        for &value in values {
            tally.add(value);
        }
        tally
    }

    #[test]
    fn figures_are_those_of_the_sorted_numbers() {
        let tally = tally(&[7, 3, 3, 12, 5]);
        assert_eq!((tally.min(), tally.max()), (Some(3), Some(12)));
        assert_eq!((tally.count(), tally.mean()), (5, Some(6.0)));
        let percentiles = [0, 20, 40, 41, 50, 60, 80, 81, 100];
        let values = percentiles.map(|percent| tally.percentile(percent).unwrap());
        assert_eq!(values, [3, 3, 3, 5, 5, 5, 7, 12, 12]);
    }

    #[test]
    fn bins_hold_everything() {
        let tally = tally(&[7, 3, 3, 12, 25]);
        assert_eq!(
            tally.bins(5),
            [(0, 2), (5, 1), (10, 1), (15, 0), (20, 0), (25, 1)]
        );
        assert_eq!(tally.bins(10), [(0, 3), (10, 1), (20, 1)]);
        assert_eq!((tally.width_for(23), tally.width_for(22)), (1, 2));
        assert_eq!((tally.width_for(3), tally.width_for(1)), (10, 50));
        assert_eq!(Tally::default().bins(5), []);
        assert_eq!(Tally::default().percentile(50), None);
    }

    #[test]
    fn merged_is_counted_together() {
        let (left, right) = ([4, 4, 9], [1, 300]);
        let mut merged = tally(&left);
        merged.merge(&tally(&right));
        assert_eq!(merged, tally(&[4, 4, 9, 1, 300]));
        let mut other = tally(&right);
        other.merge(&tally(&left));
        assert_eq!(other, merged);
    }
}
