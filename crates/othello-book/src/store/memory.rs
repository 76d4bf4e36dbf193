//! A book in memory that can be changed.
//!
//! About 55 bytes a position: the data of both programs but links, which follow from the positions. Boards are
//! canonical; arguments are canonicalised first. Forced passes are stored only if they come from a book of Edax; for
//! Egaroucid, the board after the pass stands for them.

use std::hash::BuildHasher as _;

use hashbrown::hash_table::Entry as Place;
use hashbrown::{DefaultHashBuilder, HashTable};
use othello_core::Board;
use yane_io::Map;

use crate::edax::EdaxHeader;
use crate::egaroucid::{EgaroucidBook, EgaroucidVersion};
use crate::store::{PositionData, PositionLookup, PositionStore, canonicalized};
use crate::{BookFormat, FormatError};

/// A book in memory (see the module).
#[derive(Clone, Debug, Default)]
pub struct MemoryBook {
    rows: Vec<(Board, PositionData)>,
    /// The row of each board.
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The header, if a book of Edax was read.
    pub header: Option<EdaxHeader>,
}

impl MemoryBook {
    /// Reads a book of Egaroucid. Of duplicates, that of the higher level wins, then the later one, as in
    /// [`merge`](Self::merge). `level` is that of all values of an `.egbk`, which has none.
    ///
    /// # Errors
    ///
    /// An error of the format, unless `on_error` accepts it.
    pub fn read(
        map: &Map,
        level: i8,
        on_error: &mut dyn FnMut(FormatError) -> Result<(), FormatError>,
    ) -> Result<Self, yane_io::Error> {
        let book = match BookFormat::of_file(map)? {
            BookFormat::Egaroucid(version) => EgaroucidBook::of(map, version),
            BookFormat::Edax | BookFormat::EdaxText => EgaroucidBook::new(map),
        };
        let book = book.map_err(|error| error.in_file(map))?;
        let mut table = Self::default();
        for entry in book.entries() {
            match entry {
                Ok(mut entry) => {
                    if book.version == EgaroucidVersion::Egbk {
                        entry.level = level;
                    }
                    table.merge(entry.board, PositionData::from(&entry));
                }
                Err(error) => on_error(error).map_err(|error| error.in_file(map))?,
            }
        }
        Ok(table)
    }

    /// The number of positions.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no positions.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of a canonical board.
    fn number(&self, board: Board) -> Option<usize> {
        let has = |&number: &u32| self.rows[number as usize].0 == board;
        let number = self.numbers.find(self.hasher.hash_one(board), has)?;
        Some(*number as usize)
    }

    /// The data of a board in any orientation.
    pub fn get(&self, board: Board) -> Option<&PositionData> {
        let number = self.number(board.canonical().board)?;
        Some(&self.rows[number].1)
    }

    /// The data of a board in any orientation, to be changed.
    pub fn get_mut(&mut self, board: Board) -> Option<&mut PositionData> {
        let number = self.number(board.canonical().board)?;
        Some(&mut self.rows[number].1)
    }

    /// Inserts a canonical board unless it is there; returns whether it was, and its data.
    fn put(&mut self, board: Board, known: PositionData) -> (bool, &mut PositionData) {
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

    /// Inserts or replaces a position and returns the old data. The leaf is a move on `board`.
    pub fn insert(&mut self, board: Board, known: PositionData) -> Option<PositionData> {
        let (board, known) = canonicalized(board, known);
        let (was_there, place) = self.put(board, known);
        was_there.then(|| std::mem::replace(place, known))
    }

    /// Removes a position.
    pub fn remove(&mut self, board: Board) -> Option<PositionData> {
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
                // The last row takes the place of the removed one.
                Some(new) => *there.get_mut() = new as u32,
            }
        }
        Some(self.rows.swap_remove(number).1)
    }

    /// Keeps the positions for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(Board, &mut PositionData) -> bool) {
        self.rows.retain_mut(|(board, known)| keep(*board, known));
        self.numbers.clear();
        for (number, (board, _)) in (0..).zip(&self.rows) {
            let hash_of = |&number: &u32| self.hasher.hash_one(self.rows[number as usize].0);
            let hash = self.hasher.hash_one(board);
            self.numbers.insert_unique(hash, number, hash_of);
        }
    }

    /// Merges the data of another book: inserted if the position is new, else by [`PositionData::merge`]. Returns
    /// whether anything changed.
    pub fn merge(&mut self, board: Board, known: PositionData) -> bool {
        let (board, new) = canonicalized(board, known);
        let (was_there, place) = self.put(board, new);
        if !was_there {
            return true;
        }
        let before = *place;
        place.merge(&new);
        *place != before
    }

    /// The positions, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Board, &PositionData)> {
        self.rows.iter().map(|(board, known)| (*board, known))
    }

    /// The boards in order.
    pub fn sorted(&self) -> Vec<Board> {
        let mut boards: Vec<_> = self.rows.iter().map(|(board, _)| *board).collect();
        boards.sort_unstable();
        boards
    }
}

impl PositionLookup for MemoryBook {
    fn find(&self, board: Board) -> Option<u32> {
        let number = self.number(board.canonical().board)?;
        Some(number as u32)
    }

    fn bound(&self) -> u32 {
        self.rows.len() as u32
    }

    fn known(&self, number: u32) -> PositionData {
        let row = self.rows.get(number as usize);
        row.map_or_else(PositionData::default, |row| row.1)
    }
}

impl PositionStore for MemoryBook {
    fn header(&self) -> Option<EdaxHeader> {
        self.header
    }

    fn count(&self) -> u64 {
        self.rows.len() as u64
    }

    fn board(&self, number: u32) -> Option<Board> {
        Some(self.rows.get(number as usize)?.0)
    }

    fn set(&mut self, number: u32, known: &PositionData) {
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
