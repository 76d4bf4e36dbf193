//! The text form of an option: `name N type T default D min A max B var V ...`.
//!
//! GUIs split these lines at single blanks, so names, defaults and combo words must not contain any.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::option::EMPTY;
use crate::{OptionKind, OptionSpec};

/// An error of reading an `option` line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionLineError {
    /// The line does not begin with `name NAME type TYPE`.
    #[error("expected name and type")]
    MissingNameOrType,
    /// A type other than the six of the protocol.
    #[error("unknown type {0:?}")]
    UnknownType(String),
    /// A field that the type needs is missing or cannot be read.
    #[error("option {name}: no valid {field}")]
    Field {
        /// Name of the option.
        name: String,
        /// The field.
        field: &'static str,
    },
}

impl fmt::Display for OptionSpec {
    /// What follows the word `option`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type ", self.name)?;
        let text = |text: &str| {
            if text.is_empty() {
                EMPTY.to_owned()
            } else {
                text.to_owned()
            }
        };
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, vars } | OptionKind::Suggestions { default, vars } => {
                write!(f, "combo default {}", text(default))?;
                vars.iter().try_for_each(|var| write!(f, " var {var}"))
            }
            OptionKind::String { default } => write!(f, "string default {}", text(default)),
            OptionKind::Filename { default } => write!(f, "filename default {}", text(default)),
            OptionKind::Button => f.write_str("button"),
        }
    }
}

impl FromStr for OptionSpec {
    type Err = OptionLineError;

    /// Reads what follows the word `option`. Names with blanks are accepted. A check, string or
    /// filename without a default gets `false` or the empty text.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let type_at = words
            .iter()
            .position(|word| *word == "type")
            .filter(|&at| at > 1 && words[0] == "name")
            .ok_or(OptionLineError::MissingNameOrType)?;
        let name = words[1..type_at].join(" ");
        let kind = words
            .get(type_at + 1)
            .ok_or(OptionLineError::MissingNameOrType)?;
        let fields = &words[type_at + 2..];
        let field = |key: &str| {
            let at = fields.iter().position(|word| *word == key)?;
            fields.get(at + 1).copied()
        };
        let missing = |field| OptionLineError::Field {
            name: name.clone(),
            field,
        };
        let number = |key: &'static str| -> Result<i64, OptionLineError> {
            field(key)
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| missing(key))
        };
        let default = || match field("default") {
            None | Some(EMPTY) => String::new(),
            Some(text) => text.to_owned(),
        };
        let kind = match *kind {
            "check" => OptionKind::Check {
                default: field("default") == Some("true"),
            },
            "spin" => OptionKind::Spin {
                default: number("default")?,
                min: number("min")?,
                max: number("max")?,
            },
            "combo" => OptionKind::Combo {
                default: default(),
                vars: fields
                    .windows(2)
                    .filter(|pair| pair[0] == "var")
                    .map(|pair| pair[1].to_owned())
                    .collect(),
            },
            "string" => OptionKind::String { default: default() },
            "filename" => OptionKind::Filename { default: default() },
            "button" => OptionKind::Button,
            other => return Err(OptionLineError::UnknownType(other.to_owned())),
        };
        Ok(Self { name, kind })
    }
}
