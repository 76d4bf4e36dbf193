//! A book in memory, for looking positions up.
//!
//! Columns instead of objects: one sorted array of positions (32 bytes each), an index of 4 to 8
//! bytes a position into it, and one array of all moves (16 bytes each). A position is known by its
//! 128-bit key; that two of a billion positions share a key has a chance of about 10⁻²¹.
//!
//! ```
//! use shogi_core::{Move16, MoveText, Position};
//! use yane_book::{BookMove, memory::{Book, ReadOptions}};
//!
//! let mv = MoveText::from_usi("7g7f").map(Move16::encode);
//! let book = Book::from_entries(
//!     [(Position::startpos(), vec![BookMove::new(mv)])],
//!     ReadOptions::default(),
//! );
//! let moves = book.get(&Position::startpos()).unwrap();
//! assert_eq!(moves.first().unwrap().mv, mv);
//! ```

mod read;

use std::ops::Range;
use std::path::Path;

use shogi_core::Position;

use crate::{BookMove, Format, Job, Result};

use read::{Builder, Stored};

pub use read::{Moves, MovesIter};

/// Options: identity of the positions of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Entries of a position at different plies are one: their moves are joined in the order of the
    /// file (`IgnoreBookPly`).
    pub ignore_ply: bool,
}

/// A position of the sorted array.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u128,
    /// Place where its moves begin.
    start: u64,
    /// 0 in a book that ignores plies.
    ply: u32,
    /// Number of its moves.
    len: u32,
}

const _: () = assert!(size_of::<Slot>() == 32);

impl Slot {
    /// Returns what entries are sorted by.
    #[inline]
    const fn id(&self) -> (u128, u32) {
        (self.key, self.ply)
    }

    const fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// A book that does not change.
#[derive(Debug)]
pub struct Book {
    entries: Vec<Slot>,
    moves: Vec<Stored>,
    index: KeyIndex,
    options: ReadOptions,
}

/// A position of a [`Book`].
#[derive(Clone, Copy, Debug)]
pub struct BookEntry<'a> {
    /// [`Position::key128`] of the position.
    pub key: u128,
    /// Its ply; 0 in a book read with [`ReadOptions::ignore_ply`].
    pub ply: u32,
    /// Moves of the entry.
    pub moves: Moves<'a>,
}

impl Book {
    /// Reads the book at `path` into memory: a binary book if it is named `.ybb`, else a text book.
    ///
    /// An entry met again adds its moves to the first; a move met again replaces reply, value and
    /// depth, and counts add up (beyond 32 bits they stay the largest). Moves are not checked for
    /// legality.
    ///
    /// # Errors
    /// When the file cannot be read, a line or record of it is wrong (the error names it), or the job
    /// is cancelled.
    pub fn read(path: &Path, options: ReadOptions, job: &Job) -> Result<Self> {
        match Format::of_path(path) {
            Ok(Format::Ybb) => read::read_ybb(path, options, job),
            _ => read::read_db(path, options, job),
        }
    }

    /// A book of positions with their moves, joined as [`Self::read`] does.
    pub fn from_entries<M>(
        entries: impl IntoIterator<Item = (Position, M)>,
        options: ReadOptions,
    ) -> Self
    where
        M: IntoIterator<Item = BookMove>,
    {
        let mut builder = Builder::default();
        for (position, moves) in entries {
            builder.begin(&position, options);
            for new in moves {
                builder.add(new);
            }
        }
        builder.finish(options)
    }

    /// Number of positions, those without moves included.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no position.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns how the positions are told apart.
    pub const fn options(&self) -> ReadOptions {
        self.options
    }

    /// Bytes of memory that positions and moves take.
    pub fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Slot>()
            + self.moves.capacity() * size_of::<Stored>()
            + self.index.memory()
    }

    /// The moves of `position`; its ply must agree, unless the book was read with
    /// [`ReadOptions::ignore_ply`].
    #[inline]
    pub fn get(&self, position: &Position) -> Option<Moves<'_>> {
        let ply = if self.options.ignore_ply {
            0
        } else {
            position.ply()
        };
        self.moves_at(self.find(position.key128(), Some(ply))?)
    }

    /// The moves of `position` at whatever ply; of several entries the one with the smallest ply.
    #[inline]
    pub fn get_ignoring_ply(&self, position: &Position) -> Option<Moves<'_>> {
        self.moves_at(self.index_of_key(position.key128())?)
    }

    /// Number (see [`Self::entry`]) of the entry with this key and the smallest ply.
    #[inline]
    pub fn index_of_key(&self, key: u128) -> Option<usize> {
        self.find(key, None)
    }

    /// Slot number `index` in the order of (key, ply).
    pub fn entry(&self, index: usize) -> Option<BookEntry<'_>> {
        let entry = self.entries.get(index)?;
        Some(BookEntry {
            key: entry.key,
            ply: entry.ply,
            moves: self.moves_at(index)?,
        })
    }

    /// All entries in the order of (key, ply).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = BookEntry<'_>> {
        self.entries.iter().map(|entry| BookEntry {
            key: entry.key,
            ply: entry.ply,
            moves: Moves(&self.moves[entry.range()]),
        })
    }

    #[inline]
    fn find(&self, key: u128, ply: Option<u32>) -> Option<usize> {
        let matches = |entry: &Slot| entry.key == key && ply.is_none_or(|ply| entry.ply == ply);
        self.index
            .candidates(key)
            .find(|&at| matches(&self.entries[at]))
    }

    fn moves_at(&self, index: usize) -> Option<Moves<'_>> {
        let entry = self.entries.get(index)?;
        Some(Moves(&self.moves[entry.range()]))
    }
}

/// Index of the keys by their first bits.
#[derive(Debug)]
struct KeyIndex {
    /// One more than there are values of the first bits.
    starts: Vec<u32>,
    /// Bits to shift a key by to get its first bits.
    shift: u32,
}

impl KeyIndex {
    /// For `entries` in the order of their keys.
    ///
    /// # Panics
    /// For 2^32 entries (128 GiB of them) and more.
    fn new(entries: &[Slot]) -> Self {
        assert!(u32::try_from(entries.len()).is_ok(), "too many positions");
        let bits = usize::BITS - entries.len().leading_zeros();
        let shift = 128 - bits.max(1);
        let mut starts = Vec::with_capacity((1 << (128 - shift)) + 1);
        for (at, entry) in entries.iter().enumerate() {
            starts.resize((entry.key >> shift) as usize + 1, at as u32);
        }
        starts.resize((1 << (128 - shift)) + 1, entries.len() as u32);
        Self { starts, shift }
    }

    /// Returns where `key` is if it is anywhere: a handful of entries.
    #[inline]
    fn candidates(&self, key: u128) -> Range<usize> {
        let bucket = (key >> self.shift) as usize;
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }

    /// Bytes taken.
    fn memory(&self) -> usize {
        self.starts.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests;
