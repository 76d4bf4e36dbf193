//! What decides the result of a run: settings, and the contents of the files that it reads.
//!
//! A run that goes on must be the run that began: with another network of the same name the result would be that of
//! neither. So whatever is kept between two runs (a [`crate::Journal`], a [`crate::Snapshot`], the description of a
//! queue) has the identity of its run, and a run compares it with its own. What does not change a result (threads,
//! how often something is saved, names of files) is no part of it.

mod checksum;
mod named;

use std::fmt;

pub use checksum::{Checksum, Hasher};
pub use named::NamedContents;

/// Characters of a value that are shown when it differs.
const SHOWN: usize = 80;

/// All that decides the result of a run: its kind, and named parts, each with a text or the checksum of contents.
///
/// It has one text form ([`fmt::Display`]), by which two are compared: the kind, and a line `name: value` for each part
/// in their order. [`Self::parse`] reads it.
///
/// ```
/// use yane_io::{Checksum, RunIdentity};
/// let run = |weights: &[u8], games: u64| {
///     RunIdentity::new("selfplay 2")
///         .with("games", games)
///         .with("weights", Checksum::of_bytes(weights))
/// };
/// let now = run(b"new", 100);
/// let difference = now.difference(&run(b"old", 100)).unwrap();
/// assert!(difference.to_string().starts_with("weights differ (expected 3 bytes "));
/// assert!(now.difference(&RunIdentity::parse(&now.to_string())).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunIdentity {
    kind: String,
    parts: Vec<(String, String)>,
}

impl RunIdentity {
    /// An identity without parts. `kind` names the work and the version of what it gives: results of another kind or
    /// version are not mixed with its own.
    pub fn new(kind: impl Into<String>) -> Self {
        Self {
            kind: one_line(&kind.into()),
            parts: Vec::new(),
        }
    }

    /// With one more part: a setting, or the [`Checksum`] of contents.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.push(name, value);
        self
    }

    /// Appends a part.
    pub fn push(&mut self, name: &str, value: impl fmt::Display) {
        // The name ends at the first colon.
        let name = one_line(name).replace(':', "\\c");
        self.parts.push((name, one_line(&value.to_string())));
    }

    /// The kind of the work.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The parts with their names, in their order; line ends and other control characters are escaped.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Reads the text form. Any text is an identity, maybe one that no run of today has.
    pub fn parse(text: &str) -> Self {
        let mut lines = text.split('\n');
        let mut identity = Self::new(lines.next().unwrap_or_default());
        for line in lines {
            let (name, value) = line.split_once(": ").unwrap_or((line, ""));
            identity.parts.push((one_line(name), one_line(value)));
        }
        identity
    }

    /// What differs between this identity, which is expected, and the one that was `found`; `None` when they are the same.
    pub fn difference(&self, found: &Self) -> Option<IdentityDifference> {
        if self == found {
            return None;
        }
        if self.kind != found.kind {
            let parts = vec![PartDifference {
                name: "work".to_owned(),
                expected: Some(self.kind.clone()),
                found: Some(found.kind.clone()),
            }];
            return Some(IdentityDifference { parts });
        }
        let mut parts = Vec::new();
        let mut names: Vec<&String> = Vec::new();
        for (name, _) in self.parts.iter().chain(&found.parts) {
            if names.contains(&name) {
                continue;
            }
            names.push(name);
            let [expected, found] = [self, found].map(|identity| identity.value(name));
            if expected != found {
                parts.push(PartDifference {
                    name: name.clone(),
                    expected,
                    found,
                });
            }
        }
        if parts.is_empty() {
            let [expected, found] = [self, found].map(|identity| Some(identity.names()));
            parts.push(PartDifference {
                name: "order of the parts".to_owned(),
                expected,
                found,
            });
        }
        Some(IdentityDifference { parts })
    }

    /// The values of the parts of a name.
    fn value(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self
            .parts()
            .filter_map(|(found, value)| (found == name).then_some(value))
            .collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.parts().map(|(name, _)| name).collect();
        names.join(", ")
    }
}

impl fmt::Display for RunIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        self.parts
            .iter()
            .try_for_each(|(name, value)| write!(f, "\n{name}: {value}"))
    }
}

/// A text without line ends and other control characters, which are escaped.
fn one_line(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let escaped = text.chars().flat_map(|letter| {
        let plain = (!letter.is_control()).then_some(letter);
        let escaped = letter.is_control().then(|| letter.escape_default());
        plain.into_iter().chain(escaped.into_iter().flatten())
    });
    escaped.collect()
}

/// The parts in which two runs differ, for people: "weights differ (expected …, found …), depth differs (expected 5, found 6)".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityDifference {
    parts: Vec<PartDifference>,
}

/// A part in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartDifference {
    /// The name of the part.
    pub name: String,
    /// Its value in this run; `None` when it has no such part.
    pub expected: Option<String>,
    /// Its value in the other run; `None` when it has no such part.
    pub found: Option<String>,
}

impl IdentityDifference {
    /// The parts, in the order of the identity that was expected.
    pub fn parts(&self) -> &[PartDifference] {
        &self.parts
    }
}

impl fmt::Display for IdentityDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.parts.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            let name = &part.name;
            let both = [&part.expected, &part.found].map(|value| value.as_deref().map(Shown));
            match both {
                [Some(expected), Some(found)] => {
                    let differ = if name.ends_with('s') {
                        "differ"
                    } else {
                        "differs"
                    };
                    write!(
                        f,
                        "{comma}{name} {differ} (expected {expected}, found {found})"
                    )?;
                }
                [Some(expected), None] => {
                    write!(f, "{comma}{name} is missing (expected {expected})")?;
                }
                [None, Some(found)] => write!(f, "{comma}{name} is not expected (found {found})")?,
                [None, None] => {}
            }
        }
        Ok(())
    }
}

/// A value, cut where it is too long to be read.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN) {
            None if self.0.is_empty() => f.write_str("nothing"),
            None => f.write_str(self.0),
            Some((end, _)) => write!(f, "{}…", &self.0[..end]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(weights: &str, depth: u32) -> RunIdentity {
        RunIdentity::new("work 1")
            .with("weights", Checksum::of_bytes(weights.as_bytes()))
            .with("depth", depth)
    }

    #[test]
    fn the_text_form_is_read_back() {
        let odd = run("a", 1)
            .with("text", "two\nlines: \\ and\ttabs")
            .with("a:b", "");
        for identity in [RunIdentity::new(""), run("a", 1), odd] {
            assert_eq!(RunIdentity::parse(&identity.to_string()), identity);
        }
        let text = run("a", 1).to_string();
        assert!(text.starts_with("work 1\nweights: 1 byte "), "{text}");
        assert!(text.ends_with("\ndepth: 1"), "{text}");
    }

    #[test]
    fn differences_name_the_parts() {
        let now = run("a", 1);
        assert_eq!(now.difference(&now), None);
        let told = |found: &RunIdentity| now.difference(found).unwrap().to_string();
        assert_eq!(told(&run("a", 2)), "depth differs (expected 1, found 2)");
        let weights = told(&run("b", 1));
        assert!(
            weights.starts_with("weights differ (expected 1 byte "),
            "{weights}"
        );
        let more = now.clone().with("book", "yes");
        assert_eq!(told(&more), "book is not expected (found yes)");
        let less = more.difference(&now).unwrap().to_string();
        assert_eq!(less, "book is missing (expected yes)");
        let other = RunIdentity::parse("a job of an older version");
        let old = "work differs (expected work 1, found a job of an older version)";
        assert_eq!(told(&other), old);
        let reversed = RunIdentity::new("work 1")
            .with("depth", 1)
            .with("weights", Checksum::of_bytes(b"a"));
        assert!(told(&reversed).contains("order"));
    }

    #[test]
    fn long_values_are_cut() {
        let [a, b] = ["a", "b"].map(|letter| RunIdentity::new("x").with("all", letter.repeat(500)));
        let told = a.difference(&b).unwrap().to_string();
        assert!(told.chars().count() < 250, "{told}");
    }
}
