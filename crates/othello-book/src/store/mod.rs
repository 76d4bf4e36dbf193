//! Stores: books that positions can be looked up in, and changed; the data of a position.

mod arrays;
mod disk;
mod edax_index;
mod edited;
mod growing;
mod memory;
mod perfect_hash;

use othello_core::Board;

use crate::Edge;
use crate::convert::links;
use crate::convert::links::PositionValues;
use crate::edax::{EdaxHeader, EdaxRecord};
use crate::egaroucid::{BookLeaf, EgaroucidRecord};

pub(crate) use arrays::BitSet;
pub use disk::{DiskBook, DiskBookWriter};
pub(crate) use edax_index::hash;
pub use edax_index::{BatchLookup, EdaxIndex, IndexHit, OnDamage, Slot};
pub use edited::{EditedBook, PositionEdit};
pub use growing::GrowingBook;
pub use memory::MemoryBook;

/// A book for lookups: in memory, on disk, or in its own file.
pub trait PositionLookup {
    /// The number of a position in any orientation.
    fn find(&self, board: Board) -> Option<u32>;

    /// [`find`](Self::find) for several boards; numbers are appended in their order.
    fn find_many(&self, boards: &[Board], numbers: &mut Vec<Option<u32>>) {
        numbers.extend(boards.iter().map(|&board| self.find(board)));
    }

    /// An upper bound of all numbers.
    fn bound(&self) -> u32;

    /// The data of the position with a number.
    fn known(&self, number: u32) -> PositionData;

    /// The data of a board in any orientation.
    fn look_up(&self, board: Board) -> Option<PositionData> {
        Some(self.known(self.find(board)?))
    }

    /// The value of a move that leads to `child`, for the player who makes it; `None` if the book lacks the position
    /// behind it. Before a forced pass, that is the position after the pass if the book has it.
    fn value_of_move(&self, child: Board) -> Option<i8>
    where
        Self: Sized,
    {
        links::value_of_move_to(self, child)
    }
}

/// A book that can be changed: a [`MemoryBook`] in memory, or a [`DiskBook`] on disk.
pub trait PositionStore: PositionLookup {
    /// The header, if a book of Edax was read.
    fn header(&self) -> Option<EdaxHeader>;

    /// The number of positions.
    fn count(&self) -> u64;

    /// The canonical board of a number; `None` if the position was removed.
    fn board(&self, number: u32) -> Option<Board>;

    /// Sets the data of the position with a number.
    fn set(&mut self, number: u32, known: &PositionData);

    /// Removes the positions for which `keep` is false and returns their number. The others may be renumbered.
    fn keep(&mut self, keep: &mut dyn FnMut(u32, Board) -> bool) -> u64;

    /// The numbers in the order of their boards.
    fn in_order(&self) -> Box<dyn Iterator<Item = u32> + '_>;
}

impl<P: PositionLookup> PositionValues for P {
    fn value(&self, board: Board) -> Option<i8> {
        let known = self.look_up(board).filter(PositionData::has_value);
        known.map(|known| known.value)
    }

    fn values(&self, boards: &[Board], values: &mut Vec<Option<i8>>) {
        let mut numbers = Vec::with_capacity(boards.len());
        self.find_many(boards, &mut numbers);
        values.extend(numbers.into_iter().map(|number| {
            let known = self.known(number?);
            known.has_value().then_some(known.value)
        }));
    }

    fn number(&self, board: Board) -> Option<u64> {
        self.find(board).map(u64::from)
    }
}

// The data of a position, as both programs know it.

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

impl GameCounts {
    /// The number of games.
    pub const fn total(self) -> u64 {
        self.wins as u64 + self.draws as u64 + self.losses as u64
    }

    /// The same games for the other player.
    #[must_use]
    pub const fn for_opponent(self) -> Self {
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }
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
    pub const fn has_value(&self) -> bool {
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
