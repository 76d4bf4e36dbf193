//! Ranges of numbers.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// A range of numbers, both ends included: `A..B`, `A..`, `..B` or one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range<T>(pub RangeInclusive<T>);

/// Numbers of which there is a smallest and a largest one.
pub trait Bounded {
    /// The smallest.
    const MIN: Self;
    /// The largest.
    const MAX: Self;
}

macro_rules! bounded {
    ($($number:ty)*) => {$(
        impl Bounded for $number {
            const MIN: Self = Self::MIN;
            const MAX: Self = Self::MAX;
        }
    )*};
}

bounded!(i16 u16 i32 u32 u64);

impl<T: FromStr + Bounded + PartialOrd + Copy> FromStr for Range<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let end = |text: &str, open: T| match text {
            "" => Ok(open),
            text => text
                .parse()
                .map_err(|_| "expected numbers such as 1..20, 5.. or ..100".to_owned()),
        };
        let (from, to) = match text.split_once("..") {
            Some(ends) => ends,
            None if text.is_empty() => return Err("expected a range such as 1..20".to_owned()),
            None => (text, text),
        };
        let range = end(from, T::MIN)?..=end(to.trim_start_matches('='), T::MAX)?;
        if range.is_empty() {
            return Err("the second number is smaller than the first".to_owned());
        }
        Ok(Self(range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_be_open() {
        for (text, range) in [
            ("1..20", 1..=20),
            ("-50..=50", -50..=50),
            ("5..", 5..=i32::MAX),
            ("..-5", i32::MIN..=-5),
            ("..", i32::MIN..=i32::MAX),
            ("7", 7..=7),
        ] {
            assert_eq!(text.parse(), Ok(Range(range)), "{text}");
        }
        for text in ["", "a", "1..b", "3..2", "1...3", "1-3"] {
            assert!(text.parse::<Range<i32>>().is_err(), "{text}");
        }
        assert!("-1..2".parse::<Range<u32>>().is_err());
    }
}
