//! A book in memory, to be changed.
//!
//! About 55 bytes a position: all that both programs know of it but links, which follow from the positions that are
//! there. Boards are canonical; what is asked for or put in is turned first. Positions in which the player to move must
//! pass are there only if they come from a book of Edax; for Egaroucid, the board after the pass stands for them.

use std::hash::BuildHasher as _;

use hashbrown::hash_table::Entry as Place;
use hashbrown::{DefaultHashBuilder, HashTable};
use othello_core::Board;
use yane_io::Map;

use super::{Find, Positions};
use crate::convert::links;
use crate::edax::{Header, Record};
use crate::egaroucid::{Book, Entry, Leaf, Version};
use crate::{Fault, Format};

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
    /// Whether a book of Edax has the position.
    pub is_of_edax: bool,
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
            is_of_edax: false,
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
            is_of_edax: true,
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
    rows: Vec<(Board, Known)>,
    /// The number of the row of each board.
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
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
        let book = match Format::of_file(map)? {
            Format::Egaroucid(version) => Book::of(map, version),
            Format::Edax | Format::EdaxText => Book::new(map),
        };
        let book = book.map_err(|fault| fault.of(map))?;
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
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of a canonical board.
    fn number(&self, board: Board) -> Option<usize> {
        let has = |&number: &u32| self.rows[number as usize].0 == board;
        let number = self.numbers.find(self.hasher.hash_one(board), has)?;
        Some(*number as usize)
    }

    /// What is known of a board, in whatever direction it lies.
    pub fn get(&self, board: Board) -> Option<&Known> {
        let number = self.number(board.canonical().board)?;
        Some(&self.rows[number].1)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, board: Board) -> Option<&mut Known> {
        let number = self.number(board.canonical().board)?;
        Some(&mut self.rows[number].1)
    }

    /// What is known of a canonical board, put in if nothing was. Whether it was there, and the place.
    fn put(&mut self, board: Board, known: Known) -> (bool, &mut Known) {
        let Self {
            rows,
            numbers,
            hasher,
            ..
        } = self;
        let place = numbers.entry(
            hasher.hash_one(board),
            |&number| rows[number as usize].0 == board,
            |&number| hasher.hash_one(rows[number as usize].0),
        );
        let (was_there, number) = match place {
            Place::Occupied(there) => (true, *there.get()),
            Place::Vacant(vacant) => {
                let number = rows.len() as u32;
                vacant.insert(number);
                rows.push((board, known));
                (false, number)
            }
        };
        (was_there, &mut rows[number as usize].1)
    }

    /// Puts a position in, in the place of what was known of it. The leaf's move is one on `board`.
    pub fn insert(&mut self, board: Board, known: Known) -> Option<Known> {
        let (board, known) = turned(board, known);
        let (was_there, place) = self.put(board, known);
        was_there.then(|| std::mem::replace(place, known))
    }

    /// Takes a position out.
    pub fn remove(&mut self, board: Board) -> Option<Known> {
        let board = board.canonical().board;
        let number = self.number(board)?;
        let last = self.rows.len() - 1;
        for (board, number, new) in [
            (board, number, None),
            (self.rows[last].0, last, Some(number)),
        ] {
            let hash = self.hasher.hash_one(board);
            let there = self.numbers.find_entry(hash, |&n| n as usize == number);
            let Ok(mut there) = there else { continue };
            match new {
                None => drop(there.remove()),
                // The last one takes the place of the one that goes.
                Some(new) => *there.get_mut() = new as u32,
            }
        }
        Some(self.rows.swap_remove(number).1)
    }

    /// Keeps the positions for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(Board, &mut Known) -> bool) {
        self.rows.retain_mut(|(board, known)| keep(*board, known));
        self.numbers.clear();
        for (number, (board, _)) in (0..).zip(&self.rows) {
            let hash_of = |&number: &u32| self.hasher.hash_one(self.rows[number as usize].0);
            let hash = self.hasher.hash_one(board);
            self.numbers.insert_unique(hash, number, hash_of);
        }
    }

    /// Puts in what another book knows of a position: all of it where nothing was known, else as [`Known::merge`] says.
    /// Gives whether anything changed.
    pub fn merge(&mut self, board: Board, known: Known) -> bool {
        let (board, new) = turned(board, known);
        let (was_there, place) = self.put(board, new);
        if !was_there {
            return true;
        }
        let before = *place;
        place.merge(&new);
        *place != before
    }

    /// The positions, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Board, &Known)> {
        self.rows.iter().map(|(board, known)| (*board, known))
    }

    /// The boards in their order.
    pub fn sorted(&self) -> Vec<Board> {
        let mut boards: Vec<_> = self.rows.iter().map(|(board, _)| *board).collect();
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

impl Find for Table {
    fn find(&self, board: Board) -> Option<u32> {
        let number = self.number(board.canonical().board)?;
        Some(number as u32)
    }

    fn bound(&self) -> u32 {
        self.rows.len() as u32
    }

    fn known(&self, number: u32) -> Known {
        let row = self.rows.get(number as usize);
        row.map_or_else(Known::default, |row| row.1)
    }
}

impl Positions for Table {
    fn header(&self) -> Option<Header> {
        self.header
    }

    fn count(&self) -> u64 {
        self.rows.len() as u64
    }

    fn board(&self, number: u32) -> Option<Board> {
        Some(self.rows.get(number as usize)?.0)
    }

    fn set(&mut self, number: u32, known: &Known) {
        if let Some(row) = self.rows.get_mut(number as usize) {
            row.1 = *known;
        }
    }

    fn keep(&mut self, keep: &mut dyn FnMut(u32, Board) -> bool) -> u64 {
        let before = self.rows.len();
        let mut number = 0;
        self.retain(|board, _| {
            number += 1;
            keep(number - 1, board)
        });
        (before - self.rows.len()) as u64
    }

    fn in_order(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        let mut numbers: Vec<_> = (0..self.bound()).collect();
        numbers.sort_unstable_by_key(|&number| self.rows[number as usize].0);
        Box::new(numbers.into_iter())
    }
}

/// The canonical board, with the leaf's move on it.
pub(crate) fn turned(board: Board, mut known: Known) -> (Board, Known) {
    let canonical = board.canonical();
    if canonical.board != board
        && let Some(mv) = known.leaf.edge.mv()
    {
        let mv = canonical.symmetry.apply(mv);
        known.leaf.edge = crate::Edge::new(known.leaf.edge.score, mv);
    }
    (canonical.board, known)
}
