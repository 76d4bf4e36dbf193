//! Damaged records that were left out on request.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::Damage;

/// Damaged records that were left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The first of them, [`Skipped::SHOWN`] at most, with their files.
    pub first: Vec<(PathBuf, Damage)>,
}

impl Skipped {
    /// How many are kept with their places.
    pub const SHOWN: usize = 10;

    /// Counts one.
    pub(crate) fn add(&mut self, path: &Path, damage: Damage) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push((path.to_owned(), damage));
        }
    }

    /// Adds later ones.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        let room = Self::SHOWN - self.first.len();
        self.first.extend(other.first.iter().take(room).cloned());
    }
}

/// How a [`Skipped`] is written.
#[derive(Serialize)]
struct Listed<'a> {
    count: u64,
    first: Vec<Place<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    path: Cow<'a, str>,
    offset: Option<u64>,
    reason: String,
}

impl Serialize for Skipped {
    /// `count` and `first`, a list of `path`, `offset` and `reason`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let first = self.first.iter().map(|(path, damage)| Place {
            path: path.to_string_lossy(),
            offset: damage.begins_at(),
            reason: damage.to_string(),
        });
        let listed = Listed {
            count: self.count,
            first: first.collect(),
        };
        listed.serialize(serializer)
    }
}
