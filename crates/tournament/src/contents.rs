//! Contents of files that decide how engines play: two machines whose networks have the same name and other contents play
//! two different matches.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Bytes of what another machine may say about a file.
const LONGEST: usize = 200;

/// Files that decide how the engines of a run play, by engine and option, with what is known of their contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunContents(BTreeMap<String, Option<String>>);

/// A file that has other contents elsewhere.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0} has other contents than here or at the machines before")]
pub(crate) struct OtherContents(String);

impl RunContents {
    /// Adds what `name` has, `None` where nothing is known.
    pub(crate) fn add(&mut self, name: String, content: Option<String>) {
        self.0.insert(name, content);
    }

    /// Checks that what is known here and what another machine says are the same, as far as both know.
    pub(crate) fn check(&self, other: &Self) -> Result<(), OtherContents> {
        let differs = |(name, known): &(&String, &Option<String>)| {
            let said = other.0.get(*name).unwrap_or(&None);
            known.is_some() && said.is_some() && *known != said
        };
        match self.0.iter().find(differs) {
            Some((name, _)) => Err(OtherContents(name.clone())),
            None => Ok(()),
        }
    }

    /// Takes over what another machine says of files of which nothing is known yet.
    pub(crate) fn learn(&mut self, other: &Self) {
        for (name, known) in self.0.iter_mut().filter(|(_, known)| known.is_none()) {
            let said = other.0.get(name).and_then(Option::as_ref);
            *known = said.filter(|said| said.len() <= LONGEST).cloned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(entries: &[(&str, Option<&str>)]) -> RunContents {
        let mut contents = RunContents::default();
        for (name, content) in entries {
            contents.add((*name).to_owned(), content.map(str::to_owned));
        }
        contents
    }

    #[test]
    fn what_both_know_is_compared_and_the_first_machine_says_the_rest() {
        let mut here = contents(&[("A", Some("1")), ("B", None)]);
        let there = contents(&[("A", Some("1")), ("B", Some("2")), ("C", Some("3"))]);
        here.check(&there).unwrap();
        here.learn(&there);
        assert_eq!(here, contents(&[("A", Some("1")), ("B", Some("2"))]));
        for (other, is_same) in [
            (contents(&[("A", None), ("B", Some("2"))]), true),
            (contents(&[]), true),
            (contents(&[("A", Some("0"))]), false),
            (contents(&[("A", Some("1")), ("B", Some("3"))]), false),
        ] {
            assert_eq!(here.check(&other).is_ok(), is_same, "{other:?}");
        }
        let mut none = contents(&[("A", None)]);
        none.learn(&contents(&[("A", Some(&"x".repeat(LONGEST + 1)))]));
        assert_eq!(none, contents(&[("A", None)]));
    }
}
