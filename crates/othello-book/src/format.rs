//! The common base of book formats: recognition, errors with their byte, edges, numbers in bytes.

use std::path::Path;

use othello_core::{Board, Move, Square};
use serde::{Deserialize, Serialize};
use yane_io::Map;
use yane_io::sniff::{FileKind, Head};

use crate::egaroucid::EgaroucidVersion;
use crate::files::{SIDE_CAR_MAGIC, book_of_side_car};
use crate::{edax, egaroucid, text};

/// The error for an unknown format.
const NO_BOOK: &str = "not a book of Edax or of Egaroucid";

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
    /// Recognises the format by the first bytes of a file.
    ///
    /// # Errors
    ///
    /// An unknown format.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        if bytes.starts_with(&SIDE_CAR_MAGIC) {
            return Err(FormatError::new(
                0,
                "a side-car, which is no book of its own",
            ));
        }
        match edax::EdaxBook::new(bytes) {
            Ok(_) => return Ok(Self::Edax),
            // A book of Edax of another version or byte order.
            Err(error) if bytes.starts_with(b"XADE") || bytes.starts_with(b"EDAX") => {
                return Err(error);
            }
            Err(_) => {}
        }
        match egaroucid::EgaroucidBook::new(bytes) {
            Ok(book) => Ok(Self::Egaroucid(book.version)),
            Err(error) if error.offset > 0 => Err(error),
            Err(_) if text::is_edax_text(bytes) => Ok(Self::EdaxText),
            Err(_) => Err(FormatError::new(0, NO_BOOK)),
        }
    }

    /// Recognises the format of a file. A truncated `.egbk` and a side-car are recognised by name.
    ///
    /// # Errors
    ///
    /// An unknown format, or a side-car, which is not a book.
    pub fn of_file(map: &Map) -> yane_io::Result<Self> {
        let path = map.path();
        if let Some(book) = book_of_side_car(path) {
            let reason = format!(
                "the side-car of {}, which is no book of its own",
                book.display()
            );
            return Err(yane_io::Error::file(path, reason));
        }
        let may_be_egbk = || {
            let magic = [&b"XADE"[..], b"EDAX", &SIDE_CAR_MAGIC];
            Self::of_name(path) == Some(Self::EGBK)
                && !magic.iter().any(|magic| map.starts_with(magic))
        };
        match Self::of_bytes(map) {
            Err(error) if error.offset == 0 && may_be_egbk() => {
                let book =
                    egaroucid::EgaroucidBook::of_egbk(map).map_err(|error| error.in_file(map))?;
                Ok(Self::Egaroucid(book.version))
            }
            Err(error) if error.reason == NO_BOOK => {
                let FileKind { name, advice, .. } = FileKind::of(&Head::of(map), &[]);
                let stop = if advice.is_empty() { "" } else { "; " };
                let reason = format!("{NO_BOOK}: this is {name}{stop}{advice}");
                Err(FormatError::new(0, reason).in_file(map))
            }
            found => found.map_err(|error| error.in_file(map)),
        }
    }

    const EGBK: Self = Self::Egaroucid(EgaroucidVersion::Egbk);

    /// The format by the name of a file.
    fn of_name(path: &Path) -> Option<Self> {
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

// Errors of a format, with their byte.

/// A violation of a format at a byte of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {reason}")]
pub struct FormatError {
    /// The offset of the wrong bytes in the file.
    pub offset: u64,
    /// The expected and the found data.
    pub reason: String,
}

impl FormatError {
    /// An error at an offset.
    pub fn new(offset: u64, reason: impl Into<String>) -> Self {
        Self {
            offset,
            reason: reason.into(),
        }
    }

    /// The error with the name of its file.
    pub fn in_file(self, map: &Map) -> yane_io::Error {
        map.error(self.offset, self.reason)
    }
}

// Moves of a book with their values, as files store them.

/// A move of a book and its value for the player who makes it.
///
/// The number is that of the file, which may hold any: 0 to 63 are squares of the stored board, 64 is a pass, 65 no
/// move; Egaroucid also writes 125, "undefined".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// The value in discs for the player who makes the move.
    pub score: i8,
    /// The number of the move.
    #[serde(rename = "move")]
    pub number: u8,
}

impl Edge {
    /// The number of a pass.
    pub const PASS: u8 = 64;

    /// The number for "no move".
    pub const NONE: u8 = 65;

    /// Edax's "no leaf".
    pub const NO_LEAF: Self = Self {
        score: -127,
        number: Self::NONE,
    };

    /// A move with its value.
    pub const fn new(score: i8, mv: Move) -> Self {
        let number = match mv {
            Move::Place(square) => square.number(),
            Move::Pass => Self::PASS,
        };
        Self { score, number }
    }

    /// The move, if the number is that of a square or a pass.
    #[inline]
    pub const fn mv(self) -> Option<Move> {
        match self.number {
            Self::PASS => Some(Move::Pass),
            number => match Square::new(number) {
                Some(square) => Some(Move::Place(square)),
                None => None,
            },
        }
    }

    /// The move, if it is legal on `board`.
    pub fn legal_on(self, board: Board) -> Option<Move> {
        self.mv().filter(|&mv| board.after(mv).is_some())
    }
}

// Little-endian numbers in byte slices, and boards in hexadecimal.

/// The `N` bytes at an offset; zeros beyond the end.
#[inline(always)]
pub(crate) fn at<const N: usize>(bytes: &[u8], place: usize) -> [u8; N] {
    bytes
        .get(place..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .unwrap_or([0; N])
}

/// The `u64` at an offset.
#[inline(always)]
pub(crate) fn u64_at(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(at(bytes, place))
}

/// The `u32` at an offset.
#[inline(always)]
pub(crate) fn u32_at(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(at(bytes, place))
}

/// The `i32` at an offset.
#[inline(always)]
pub(crate) fn i32_at(bytes: &[u8], place: usize) -> i32 {
    i32::from_le_bytes(at(bytes, place))
}

/// The `i16` at an offset.
#[inline(always)]
pub(crate) fn i16_at(bytes: &[u8], place: usize) -> i16 {
    i16::from_le_bytes(at(bytes, place))
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
