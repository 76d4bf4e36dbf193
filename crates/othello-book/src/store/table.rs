//! A book of Egaroucid's kind in memory, to be changed.
//!
//! About 35 bytes a position. Boards are canonical; what is asked for or put in is turned first.

use hashbrown::HashMap;
use othello_core::{Board, State};
use yane_io::Map;

use crate::Fault;
use crate::egaroucid::{Book, Entry, Leaf, Version};

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The value in discs for the player to move, −64 to 64.
    pub value: i8,
    /// The level of the search that gave it; −1 undefined.
    pub level: i8,
    /// How many lines lead on from here.
    pub lines: u32,
    /// The best move that leads out of the book, on the canonical board.
    pub leaf: Leaf,
}

impl From<&Entry> for Known {
    fn from(entry: &Entry) -> Self {
        Self {
            value: entry.value,
            level: entry.level,
            lines: entry.lines,
            leaf: entry.leaf,
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

    /// Puts in what another book knows of a position: all of it where nothing was known; else the value if its level is
    /// not lower than the one that was there, and likewise the leaf, each for itself. Gives whether anything changed.
    pub fn merge(&mut self, board: Board, known: Known) -> bool {
        let (board, new) = turned(board, known);
        let Some(old) = self.positions.get_mut(&board) else {
            self.positions.insert(board, new);
            return true;
        };
        let before = *old;
        if old.level <= new.level {
            (old.value, old.level) = (new.value, new.level);
        }
        if new.leaf.is_known() && old.leaf.level <= new.leaf.level {
            old.leaf = new.leaf;
        }
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
    /// what comes next. Where the player to move on `child` must pass, that is the position after the pass.
    pub fn value_of_move_to(&self, child: Board) -> Option<i8> {
        let after = |board: Board| self.get(board).map(|known| known.value);
        match child.state() {
            State::Moves => after(child).map(|value| -value),
            State::Pass => after(child.passed()),
            State::Over => after(child)
                .map(|value| -value)
                .or_else(|| after(child.passed())),
        }
    }
}

/// The canonical board, with the leaf's move on it.
fn turned(board: Board, mut known: Known) -> (Board, Known) {
    let canonical = board.canonical();
    if canonical.board != board
        && let Some(mv) = known.leaf.edge.mv()
    {
        let mv = canonical.symmetry.turn(mv);
        known.leaf.edge = crate::Edge::new(known.leaf.edge.score, mv);
    }
    (canonical.board, known)
}
