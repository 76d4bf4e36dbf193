//! What is converted: the formats of teacher data and of game records.

use std::fmt;

use shogi_kifu::KifuFormat;

use crate::TeacherFormat;

/// A format that conversions read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataFormat {
    /// Teacher data.
    Teacher(TeacherFormat),
    /// Game records. What is read is recognised by content, whichever of their formats this is.
    Kifu(KifuFormat),
}

impl DataFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        let teacher = TeacherFormat::ALL.into_iter().map(Self::Teacher);
        teacher.chain(KifuFormat::ALL.into_iter().map(Self::Kifu))
    }

    /// The name, which is also the usual extension of its files, but for `usi`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Teacher(format) => format.name(),
            Self::Kifu(format) => format.name(),
        }
    }

    /// The format of teacher data, if it is one.
    pub const fn teacher(self) -> Option<TeacherFormat> {
        match self {
            Self::Teacher(format) => Some(format),
            Self::Kifu(_) => None,
        }
    }

    /// Returns whether it is `format`.
    pub fn is(self, format: TeacherFormat) -> bool {
        self.teacher() == Some(format)
    }
}

impl From<TeacherFormat> for DataFormat {
    fn from(format: TeacherFormat) -> Self {
        Self::Teacher(format)
    }
}

impl From<KifuFormat> for DataFormat {
    fn from(format: KifuFormat) -> Self {
        Self::Kifu(format)
    }
}

impl fmt::Display for DataFormat {
    /// The name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
