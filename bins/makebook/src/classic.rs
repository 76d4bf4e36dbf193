//! The classic syntax: file names and `name value` pairs in any order, without dashes.
//!
//! `makebook from_sfen bw b.sfen w.sfen out.db moves 16` means the same as
//! `makebook from_sfen --bw b.sfen w.sfen out.db --moves 16`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

/// The command line is wrong.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// A word with a meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    name: &'static str,
    values: usize,
}

/// A word that stands alone.
pub(crate) const fn flag(name: &'static str) -> Word {
    Word { name, values: 0 }
}

/// A word that a value follows.
pub(crate) const fn value(name: &'static str) -> Word {
    Word { name, values: 1 }
}

/// A word that two values follow.
pub(crate) const fn pair(name: &'static str) -> Word {
    Word { name, values: 2 }
}

/// Words sorted into names and values; what has no meaning is a file name.
#[derive(Debug, Default)]
pub(crate) struct Classic {
    files: Vec<String>,
    values: HashMap<&'static str, Vec<String>>,
}

impl Classic {
    /// Sorts `words`; `known` are those with a meaning.
    pub(crate) fn parse(words: &[String], known: &[Word]) -> Result<Self, UsageError> {
        let mut classic = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(meaning) = known.iter().find(|known| known.name == word) else {
                classic.files.push(word.clone());
                continue;
            };
            let values: Vec<String> = words.by_ref().take(meaning.values).cloned().collect();
            if values.len() < meaning.values {
                return Err(UsageError(format!("a value is missing after {word}")));
            }
            classic.values.insert(meaning.name, values);
        }
        Ok(classic)
    }

    /// Whether the word was there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The value after the word, read as `T`.
    pub(crate) fn get<T: FromStr>(&self, name: &str) -> Result<Option<T>, UsageError> {
        match self.values.get(name).map(Vec::as_slice) {
            Some([text]) => read(name, text).map(Some),
            _ => Ok(None),
        }
    }

    /// The two values after the word.
    pub(crate) fn get_pair<T: FromStr>(&self, name: &str) -> Result<Option<(T, T)>, UsageError> {
        match self.values.get(name).map(Vec::as_slice) {
            Some([a, b]) => Ok(Some((read(name, a)?, read(name, b)?))),
            _ => Ok(None),
        }
    }

    /// The file names, if they are exactly as many as `names` says.
    pub(crate) fn files<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[PathBuf; N], UsageError> {
        if let Some(extra) = self.files.get(N) {
            return Err(UsageError(format!("unexpected argument {extra:?}")));
        }
        let mut files = self.files.iter().map(PathBuf::from);
        let mut missing = None;
        let found = names.map(|name| {
            files.next().unwrap_or_else(|| {
                missing.get_or_insert(name);
                PathBuf::new()
            })
        });
        match missing {
            Some(name) => Err(UsageError(format!("{name} is missing"))),
            None => Ok(found),
        }
    }

    /// One or more inputs and, last, the output.
    pub(crate) fn inputs_and_output(
        &self,
        inputs: usize,
    ) -> Result<(Vec<PathBuf>, PathBuf), UsageError> {
        let mut files: Vec<PathBuf> = self.files.iter().map(PathBuf::from).collect();
        if files.len() <= inputs {
            let wanted = format!("{inputs} input(s) and the output");
            return Err(UsageError(format!(
                "expected {wanted}, found {} file name(s)",
                files.len()
            )));
        }
        let output = files.pop().unwrap_or_default();
        Ok((files, output))
    }
}

fn read<T: FromStr>(name: &str, text: &str) -> Result<T, UsageError> {
    text.parse()
        .map_err(|_| UsageError(format!("{name}: {text:?} is not a value it takes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Classic, UsageError> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Classic::parse(&words, &[flag("bw"), value("moves"), pair("extend_range")])
    }

    #[test]
    fn words_files_and_values_in_any_order() {
        let classic = parse("bw a.sfen moves 16 b.sfen extend_range -1 1 out.db").unwrap();
        assert!(classic.has("bw"));
        assert_eq!(classic.get::<u32>("moves").unwrap(), Some(16));
        assert_eq!(classic.get_pair("extend_range").unwrap(), Some((-1, 1)));
        let (inputs, output) = classic.inputs_and_output(2).unwrap();
        assert_eq!(inputs, [PathBuf::from("a.sfen"), PathBuf::from("b.sfen")]);
        assert_eq!(output, PathBuf::from("out.db"));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(parse("a b moves").is_err());
        let classic = parse("a moves x").unwrap();
        assert!(classic.get::<u32>("moves").is_err());
        let error = classic.files(["the book", "the output"]).unwrap_err();
        assert_eq!(error.to_string(), "the output is missing");
        assert!(parse("a b c").unwrap().files(["x"]).is_err());
    }
}
