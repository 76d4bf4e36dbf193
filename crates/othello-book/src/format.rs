//! The common base of book formats: recognition, errors with their byte, edges, numbers in bytes.

use std::path::Path;

use crate::egaroucid::EgaroucidVersion;

/// A format of othello books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BookFormat {
    /// Edax's `book.dat`.
    Edax,
    /// Edax's text form, which `book export` writes and `book import` reads: boards, levels and leaves.
    EdaxText,
    /// A book of Egaroucid.
    Egaroucid(EgaroucidVersion),
}

impl BookFormat {
    pub(crate) const EGBK: Self = Self::Egaroucid(EgaroucidVersion::Egbk);

    /// The format by the name of a file.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        Self::of_extension(path.extension()?.to_str()?)
    }

    /// The format by a file extension: `dat`, `txt`, `egbk3`, `egbk2`, `egbk`, in any case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "dat" => Self::Edax,
            "txt" => Self::EdaxText,
            "egbk3" => Self::Egaroucid(EgaroucidVersion::Egbk3),
            "egbk2" => Self::Egaroucid(EgaroucidVersion::Egbk2),
            "egbk" => Self::EGBK,
            _ => return None,
        })
    }
}

/// Serde functions of boards: two words of 16 hexadecimal digits, a1 = bit 0.
pub(crate) mod hex {
    use othello_core::Board;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Discs {
        mover: String,
        opponent: String,
    }

    pub(crate) fn serialize<S: Serializer>(board: &Board, to: S) -> Result<S::Ok, S::Error> {
        Discs {
            mover: format!("{:016x}", board.mover()),
            opponent: format!("{:016x}", board.opponent()),
        }
        .serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Board, D::Error> {
        let discs = Discs::deserialize(from)?;
        let number = |text: &str| u64::from_str_radix(text, 16).map_err(D::Error::custom);
        Board::new(number(&discs.mover)?, number(&discs.opponent)?).map_err(D::Error::custom)
    }
}
