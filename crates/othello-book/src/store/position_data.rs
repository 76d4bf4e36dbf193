//! The data of a position, as both programs know it.

use othello_core::Board;

use crate::Edge;
use crate::edax::EdaxRecord;
use crate::egaroucid::{BookLeaf, EgaroucidRecord};

/// The data of a position of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionData {
    /// The value in discs for the player to move, −64 to 64; beyond that it is undefined.
    pub value: i8,
    /// The level of its search; −1 undefined.
    pub level: i8,
    /// The number of lines from here.
    pub lines: u32,
    /// The best move that leads out of the book, on the canonical board.
    pub leaf: BookLeaf,
    /// Game counts, of Edax.
    pub games: GameCounts,
    /// Bounds of the value, of Edax.
    pub bounds: Bounds,
    /// True if a book of Edax has the position.
    pub is_of_edax: bool,
}

/// The results of counted games, for the player to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct GameCounts {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

/// Bounds of a value, in discs for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound.
    pub lower: i8,
    /// The upper bound.
    pub upper: i8,
}

/// The bounds without knowledge.
impl Default for Bounds {
    fn default() -> Self {
        Self {
            lower: -64,
            upper: 64,
        }
    }
}

/// A value of 0 of an undefined level.
impl Default for PositionData {
    fn default() -> Self {
        Self {
            value: 0,
            level: -1,
            lines: 0,
            leaf: BookLeaf::UNDEFINED,
            games: GameCounts::default(),
            bounds: Bounds::default(),
            is_of_edax: false,
        }
    }
}

impl From<&EgaroucidRecord> for PositionData {
    fn from(entry: &EgaroucidRecord) -> Self {
        Self {
            value: entry.value,
            level: entry.level,
            lines: entry.lines,
            leaf: entry.leaf,
            ..Self::default()
        }
    }
}

/// Converts a record; an illegal leaf, or one beyond ±64, is dropped.
impl From<&EdaxRecord> for PositionData {
    fn from(record: &EdaxRecord) -> Self {
        // Records have no larger values; clamped bounds carry no information.
        let small = |value: i16| value.clamp(-127, 127) as i8;
        let level = i8::try_from(record.level).unwrap_or(i8::MAX);
        let leaf = BookLeaf {
            edge: record.leaf,
            level,
        };
        let is_leaf = leaf.is_known() && leaf.edge.legal_on(record.board).is_some();
        Self {
            value: small(record.value),
            level,
            lines: record.lines,
            leaf: if is_leaf { leaf } else { BookLeaf::UNDEFINED },
            games: GameCounts {
                wins: record.wins,
                draws: record.draws,
                losses: record.losses,
            },
            bounds: Bounds {
                lower: small(record.lower),
                upper: small(record.upper),
            },
            is_of_edax: true,
        }
    }
}

impl PositionData {
    /// The record for a book of Egaroucid.
    pub const fn entry(self, board: Board) -> EgaroucidRecord {
        EgaroucidRecord {
            board,
            value: self.value,
            level: self.level,
            lines: self.lines,
            leaf: self.leaf,
            links: Vec::new(),
        }
    }

    /// Returns whether the value is defined.
    pub(crate) const fn has_value(&self) -> bool {
        self.value.unsigned_abs() <= 64
    }

    /// Merges the data of a newer book: its value if it is defined and its level is not lower, and likewise its leaf,
    /// each independently. Games and bounds go with the value, where the newer book has any; old bounds are dropped
    /// with the value that they are for. Returns whether the newer value was taken.
    pub fn merge(&mut self, new: &Self) -> bool {
        let takes = new.has_value() && (self.level <= new.level || !self.has_value());
        if takes {
            if self.value != new.value || new.bounds != Bounds::default() {
                self.bounds = new.bounds;
            }
            if new.games != GameCounts::default() {
                self.games = new.games;
            }
            (self.value, self.level) = (new.value, new.level);
        }
        if new.leaf.is_known() && self.leaf.level <= new.leaf.level {
            self.leaf = new.leaf;
        }
        takes
    }
}

impl BookLeaf {
    /// Returns whether the value is defined.
    pub fn is_known(self) -> bool {
        (-64..=64).contains(&self.edge.score)
    }
}

/// Canonicalises a board and the leaf on it.
pub(crate) fn canonicalized(board: Board, mut known: PositionData) -> (Board, PositionData) {
    let canonical = board.canonical();
    if canonical.board != board
        && let Some(mv) = known.leaf.edge.mv()
    {
        let mv = canonical.symmetry.apply(mv);
        known.leaf.edge = Edge::new(known.leaf.edge.score, mv);
    }
    (canonical.board, known)
}
