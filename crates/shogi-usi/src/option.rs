//! One option of an engine: its name, its kind with range and default, its value, and the `option` line.
//!
//! GUIs split these lines at single blanks, so names, defaults and combo words must not contain any.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The empty text as it is written on the wire.
pub(crate) const EMPTY: &str = "<empty>";

/// An error of defining or setting an option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no such option.
    #[error("No such option: {name}{}", did_you_mean(.meant.as_deref()))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The name that was probably meant.
        meant: Option<String>,
    },
    /// The value is not of the option's kind or not in its range.
    #[error("option {name}: {found:?} is not {expected}")]
    Value {
        /// Name of the option.
        name: String,
        /// The value that was given.
        found: String,
        /// The allowed values.
        expected: String,
    },
    /// The option was fixed by a file and cannot be set any more.
    #[error("option {0} is fixed by a file")]
    Fixed(String),
    /// A name with blanks, or an empty one: GUIs cannot read it.
    #[error("bad option name {0:?}")]
    BadName(String),
    /// Two options with the same name (upper and lower case do not differ).
    #[error("option {0} is defined twice")]
    Duplicate(String),
}

/// A text that is no value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected {0}")]
pub struct UnfitValue(
    /// The allowed values.
    pub String,
);

/// The end of a message about an unknown name: the one that was probably meant, if any.
pub fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

/// The kind of an option, with its default and range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// On or off.
    Check {
        /// Default.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// Default.
        default: i64,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// Default, one of `vars`.
        default: String,
        /// The words.
        vars: Vec<String>,
    },
    /// Any text; GUIs offer some words to choose from, since they see a combo.
    Suggestions {
        /// Default, one of `vars`.
        default: String,
        /// The words that are offered.
        vars: Vec<String>,
    },
    /// Any text.
    String {
        /// Default.
        default: String,
    },
    /// The name of a file.
    Filename {
        /// Default.
        default: String,
    },
    /// A button; has no value.
    Button,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// Value of a check.
    Check(bool),
    /// Value of a spin.
    Spin(i64),
    /// Value of a combo, suggestions, string or filename.
    Text(String),
    /// Value of a button.
    Nothing,
}

impl fmt::Display for OptionValue {
    /// As in `setoption`; the empty text is `<empty>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(on) => write!(f, "{on}"),
            Self::Spin(number) => write!(f, "{number}"),
            Self::Text(text) if text.is_empty() => f.write_str(EMPTY),
            Self::Text(text) => f.write_str(text),
            Self::Nothing => Ok(()),
        }
    }
}

impl OptionKind {
    /// The value that an option of this kind has before it is set.
    pub fn default_value(&self) -> OptionValue {
        match self {
            Self::Check { default } => OptionValue::Check(*default),
            Self::Spin { default, .. } => OptionValue::Spin(*default),
            Self::Combo { default, .. }
            | Self::Suggestions { default, .. }
            | Self::String { default }
            | Self::Filename { default } => OptionValue::Text(default.clone()),
            Self::Button => OptionValue::Nothing,
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    /// Describes the allowed values.
    pub fn read(&self, text: &str) -> Result<OptionValue, UnfitValue> {
        match self {
            Self::Check { .. } => match text.to_ascii_lowercase().as_str() {
                "true" => Ok(OptionValue::Check(true)),
                "false" => Ok(OptionValue::Check(false)),
                _ => Err(UnfitValue("true or false".to_owned())),
            },
            Self::Spin { min, max, .. } => text
                .parse()
                .ok()
                .filter(|number| (*min..=*max).contains(number))
                .map(OptionValue::Spin)
                .ok_or_else(|| UnfitValue(format!("a number from {min} to {max}"))),
            Self::Combo { vars, .. } => vars
                .iter()
                .find(|var| var.eq_ignore_ascii_case(text))
                .map(|var| OptionValue::Text(var.clone()))
                .ok_or_else(|| UnfitValue(format!("one of {}", vars.join(" ")))),
            Self::Suggestions { .. } | Self::String { .. } | Self::Filename { .. } => {
                let text = if text == EMPTY { "" } else { text };
                Ok(OptionValue::Text(text.to_owned()))
            }
            Self::Button => Ok(OptionValue::Nothing),
        }
    }
}

/// An option as an engine announces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Name.
    pub name: String,
    /// Kind, range and default.
    pub kind: OptionKind,
}

impl OptionSpec {
    /// On or off, on if nothing is said.
    pub fn check_on(name: &str) -> Self {
        let kind = OptionKind::Check { default: true };
        let name = name.to_owned();
        Self { name, kind }
    }

    /// On or off, off if nothing is said.
    pub fn check_off(name: &str) -> Self {
        let kind = OptionKind::Check { default: false };
        let name = name.to_owned();
        Self { name, kind }
    }

    /// A whole number from `min` to `max`.
    pub fn spin(name: &str, default: i64, min: i64, max: i64) -> Self {
        Self {
            name: name.to_owned(),
            kind: OptionKind::Spin { default, min, max },
        }
    }

    /// One of `vars`.
    pub fn combo(name: &str, default: &str, vars: &[&str]) -> Self {
        let vars = vars.iter().map(|&var| var.to_owned()).collect();
        Self {
            name: name.to_owned(),
            kind: OptionKind::Combo {
                default: default.to_owned(),
                vars,
            },
        }
    }

    /// Any text, for which GUIs offer `vars`.
    pub fn suggestions(name: &str, default: &str, vars: &[&str]) -> Self {
        let vars = vars.iter().map(|&var| var.to_owned()).collect();
        Self {
            name: name.to_owned(),
            kind: OptionKind::Suggestions {
                default: default.to_owned(),
                vars,
            },
        }
    }

    /// Any text.
    pub fn string(name: &str, default: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: OptionKind::String {
                default: default.to_owned(),
            },
        }
    }

    /// The name of a file.
    pub fn filename(name: &str, default: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: OptionKind::Filename {
                default: default.to_owned(),
            },
        }
    }

    /// Creates a button.
    pub fn button(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: OptionKind::Button,
        }
    }
}

// The text form of an option: `name N type T default D min A max B var V ...`.
//
// GUIs split these lines at single blanks, so names, defaults and combo words must not contain any.

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
    /// The text after the word `option`.
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
