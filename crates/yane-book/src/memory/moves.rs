//! The moves of a book in memory.

use std::slice;

use shogi_core::Move16;

use crate::{BookMove, sort_moves};

// Moves of a position, 16 bytes each.

/// A [`BookMove`] in 16 bytes. `none` is the move of bits 0, which names no move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) mv: u16,
    pub(super) ponder: u16,
    pub(super) eval: i32,
    pub(super) depth: i32,
    pub(super) count: u32,
}

const _: () = assert!(size_of::<Stored>() == 16);

impl From<BookMove> for Stored {
    fn from(full: BookMove) -> Self {
        let bits = |mv: Option<Move16>| mv.map_or(0, |mv| mv.0);
        Self {
            mv: bits(full.mv),
            ponder: bits(full.ponder),
            eval: full.eval,
            depth: full.depth,
            count: full.count.min(u64::from(u32::MAX)) as u32,
        }
    }
}

/// As [`crate::add_move`], for the moves of `list` from `start` on.
pub(super) fn add(list: &mut Vec<Stored>, start: usize, new: Stored) {
    match list[start..].iter_mut().find(|known| known.mv == new.mv) {
        Some(known) => {
            let count = known.count.saturating_add(new.count);
            *known = Stored { count, ..new };
        }
        None => list.push(new),
    }
}

/// The moves of a position in the order of the file.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a>(pub(super) &'a [Stored]);

impl<'a> Moves<'a> {
    /// The number of entries.
    pub const fn len(self) -> usize {
        self.0.len()
    }

    /// Returns whether the position has none.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The first line of the position, which speaks for it when books are merged.
    pub fn first(self) -> Option<BookMove> {
        self.0.first().map(|&stored| stored.into())
    }

    /// The line about `mv`.
    pub fn find(self, mv: Move16) -> Option<BookMove> {
        let found = self.0.iter().find(|stored| stored.mv == mv.0)?;
        Some((*found).into())
    }

    /// Iterates over all moves, in the order of the file.
    pub fn iter(self) -> MovesIter<'a> {
        MovesIter(self.0.iter())
    }

    /// Returns all moves, by count, then by value, both falling; equal ones in the order of the
    /// file.
    pub fn sorted(self) -> Vec<BookMove> {
        let mut moves: Vec<_> = self.iter().collect();
        sort_moves(&mut moves);
        moves
    }
}

impl<'a> IntoIterator for Moves<'a> {
    type Item = BookMove;
    type IntoIter = MovesIter<'a>;

    fn into_iter(self) -> MovesIter<'a> {
        self.iter()
    }
}

/// Iterator over [`Moves`].
#[derive(Clone, Debug)]
pub struct MovesIter<'a>(pub(super) slice::Iter<'a, Stored>);

impl Iterator for MovesIter<'_> {
    type Item = BookMove;

    #[inline]
    fn next(&mut self) -> Option<BookMove> {
        self.0.next().map(|&stored| stored.into())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for MovesIter<'_> {}
