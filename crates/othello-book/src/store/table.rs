//! A book in memory, to be changed.
//!
//! About 45 bytes a position: all that both programs know of it but links, which follow from the positions that are
//! there. Boards are canonical; what is asked for or put in is turned first. Positions in which the player to move must
//! pass are there only if they come from a book of Edax; for Egaroucid, the board after the pass stands for them.

use hashbrown::HashMap;
use othello_core::Board;
use yane_io::Map;

use crate::Fault;
use crate::convert::links::{self, Values};
use crate::edax::{Header, Record};
use crate::egaroucid::{Book, Entry, Leaf, Version};

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The value in discs for the player to move, −64 to 64; what is beyond is none.
    pub value: i8,
    /// The level of the search that gave it; −1 undefined.
    pub level: i8,
    /// How many lines lead on from here.
    pub lines: u32,
    /// The best move that leads out of the book, on the canonical board.
    pub leaf: Leaf,
    /// Games that were counted. Only Edax does.
    pub games: Games,
    /// Between what the value is. Only Edax knows.
    pub bounds: Bounds,
}

/// Results of the games behind a position, for the player to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Games {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

/// Between what the value of a position is, in discs for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// A value that it surely reaches.
    pub lower: i8,
    /// A value that it surely does not exceed.
    pub upper: i8,
}

/// All that a game can end with.
impl Default for Bounds {
    fn default() -> Self {
        Self {
            lower: -64,
            upper: 64,
        }
    }
}

/// A value of 0 of an undefined level, and nothing else.
impl Default for Known {
    fn default() -> Self {
        Self {
            value: 0,
            level: -1,
            lines: 0,
            leaf: Leaf::UNDEFINED,
            games: Games::default(),
            bounds: Bounds::default(),
        }
    }
}

impl From<&Entry> for Known {
    fn from(entry: &Entry) -> Self {
        Self {
            value: entry.value,
            level: entry.level,
            lines: entry.lines,
            leaf: entry.leaf,
            ..Self::default()
        }
    }
}

/// Its leaf is one only if it is a legal move with a value of −64 to 64.
impl From<&Record> for Known {
    fn from(record: &Record) -> Self {
        // Records have no larger values; bounds that are cut say nothing either way.
        let small = |value: i16| value.clamp(-127, 127) as i8;
        let level = i8::try_from(record.level).unwrap_or(i8::MAX);
        let leaf = Leaf {
            edge: record.leaf,
            level,
        };
        let is_leaf = leaf.is_known() && leaf.edge.legal_on(record.board).is_some();
        Self {
            value: small(record.value),
            level,
            lines: record.lines,
            leaf: if is_leaf { leaf } else { Leaf::UNDEFINED },
            games: Games {
                wins: record.wins,
                draws: record.draws,
                losses: record.losses,
            },
            bounds: Bounds {
                lower: small(record.lower),
                upper: small(record.upper),
            },
        }
    }
}

impl Known {
    /// The record of a file.
    pub const fn entry(self, board: Board) -> Entry {
        Entry {
            board,
            value: self.value,
            level: self.level,
            lines: self.lines,
            leaf: self.leaf,
            links: Vec::new(),
        }
    }

    /// Whether its value is one.
    pub const fn has_value(&self) -> bool {
        self.value.unsigned_abs() <= 64
    }

    /// Takes over what a newer book knows: the value if there is one and its level is not lower than the one that was
    /// there, and likewise the leaf, each for itself. Games and bounds go with the value, where the newer book has
    /// any; bounds do not outlive the value that they are for. Gives whether the newer value was taken.
    pub fn merge(&mut self, new: &Self) -> bool {
        let takes = new.has_value() && (self.level <= new.level || !self.has_value());
        if takes {
            if self.value != new.value || new.bounds != Bounds::default() {
                self.bounds = new.bounds;
            }
            if new.games != Games::default() {
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

impl Leaf {
    /// Whether its value is one.
    pub fn is_known(self) -> bool {
        (-64..=64).contains(&self.edge.score)
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Table {
    positions: HashMap<Board, Known>,
    /// What stood before the records, if a book of Edax was read.
    pub header: Option<Header>,
}

impl Table {
    /// Reads a book of Egaroucid. Of records of one board, that with the higher level wins, then the later, as
    /// [`merge`](Self::merge) says. `level` is for `.egbk`, which has none: the level of all its values.
    ///
    /// # Errors
    ///
    /// A fault of the file, unless `on_fault` takes it.
    pub fn read(
        map: &Map,
        level: i8,
        on_fault: &mut dyn FnMut(Fault) -> Result<(), Fault>,
    ) -> Result<Self, yane_io::Error> {
        let book = Book::new(map).map_err(|fault| fault.of(map))?;
        let mut table = Self::default();
        for entry in book.entries() {
            match entry {
                Ok(mut entry) => {
                    if book.version == Version::Egbk {
                        entry.level = level;
                    }
                    table.merge(entry.board, Known::from(&entry));
                }
                Err(fault) => on_fault(fault).map_err(|fault| fault.of(map))?,
            }
        }
        Ok(table)
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// What is known of a board, in whatever direction it lies.
    pub fn get(&self, board: Board) -> Option<&Known> {
        self.positions.get(&board.canonical().board)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, board: Board) -> Option<&mut Known> {
        self.positions.get_mut(&board.canonical().board)
    }

    /// Puts a position in, in the place of what was known of it. The leaf's move is one on `board`.
    pub fn insert(&mut self, board: Board, known: Known) -> Option<Known> {
        let (board, known) = turned(board, known);
        self.positions.insert(board, known)
    }

    /// Takes a position out.
    pub fn remove(&mut self, board: Board) -> Option<Known> {
        self.positions.remove(&board.canonical().board)
    }

    /// Keeps the positions for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(Board, &mut Known) -> bool) {
        self.positions.retain(|&board, known| keep(board, known));
    }

    /// Puts in what another book knows of a position: all of it where nothing was known, else as [`Known::merge`] says.
    /// Gives whether anything changed.
    pub fn merge(&mut self, board: Board, known: Known) -> bool {
        let (board, new) = turned(board, known);
        let Some(old) = self.positions.get_mut(&board) else {
            self.positions.insert(board, new);
            return true;
        };
        let before = *old;
        old.merge(&new);
        *old != before
    }

    /// The positions, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Board, &Known)> {
        self.positions.iter().map(|(&board, known)| (board, known))
    }

    /// The boards in their order.
    pub fn sorted(&self) -> Vec<Board> {
        let mut boards: Vec<_> = self.positions.keys().copied().collect();
        boards.sort_unstable();
        boards
    }

    /// The value of a move that leads to `child`, for the player who makes it; `None` if the book does not have
    /// what comes next. Where the player to move on `child` must pass, that is the position after the pass, if the book
    /// has it.
    pub fn value_of_move_to(&self, child: Board) -> Option<i8> {
        links::value_of_move_to(self, child)
    }
}

impl Values for Table {
    fn value(&self, board: Board) -> Option<i8> {
        let known = self.get(board).filter(|known| known.has_value());
        known.map(|known| known.value)
    }
}

/// The canonical board, with the leaf's move on it.
pub(crate) fn turned(board: Board, mut known: Known) -> (Board, Known) {
    let canonical = board.canonical();
    if canonical.board != board
        && let Some(mv) = known.leaf.edge.mv()
    {
        let mv = canonical.symmetry.turn(mv);
        known.leaf.edge = crate::Edge::new(known.leaf.edge.score, mv);
    }
    (canonical.board, known)
}
