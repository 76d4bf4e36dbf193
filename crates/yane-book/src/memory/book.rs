//! A book in memory: its positions by key, and their moves.

use std::ops::Range;

use shogi_core::Position;

use crate::memory::moves::{Moves, Stored};

/// Options: identity of the positions of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Entries of a position at different plies are one: their moves are joined in the order of the
    /// file (`IgnoreBookPly`).
    pub ignore_ply: bool,
}

/// A position of the sorted array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) key: u128,
    /// Place where its moves begin.
    pub(super) start: u64,
    /// 0 in a book that ignores plies.
    pub(super) ply: u32,
    /// Number of its moves.
    pub(super) len: u32,
}

impl Slot {
    /// Returns what entries are sorted by.
    #[inline]
    pub(super) const fn id(&self) -> (u128, u32) {
        (self.key, self.ply)
    }

    pub(super) const fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// A book that does not change.
#[derive(Debug)]
pub struct Book {
    pub(super) entries: Vec<Slot>,
    pub(super) moves: Vec<Stored>,
    pub(super) index: KeyIndex,
    pub(super) options: ReadOptions,
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
    pub(super) fn find(&self, key: u128, ply: Option<u32>) -> Option<usize> {
        let matches = |entry: &Slot| entry.key == key && ply.is_none_or(|ply| entry.ply == ply);
        self.index
            .candidates(key)
            .find(|&at| matches(&self.entries[at]))
    }

    pub(super) fn moves_at(&self, index: usize) -> Option<Moves<'_>> {
        let entry = self.entries.get(index)?;
        Some(Moves(&self.moves[entry.range()]))
    }
}

/// Index of the keys by their first bits.
#[derive(Debug)]
pub(super) struct KeyIndex {
    /// One more than there are values of the first bits.
    pub(super) starts: Vec<u32>,
    /// Bits to shift a key by to get its first bits.
    pub(super) shift: u32,
}

impl KeyIndex {
    /// For `entries` in the order of their keys.
    ///
    /// # Panics
    /// For 2^32 entries (128 GiB of them) and more.
    pub(super) fn new(entries: &[Slot]) -> Self {
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
    pub(super) fn candidates(&self, key: u128) -> Range<usize> {
        let bucket = (key >> self.shift) as usize;
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }

    /// Bytes taken.
    pub(super) fn memory(&self) -> usize {
        self.starts.capacity() * size_of::<u32>()
    }
}
