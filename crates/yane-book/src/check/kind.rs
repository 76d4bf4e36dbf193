//! What can be found in a book.

use std::fmt;
use std::str::FromStr;

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The first line is not the header of the format.
    Header,
    /// Text in UTF-16.
    Encoding,
    /// A line that is neither position, move nor comment; in a binary book bytes that make no sense.
    Format,
    /// A position that cannot be: too many pieces, a king that could be captured, a king missing.
    Position,
    /// A move that is not legal.
    Move,
    /// An expected reply that is not legal after the move.
    Reply,
    /// A position that is smaller than the one before.
    Order,
    /// A position or move spelled in a way that other programs do not understand or do not find.
    Spelling,
    /// More than other programs read: 8 KiB of moves for a position, 1 KiB for an SFEN line.
    TooLong,
    /// A position without moves, or a book without positions.
    Empty,
    /// A move that its position has already.
    RepeatedMove,
    /// A position that is there already.
    Duplicate,
    /// A position that is there already at another ply.
    OtherPly,
    /// A position that is there already, turned by 180 degrees.
    Turned,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Header,
        Self::Encoding,
        Self::Format,
        Self::Position,
        Self::Move,
        Self::Reply,
        Self::Order,
        Self::Spelling,
        Self::TooLong,
        Self::Empty,
        Self::RepeatedMove,
        Self::Duplicate,
        Self::OtherPly,
        Self::Turned,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Encoding => "encoding",
            Self::Format => "format",
            Self::Position => "position",
            Self::Move => "move",
            Self::Reply => "reply",
            Self::Order => "order",
            Self::Spelling => "spelling",
            Self::TooLong => "too-long",
            Self::Empty => "empty",
            Self::RepeatedMove => "repeated-move",
            Self::Duplicate => "duplicate",
            Self::OtherPly => "other-ply",
            Self::Turned => "turned",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                format!("expected one of {names}")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("nothing".parse::<Kind>().unwrap_err().contains("too-long"));
    }
}
