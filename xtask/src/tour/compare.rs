//! Output that is promised against output that came.

use std::fmt::Write as _;

use super::page::Step;

/// Stands for any text within a line, and alone for any lines.
const ANY: &str = "…";

/// `None` if `actual` is what was promised; else what should be promised instead, with the same omissions.
pub(super) fn update(expected: &[String], actual: &[String]) -> Option<Vec<String>> {
    if all_match(expected, actual) {
        return None;
    }
    // What is left out of the old text stays left out.
    let written = |line: &String| {
        let old = expected
            .iter()
            .find(|old| *old != ANY && old.contains(ANY) && line_matches(old, line));
        old.unwrap_or(line).clone()
    };
    let Some(gap) = expected.iter().position(|line| line == ANY) else {
        return Some(actual.iter().map(written).collect());
    };
    let head = gap.min(actual.len());
    let tail = (expected.len() - gap - 1).min(actual.len() - head);
    let mut lines: Vec<String> = actual[..head].iter().map(written).collect();
    lines.push(ANY.to_owned());
    lines.extend(actual[actual.len() - tail..].iter().map(written));
    Some(lines)
}

/// Says how the output of a command differs from the promised one.
pub(super) fn describe(place: &str, step: &Step, actual: &[String], updated: &[String]) -> String {
    let mut text = format!("{place}: $ {}\n", step.command);
    for (head, lines) in [("-", &step.expected[..]), ("+", updated), (" got:", actual)] {
        for line in lines.iter().take(40) {
            writeln!(text, "{head} {line}").expect("a String takes everything");
        }
    }
    text
}

fn all_match(expected: &[String], actual: &[String]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((line, rest)) if line == ANY => {
            (0..=actual.len()).any(|skipped| all_match(rest, &actual[skipped..]))
        }
        Some((line, rest)) => actual
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && all_match(rest, others)),
    }
}

/// Whether a line is what was promised.
fn line_matches(expected: &str, actual: &str) -> bool {
    let Some((head, rest)) = expected.split_once(ANY) else {
        return expected == actual;
    };
    let Some(mut left) = actual.strip_prefix(head) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split(ANY).collect();
    let last = parts.pop().unwrap_or("");
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split('|')
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }

    fn updated(expected: &str, actual: &str) -> Option<String> {
        update(&lines(expected), &lines(actual)).map(|lines| lines.join("|"))
    }

    #[test]
    fn equal_output_needs_no_update() {
        for (expected, actual) in [
            ("", ""),
            ("a|b", "a|b"),
            ("a … c", "a b c"),
            ("…, … s", "1, 2 s"),
            ("a|…|z", "a|z"),
            ("a|…|z", "a|b|c|z"),
            ("…", ""),
        ] {
            assert_eq!(updated(expected, actual), None, "{expected}");
        }
    }

    #[test]
    fn other_output_is_taken_over_with_the_same_omissions() {
        for (expected, actual, new) in [
            ("", "a", "a"),
            ("a", "", ""),
            ("a 1|b … s", "a 2|b 7 s", "a 2|b … s"),
            ("a|…|z", "b|c|d|z", "b|…|z"),
            ("…|z", "a|b|y", "…|y"),
            ("a … c", "a b d", "a b d"),
        ] {
            assert_eq!(
                updated(expected, actual).as_deref(),
                Some(new),
                "{expected}"
            );
        }
    }
}
