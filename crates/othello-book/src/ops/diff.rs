//! Differences of two books.

use serde::Serialize;

use othello_core::Board;

use crate::store::{PositionData, PositionStore};

/// The counts of a comparison of two books.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BookDifference {
    /// Positions that only the first book has.
    pub removed: u64,
    /// Positions that only the second book has.
    pub added: u64,
    /// Positions with other values.
    pub values: u64,
    /// Positions with other levels.
    pub levels: u64,
    /// Positions with other leaves.
    pub leaves: u64,
    /// Positions with other numbers of lines.
    pub lines: u64,
    /// Positions with other numbers of games or bounds.
    pub games: u64,
    /// Positions that both books have with the same data.
    pub equal: u64,
}

impl BookDifference {
    /// Returns whether the books have the same positions with the same data.
    pub const fn is_none(&self) -> bool {
        let Self {
            removed,
            added,
            values,
            levels,
            leaves,
            lines,
            games,
            equal: _,
        } = *self;
        removed + added + values + levels + leaves + lines + games == 0
    }
}

/// Compares two books; `each` gets every position that differs, in the order of the boards, with its data in the first and
/// in the second one.
///
/// # Errors
///
/// The errors of `each`.
pub fn differences<E>(
    first: &impl PositionStore,
    second: &impl PositionStore,
    each: &mut dyn FnMut(Board, Option<PositionData>, Option<PositionData>) -> Result<(), E>,
) -> Result<BookDifference, E> {
    let mut difference = BookDifference::default();
    let mut ours = first
        .in_order()
        .filter_map(|n| Some((first.board(n)?, first.known(n))))
        .peekable();
    let mut theirs = second
        .in_order()
        .filter_map(|n| Some((second.board(n)?, second.known(n))))
        .peekable();
    loop {
        let boards = (ours.peek().map(|one| one.0), theirs.peek().map(|one| one.0));
        let (takes_first, takes_second) = match boards {
            (None, None) => return Ok(difference),
            (Some(one), Some(other)) => (one <= other, other <= one),
            (one, other) => (one.is_some(), other.is_some()),
        };
        let one = if takes_first { ours.next() } else { None };
        let other = if takes_second { theirs.next() } else { None };
        let board = one.or(other).map(|(board, _)| board).unwrap_or_default();
        let (one, other) = (one.map(|one| one.1), other.map(|other| other.1));
        if difference.count(one.as_ref(), other.as_ref()) {
            each(board, one, other)?;
        }
    }
}

impl BookDifference {
    /// Counts a position; returns whether it differs.
    fn count(&mut self, one: Option<&PositionData>, other: Option<&PositionData>) -> bool {
        let (one, other) = match (one, other) {
            (Some(one), Some(other)) => (one, other),
            (one, _) => {
                let count = if one.is_some() {
                    &mut self.removed
                } else {
                    &mut self.added
                };
                *count += 1;
                return true;
            }
        };
        let parts = [
            (one.value != other.value, &mut self.values),
            (one.level != other.level, &mut self.levels),
            (one.leaf != other.leaf, &mut self.leaves),
            (one.lines != other.lines, &mut self.lines),
            (
                one.games != other.games || one.bounds != other.bounds,
                &mut self.games,
            ),
        ];
        let mut differs = false;
        for (differs_here, count) in parts {
            *count += u64::from(differs_here);
            differs |= differs_here;
        }
        self.equal += u64::from(!differs);
        differs
    }
}
