#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod chart;
mod escape;
mod page;
mod picture;
mod sheet;

pub use chart::{Bar, BarChart, LineChart, RateChart, RatePoint, Series};
pub use escape::Escaped;
pub use page::{Heading, Page};
pub use picture::{At, Picture, TextStyle};
pub use sheet::Sheet;

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_stand_in_groups_of_three() {
        for (number, text) in [(0, "0"), (999, "999"), (1_234_567, "1,234,567")] {
            assert_eq!(super::grouped(number), text);
        }
    }
}
