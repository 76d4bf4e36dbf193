//! Moves of a position, 16 bytes each.

use std::slice;

use shogi_core::Move16;

use crate::{BookMove, sort_moves};

/// A [`BookMove`] in 16 bytes. `none` is the move of bits 0, which names no move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    mv: u16,
    ponder: u16,
    eval: i32,
    depth: i32,
    count: u32,
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

impl From<Stored> for BookMove {
    fn from(stored: Stored) -> Self {
        let mv = |bits| (bits != 0).then_some(Move16(bits));
        Self {
            mv: mv(stored.mv),
            ponder: mv(stored.ponder),
            eval: stored.eval,
            depth: stored.depth,
            count: u64::from(stored.count),
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

    /// All, in the order of the file.
    pub fn iter(self) -> MovesIter<'a> {
        MovesIter(self.0.iter())
    }

    /// All, by count, then by value, both falling; equal ones in the order of the file.
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
pub struct MovesIter<'a>(slice::Iter<'a, Stored>);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_but_counts_beyond_32_bits() {
        for mv in [None, Some(Move16(0x1234))] {
            let full = BookMove {
                mv,
                ponder: mv.map(|_| Move16(0x2345)),
                eval: i32::MIN,
                depth: i32::MAX,
                count: u64::from(u32::MAX),
            };
            assert_eq!(BookMove::from(Stored::from(full)), full);
            let more = BookMove {
                count: u64::MAX,
                ..full
            };
            assert_eq!(BookMove::from(Stored::from(more)), full);
        }
    }

    #[test]
    fn a_repeated_move_is_absorbed_within_its_position_only() {
        let stored = |bits, count| {
            Stored::from(BookMove {
                count,
                ..BookMove::new(Some(Move16(bits)))
            })
        };
        let mut list = vec![stored(5, 1)];
        add(&mut list, 1, stored(5, 2));
        add(&mut list, 1, stored(6, 3));
        add(&mut list, 1, stored(5, 4));
        let counts: Vec<_> = Moves(&list).iter().map(|known| known.count).collect();
        assert_eq!(counts, [1, 6, 3]);
        let sorted: Vec<_> = Moves(&list[1..]).sorted();
        assert_eq!(sorted[0].mv, Some(Move16(5)));
        assert_eq!(Moves(&list).find(Move16(6)).unwrap().count, 3);
        assert_eq!(Moves(&list).find(Move16(7)), None);
    }
}
