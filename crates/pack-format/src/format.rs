//! The formats of teacher data, and how their files are told.

use std::fmt;
use std::path::Path;

// The formats by name.

/// A file format of teacher data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TeacherFormat {
    /// Whole games, [`crate::pack`].
    Pack,
    /// Positions, [`crate::hcpe`].
    Hcpe,
    /// Whole games with candidate moves, [`crate::hcpe3`].
    Hcpe3,
    /// Positions with ply, [`crate::psv`].
    Psv,
    /// Text, a JSON value a line, JSON lines.
    Jsonl,
    /// Text, a position a line, CSV.
    Csv,
}

impl TeacherFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Pack,
        Self::Hcpe,
        Self::Hcpe3,
        Self::Psv,
        Self::Jsonl,
        Self::Csv,
    ];

    /// The usual file name extension, which is also the format's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Hcpe => "hcpe",
            Self::Hcpe3 => "hcpe3",
            Self::Psv => "psv",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
        }
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format that the extension of `path` says. `.bin`, which nodchip's tools give PSV files, is
    /// taken for PSV.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        if extension.eq_ignore_ascii_case("bin") {
            return Some(Self::Psv);
        }
        Self::from_name(extension)
    }

    /// Bytes of a record in the formats that have records of one size.
    pub const fn record_len(self) -> Option<usize> {
        match self {
            Self::Hcpe => Some(<crate::Hcpe as crate::record::TeacherRecord>::LEN),
            Self::Psv => Some(<crate::Psv as crate::record::TeacherRecord>::LEN),
            _ => None,
        }
    }
}

impl fmt::Display for TeacherFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
