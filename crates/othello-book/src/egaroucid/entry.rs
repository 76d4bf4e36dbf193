//! A position of an Egaroucid book.

use othello_core::Board;
use serde::{Deserialize, Serialize};

use super::Version;
use crate::bytes::{u32_at, u64_at};
use crate::{Edge, hex};

/// A position of an Egaroucid book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The board, in canonical form in a sound book.
    #[serde(flatten, with = "hex")]
    pub board: Board,
    /// The value in discs for the player to move, −64 to 64.
    pub value: i8,
    /// The level of the search that gave it: 0 to 60, 70 by hand, −1 undefined.
    pub level: i8,
    /// How many lines lead on from here; 0 where it was never counted.
    pub lines: u32,
    /// The best move that leads out of the book.
    pub leaf: Leaf,
    /// Moves with values. Only `.egbk2` has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Edge>,
}

/// A move that leads out of the book, the best of those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// Its value for the player who makes it, and its number: 65 where every move is in the book, 125 undefined.
    #[serde(flatten)]
    pub edge: Edge,
    /// The level of the search that found it, −1 undefined.
    pub level: i8,
}

impl Leaf {
    /// The number of a move that is not known.
    pub const UNDEFINED_MOVE: u8 = 125;

    /// The value that is none.
    pub const UNDEFINED_SCORE: i8 = -126;

    /// A leaf that is not known.
    pub const UNDEFINED: Self = Self {
        edge: Edge {
            score: Self::UNDEFINED_SCORE,
            number: Self::UNDEFINED_MOVE,
        },
        level: -1,
    };
}

impl Entry {
    /// The bytes of a record at the front of `bytes`.
    pub(super) fn len(version: Version, bytes: &[u8]) -> usize {
        match version {
            Version::Egbk => 17,
            Version::Egbk2 => 19 + 2 * bytes.get(18).copied().map_or(0, usize::from),
            Version::Egbk3 => 25,
        }
    }

    /// Reads a record of exactly its bytes. `Err` has the place inside the record, and what is wrong there.
    pub(crate) fn read(version: Version, bytes: &[u8]) -> Result<Self, (u64, String)> {
        let board = Board::new(u64_at(bytes, 0), u64_at(bytes, 8));
        let board = board.map_err(|error| (0, error.to_string()))?;
        let value = match version {
            // Stored as 64 - value; what does not fit is out of range.
            Version::Egbk => i8::try_from(64 - i16::from(bytes[16])).unwrap_or(i8::MIN),
            _ => bytes[16] as i8,
        };
        if !(-64..=64).contains(&value) {
            return Err((16, format!("a value of {value}, -64 to 64 was expected")));
        }
        let mut entry = Self {
            board,
            value,
            level: -1,
            lines: 0,
            leaf: Leaf::UNDEFINED,
            links: Vec::new(),
        };
        let edge = |pair: &[u8]| Edge {
            score: pair[0] as i8,
            number: pair[1],
        };
        match version {
            Version::Egbk => {}
            Version::Egbk2 => {
                entry.level = bytes[17] as i8;
                entry.links = bytes[19..].chunks_exact(2).map(edge).collect();
            }
            Version::Egbk3 => {
                entry.level = bytes[17] as i8;
                entry.lines = u32_at(bytes, 18);
                entry.leaf = Leaf {
                    edge: edge(&bytes[22..24]),
                    level: bytes[24] as i8,
                };
            }
        }
        Ok(entry)
    }

    /// Appends the bytes of the record. What the version has no room for is left out; values beyond ±64 are cut.
    ///
    /// # Panics
    ///
    /// With more than 255 links in an `.egbk2`.
    pub fn write_to(&self, version: Version, out: &mut Vec<u8>) {
        out.extend(self.board.mover().to_le_bytes());
        out.extend(self.board.opponent().to_le_bytes());
        let value = self.value.clamp(-64, 64);
        match version {
            Version::Egbk => out.push((64 - i16::from(value)) as u8),
            Version::Egbk2 => {
                let links = u8::try_from(self.links.len()).expect("at most 255 moves");
                out.extend([value as u8, self.level as u8, links]);
                for link in &self.links {
                    out.extend([link.score as u8, link.number]);
                }
            }
            Version::Egbk3 => {
                out.extend([value as u8, self.level as u8]);
                out.extend(self.lines.to_le_bytes());
                let leaf = self.leaf;
                out.extend([leaf.edge.score as u8, leaf.edge.number, leaf.level as u8]);
            }
        }
    }
}
