//! Why a request failed, for people, and where.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFailure {
    /// The reason, for people.
    pub text: String,
    /// The place of the problem.
    #[serde(
        rename = "where",
        default,
        skip_serializing_if = "FailurePlace::is_empty"
    )]
    pub place: FailurePlace,
}

/// The place of a problem, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailurePlace {
    /// The file, as the page names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The byte, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// The index of a move.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub mv: Option<u64>,
    /// The revision that a book has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<u64>,
}

impl FailurePlace {
    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl PageFailure {
    /// A failure of no particular place.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            place: FailurePlace::default(),
        }
    }

    /// A failure of an error.
    pub fn of(error: &dyn std::error::Error) -> Self {
        Self::new(error.to_string())
    }

    /// The same failure at a place.
    pub fn at(self, place: FailurePlace) -> Self {
        Self { place, ..self }
    }
}

impl fmt::Display for PageFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for PageFailure {}
