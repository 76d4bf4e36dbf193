//! What a book holds, in numbers.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::store::Table;

/// Counts of a book.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Info {
    /// How many positions there are.
    pub positions: u64,
    /// By the level of their value; −1 undefined.
    pub levels: BTreeMap<i8, u64>,
    /// By ply: discs on the board, less four.
    pub plies: BTreeMap<u32, u64>,
    /// By value.
    pub values: BTreeMap<i8, u64>,
    /// Leaves, known or not, by the level at which they were searched.
    pub leaf_levels: BTreeMap<i8, u64>,
    /// The same by the ply of the position that they lead to.
    pub leaf_plies: BTreeMap<u32, u64>,
}

impl Info {
    /// The counts of a table.
    pub fn of(table: &Table) -> Self {
        let mut info = Self::default();
        for (board, known) in table.iter() {
            let ply = board.discs().saturating_sub(4);
            info.positions += 1;
            *info.levels.entry(known.level).or_default() += 1;
            *info.plies.entry(ply).or_default() += 1;
            *info.values.entry(known.value).or_default() += 1;
            if known.leaf.level >= 0 {
                *info.leaf_levels.entry(known.leaf.level).or_default() += 1;
                *info.leaf_plies.entry(ply + 1).or_default() += 1;
            }
        }
        info
    }
}

/// Lines of a name, a key and a count.
impl fmt::Display for Info {
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
        lines(f, "leaf_ply", &self.leaf_plies)
    }
}
