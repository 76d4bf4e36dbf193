//! An engine's options with their current values, and suggestions for misspelled names.

use crate::{OptionError, OptionKind, OptionSpec, OptionValue};

/// One option and its value.
#[derive(Clone, Debug)]
struct Entry {
    spec: OptionSpec,
    /// The default, or the value that was set.
    set: OptionValue,
    /// The value from a file, which overrides what is set.
    fixed: Option<OptionValue>,
}

impl Entry {
    fn value(&self) -> &OptionValue {
        self.fixed.as_ref().unwrap_or(&self.set)
    }
}

/// The prefix of the names of some options, which programs use differently.
const PREFIX: &str = "USI_";

/// A set of options in the order of their definition. Names match in any case, and with or without the prefix `USI_`:
/// `Hash` is `USI_Hash`.
///
/// ```
/// use shogi_usi::{OptionSpec, OptionValue, Options};
/// let mut options = Options::default();
/// options.define(OptionSpec::spin("MultiPV", 1, 1, 600))?;
/// options.set("multipv", Some("3"))?;
/// let value = options.get("MultiPV").map(|(_, value)| value);
/// assert_eq!(value, Some(&OptionValue::Spin(3)));
/// assert!(options.set("MultiPV", Some("0")).is_err());
/// # Ok::<(), shogi_usi::OptionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    entries: Vec<Entry>,
}

impl Options {
    /// Adds an option at the end, with its default as value.
    ///
    /// # Errors
    /// When the name has blanks or is taken, or the default is outside of the range.
    pub fn define(&mut self, spec: OptionSpec) -> Result<(), OptionError> {
        if spec.name.is_empty() || spec.name.contains(|c: char| c.is_whitespace()) {
            return Err(OptionError::BadName(spec.name));
        }
        let is_taken = |entry: &Entry| entry.spec.name.eq_ignore_ascii_case(&spec.name);
        if self.entries.iter().any(is_taken) {
            return Err(OptionError::Duplicate(spec.name));
        }
        let default = spec.kind.default_value();
        let set = read(&spec, &default.to_string())?;
        self.entries.push(Entry {
            spec,
            set,
            fixed: None,
        });
        Ok(())
    }

    /// Sets an option from the value of a `setoption` command. A missing value is the empty text.
    ///
    /// # Errors
    /// When there is no such option, the value is invalid, or the option is fixed. A valid value for a fixed option
    /// takes effect at [`Self::release`].
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let entry = self.find_mut(name)?;
        let value = read(&entry.spec, value.unwrap_or_default());
        if entry.fixed.is_some() {
            entry.set = value.unwrap_or_else(|_| entry.set.clone());
            return Err(OptionError::Fixed(entry.spec.name.clone()));
        }
        entry.set = value?;
        Ok(())
    }

    /// Fixes an option until [`Self::release`]: [`Self::set`] refuses it from now on. It may be fixed again.
    ///
    /// # Errors
    /// When there is no such option or the value is invalid.
    pub fn fix(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let entry = self.find_mut(name)?;
        entry.fixed = Some(read(&entry.spec, value)?);
        Ok(())
    }

    /// Undoes [`Self::fix`]: the option has the value that was set before or meanwhile. No effect when it is not fixed.
    ///
    /// # Errors
    /// When there is no such option.
    pub fn release(&mut self, name: &str) -> Result<(), OptionError> {
        self.find_mut(name)?.fixed = None;
        Ok(())
    }

    /// Returns whether an option of this name is fixed.
    pub fn is_fixed(&self, name: &str) -> bool {
        self.find(name).is_some_and(|entry| entry.fixed.is_some())
    }

    /// The options in the order of their definition, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&OptionSpec, &OptionValue)> {
        self.entries
            .iter()
            .map(|entry| (&entry.spec, entry.value()))
    }

    /// The options as they are announced to a GUI: one that is fixed has its value as default, and as the only value of its range.
    pub fn announced(&self) -> impl Iterator<Item = OptionSpec> {
        self.entries.iter().map(|entry| match &entry.fixed {
            Some(value) => fixed_spec(&entry.spec, value),
            None => entry.spec.clone(),
        })
    }

    /// The option called `name` and its value.
    pub fn get(&self, name: &str) -> Option<(&OptionSpec, &OptionValue)> {
        self.find(name).map(|entry| (&entry.spec, entry.value()))
    }

    /// The error for a name that no option has, with the one that was probably meant.
    pub fn unknown(&self, name: &str) -> OptionError {
        let names = self.entries.iter().map(|entry| entry.spec.name.as_str());
        OptionError::Unknown {
            name: name.to_owned(),
            meant: nearest(name, names).map(str::to_owned),
        }
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        self.index(name).map(|index| &self.entries[index])
    }

    fn find_mut(&mut self, name: &str) -> Result<&mut Entry, OptionError> {
        match self.index(name) {
            Some(index) => Ok(&mut self.entries[index]),
            None => Err(self.unknown(name)),
        }
    }

    /// The index of the option called `name`, with or without the prefix.
    fn index(&self, name: &str) -> Option<usize> {
        let of = |is_it: &dyn Fn(&str) -> bool| {
            let mut entries = self.entries.iter();
            entries.position(|entry| is_it(&entry.spec.name))
        };
        of(&|own| own.eq_ignore_ascii_case(name))
            .or_else(|| of(&|own| without_prefix(own).eq_ignore_ascii_case(without_prefix(name))))
    }
}

/// A name without [`PREFIX`].
fn without_prefix(name: &str) -> &str {
    match name.split_at_checked(PREFIX.len()) {
        Some((start, rest)) if start.eq_ignore_ascii_case(PREFIX) && !rest.is_empty() => rest,
        _ => name,
    }
}

/// Reads a value for `spec`; a button ignores it.
fn read(spec: &OptionSpec, text: &str) -> Result<OptionValue, OptionError> {
    if spec.kind == OptionKind::Button {
        return Ok(OptionValue::Nothing);
    }
    spec.kind.read(text).map_err(|unfit| OptionError::Value {
        name: spec.name.clone(),
        found: text.to_owned(),
        expected: unfit.0,
    })
}

// Suggestions for misspelled names.

/// The candidate that `word` probably means: one that begins with it, or whose edit distance is at most a third of its
/// letters; case does not matter.
///
/// ```
/// use shogi_usi::nearest;
/// assert_eq!(nearest("Thread", ["Threads", "MultiPV"]), Some("Threads"));
/// assert_eq!(nearest("mutlipv", ["Threads", "MultiPV"]), Some("MultiPV"));
/// assert_eq!(nearest("Contempt", ["Threads", "MultiPV"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    if !(SHORTEST..=LONGEST).contains(&word.len()) {
        return None;
    }
    let rated = candidates.into_iter().filter_map(|candidate| {
        let letters: Vec<char> = candidate.to_lowercase().chars().collect();
        let distance = distance(&word, &letters);
        let is_near = distance <= word.len() / 3 || letters.starts_with(&word);
        is_near.then_some((distance, candidate))
    });
    rated
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Fewest letters of a word that is compared: everything is near to two letters.
const SHORTEST: usize = 3;
/// Most letters of a word that is compared.
const LONGEST: usize = 64;

/// The edit distance of `a` and `b` with transpositions (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &other) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(letter != other);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            let crossed = i > 0 && j > 0 && letter == b[j - 1] && a[i - 1] == other;
            if crossed {
                let earlier: &Vec<usize> = &before;
                least = least.min(earlier[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// `spec` with `value` as its default and, where it has a range, as the only value.
fn fixed_spec(spec: &OptionSpec, value: &OptionValue) -> OptionSpec {
    let kind = match (&spec.kind, value) {
        (OptionKind::Check { .. }, &OptionValue::Check(default)) => OptionKind::Check { default },
        (OptionKind::Spin { .. }, &OptionValue::Spin(value)) => OptionKind::Spin {
            default: value,
            min: value,
            max: value,
        },
        (OptionKind::Combo { vars, .. }, OptionValue::Text(text)) => OptionKind::Combo {
            default: text.clone(),
            vars: vars.clone(),
        },
        (OptionKind::Suggestions { vars, .. }, OptionValue::Text(text)) => {
            let mut vars = vars.clone();
            if !vars.contains(text) {
                vars.push(text.clone());
            }
            OptionKind::Suggestions {
                default: text.clone(),
                vars,
            }
        }
        (OptionKind::String { .. }, OptionValue::Text(text)) => OptionKind::String {
            default: text.clone(),
        },
        (OptionKind::Filename { .. }, OptionValue::Text(text)) => OptionKind::Filename {
            default: text.clone(),
        },
        (kind, _) => kind.clone(),
    };
    OptionSpec {
        name: spec.name.clone(),
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_options_are_announced_with_their_values() {
        let mut options = Options::default();
        for spec in [
            OptionSpec::spin("N", 16, 0, 100),
            OptionSpec::check_off("C"),
            OptionSpec::combo("W", "a", &["a", "b"]),
            OptionSpec::suggestions("F", "x.db", &["x.db"]),
            OptionSpec::string("S", ""),
            OptionSpec::spin("Free", 1, 0, 9),
        ] {
            options.define(spec).unwrap();
        }
        for (name, value) in [
            ("N", "3"),
            ("C", "true"),
            ("W", "B"),
            ("F", "my.db"),
            ("S", "t"),
        ] {
            options.fix(name, value).unwrap();
        }
        options.set("Free", Some("5")).unwrap();
        let lines: Vec<_> = options.announced().map(|spec| spec.to_string()).collect();
        assert_eq!(
            lines,
            [
                "name N type spin default 3 min 3 max 3",
                "name C type check default true",
                "name W type combo default b var a var b",
                "name F type combo default my.db var x.db var my.db",
                "name S type string default t",
                "name Free type spin default 1 min 0 max 9",
            ]
        );
    }

    #[test]
    fn distances() {
        let distance = |a: &str, b: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            distance(&letters(a), &letters(b))
        };
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("quit", "quit"), 0);
        assert_eq!(distance("quti", "quit"), 1);
        assert_eq!(distance("stpo", "stop"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ca", "abc"), 3);
    }

    #[test]
    fn the_nearest_candidate_is_found() {
        let names = ["BookMoves", "BookPvMoves", "BookFile", "USI_Hash"];
        assert_eq!(nearest("bookmove", names), Some("BookMoves"));
        assert_eq!(nearest("BookPVMove", names), Some("BookPvMoves"));
        assert_eq!(nearest("Book", names), Some("BookFile"));
        for other in ["", "Bo", "Skill Level", &"x".repeat(100)] {
            assert_eq!(nearest(other, names), None, "{other}");
        }
    }
}
