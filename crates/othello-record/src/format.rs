//! The formats that records are written in, and what each cannot hold.

use std::fmt;
use std::str::FromStr;

use yane_io::archive::WrittenFormat;

/// A format of game records or positions that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OthelloFormat {
    /// Moves, a game a line: `f5d6c3`. Another start position stands before them as 64 squares and a side.
    Transcript,
    /// GGF, of GGS.
    Ggf,
    /// SGF, with variations.
    Sgf,
    /// Tags as in chess, and numbered moves.
    Pgn,
    /// WTHOR: tournament games (`.wtb`) with names in two other files.
    Wthor,
    /// JSON of Othello Quest.
    Quest,
    /// JSON of Egaroucid's game library.
    Egaroucid,
    /// The last position as an end-game problem (`.obf`).
    Obf,
    /// The last position as 64 squares and a side.
    Board,
    /// The last position as GGS sends it.
    Ggs,
    /// The last position as two hexadecimal numbers, h8 = bit 0.
    Bitboards,
    /// The last position as two hexadecimal numbers of black and white, h8 = bit 0, with these words before them.
    BlackWhite,
    /// The last position in Egaroucid's 16 characters of base 81, and a side.
    Base81,
    /// The last position drawn for people.
    Diagram,
}

/// Name, extension and format; a format's own entry first.
const NAMES: [(&str, &str, OthelloFormat); 14] = [
    ("transcript", "txt", OthelloFormat::Transcript),
    ("ggf", "ggf", OthelloFormat::Ggf),
    ("sgf", "sgf", OthelloFormat::Sgf),
    ("pgn", "pgn", OthelloFormat::Pgn),
    ("wthor", "wtb", OthelloFormat::Wthor),
    ("quest", "json", OthelloFormat::Quest),
    ("egaroucid", "json", OthelloFormat::Egaroucid),
    ("obf", "obf", OthelloFormat::Obf),
    ("board", "board", OthelloFormat::Board),
    ("ggs", "ggs", OthelloFormat::Ggs),
    ("bitboards", "bitboards", OthelloFormat::Bitboards),
    ("black-white", "bitboards", OthelloFormat::BlackWhite),
    ("base81", "base81", OthelloFormat::Base81),
    ("diagram", "diagram", OthelloFormat::Diagram),
];

impl OthelloFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.into_iter().map(|(_, _, format)| format)
    }

    /// The name, as on command lines.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// The extension of files.
    pub const fn extension(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// The format of an extension; `None` if there is none or several.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        let mut fits = NAMES
            .into_iter()
            .filter(|(_, other, _)| *other == extension);
        match (fits.next(), fits.next()) {
            (Some((_, _, format)), None) => Some(format),
            // Mover and opponent are what programs copy.
            (Some((_, _, Self::Bitboards)), _) => Some(Self::Bitboards),
            _ => None,
        }
    }

    /// Returns whether a file holds one game only.
    pub const fn is_single(self) -> bool {
        matches!(self, Self::Quest | Self::Egaroucid)
    }

    /// Returns whether only the last position is written.
    pub const fn is_of_positions(self) -> bool {
        matches!(
            self,
            Self::Obf
                | Self::Board
                | Self::Ggs
                | Self::Bitboards
                | Self::BlackWhite
                | Self::Base81
                | Self::Diagram
        )
    }

    /// The text between two games of a file.
    pub const fn separator(self) -> &'static str {
        match self {
            Self::Pgn | Self::Diagram => "\n",
            _ => "",
        }
    }
}

impl WrittenFormat for OthelloFormat {
    fn extension(self) -> &'static str {
        self.extension()
    }

    fn of_extension(extension: &str) -> Option<Self> {
        Self::of_extension(extension)
    }
}

impl fmt::Display for OthelloFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Parses a [`name`](OthelloFormat::name).
impl FromStr for OthelloFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let named = NAMES.into_iter().find(|(name, _, _)| *name == text);
        named.map(|(_, _, format)| format).ok_or(())
    }
}
