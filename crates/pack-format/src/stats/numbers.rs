//! Numbers for people.

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
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

/// An estimated number of things.
pub(super) fn estimate(estimate: f64) -> String {
    grouped(estimate.round() as u64)
}

/// The share of `part` in `whole`, such as `12.3 %`; `–` of nothing.
pub(super) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    percent(part as f64 / whole as f64)
}

/// `0.123` as `12.3 %`.
pub(super) fn percent(ratio: f64) -> String {
    format!("{:.1} %", ratio * 100.0)
}

/// A number or `–`.
pub(super) fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| value.to_string())
}

/// A number with one digit behind the point, or `–`.
pub(super) fn tenths(value: Option<f64>) -> String {
    or_dash(value.map(|value| format!("{value:.1}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_in_threes() {
        let texts = [0, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn shares_of_nothing_are_dashes() {
        assert_eq!((share(1, 8), share(0, 0)), ("12.5 %".into(), "–".into()));
        assert_eq!(
            (tenths(Some(-1.25)), tenths(None)),
            ("-1.2".into(), "–".into())
        );
    }
}
