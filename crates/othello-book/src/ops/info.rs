//! Statistics of a book.

use std::collections::BTreeMap;
use std::fmt;

use othello_core::Board;
use serde::Serialize;

use crate::store::{MemoryBook, PositionData};

/// The statistics of a book.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OthelloBookInfo {
    /// The number of positions.
    pub positions: u64,
    /// Positions by the level of their value; −1 undefined.
    pub levels: BTreeMap<i8, u64>,
    /// Positions by ply: discs on the board, less four.
    pub plies: BTreeMap<u32, u64>,
    /// Positions by value.
    pub values: BTreeMap<i8, u64>,
    /// Leaves by the level of their search.
    pub leaf_levels: BTreeMap<i8, u64>,
    /// Leaves by the ply of the position behind them.
    pub leaf_plies: BTreeMap<u32, u64>,
    /// Positions by the number of their links; empty for books without links.
    pub links: BTreeMap<usize, u64>,
    /// Positions that Edax's `book fix` will search, in books of Edax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edax_searches: Option<u64>,
}

impl OthelloBookInfo {
    /// The statistics of a book in memory.
    pub fn of(table: &MemoryBook) -> Self {
        let mut info = Self::default();
        for (board, known) in table.iter() {
            info.add(board, known);
        }
        info
    }

    /// Counts a position.
    pub fn add(&mut self, board: Board, known: &PositionData) {
        let ply = board.discs().saturating_sub(4);
        self.positions += 1;
        *self.levels.entry(known.level).or_default() += 1;
        *self.plies.entry(ply).or_default() += 1;
        *self.values.entry(known.value).or_default() += 1;
        if known.leaf.level >= 0 {
            *self.leaf_levels.entry(known.leaf.level).or_default() += 1;
            *self.leaf_plies.entry(ply + 1).or_default() += 1;
        }
    }
}

/// Writes lines of a name, a key and a count.
impl fmt::Display for OthelloBookInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn lines<K: fmt::Display>(
            f: &mut fmt::Formatter<'_>,
            name: &str,
            counts: &BTreeMap<K, u64>,
        ) -> fmt::Result {
            counts
                .iter()
                .try_for_each(|(key, count)| writeln!(f, "{name} {key} {count}"))
        }
        writeln!(f, "boards {}", self.positions)?;
        lines(f, "level", &self.levels)?;
        lines(f, "ply", &self.plies)?;
        lines(f, "leaf_level", &self.leaf_levels)?;
        lines(f, "leaf_ply", &self.leaf_plies)?;
        lines(f, "links", &self.links)?;
        match self.edax_searches {
            Some(count) => writeln!(f, "edax_searches {count}"),
            None => Ok(()),
        }
    }
}
