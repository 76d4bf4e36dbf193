//! The kinds of book files.

use std::fmt;
use std::path::Path;

use crate::{BookError, Result};

/// A kind of book file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Text, `.db` ([`crate::db`]).
    Db,
    /// Binary, `.ybb` ([`crate::ybb`]).
    Ybb,
    /// Apery's binary, `.bin` ([`crate::apery`]).
    Apery,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Db, Self::Ybb, Self::Apery];

    /// The format that the extension of `path` names, in upper or lower case.
    ///
    /// # Errors
    /// When the extension is none of the three.
    pub fn of_path(path: &Path) -> Result<Self> {
        let named = |format: &Self| {
            path.extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case(format.extension()))
        };
        Self::ALL.into_iter().find(named).ok_or_else(|| {
            let reason = "expected a book named .db (text), .ybb (binary) or .bin (Apery)";
            BookError::file(path, reason)
        })
    }

    /// The extension of its files, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Db => "db",
            Self::Ybb => "ybb",
            Self::Apery => "bin",
        }
    }
}

impl fmt::Display for Format {
    /// The extension with its dot.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.extension())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_formats() {
        for (name, format) in [
            ("a.db", Format::Db),
            ("x/book.BIN", Format::Apery),
            ("user.book.ybb", Format::Ybb),
        ] {
            assert_eq!(Format::of_path(Path::new(name)).unwrap(), format);
        }
        for name in ["book", "book.txt", "db"] {
            let error = Format::of_path(Path::new(name)).unwrap_err().to_string();
            for format in Format::ALL {
                assert!(error.contains(&format.to_string()), "{error}");
            }
        }
    }
}
