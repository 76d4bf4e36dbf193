//! Levels of play: how deep and how sure to search, by the number of empty squares.

use crate::api::Selectivity;
use crate::search::Goal;

/// A level as a program defines it.
///
/// ```
/// use othello_search::{PlayLevel, Selectivity};
///
/// let level = PlayLevel::Egaroucid(21);
/// let goal = level.goal(40, 1);
/// assert_eq!((goal.depth, goal.selectivity), (21, Selectivity::P74));
/// assert_eq!(level.goal(28, 1).selectivity, Selectivity::P98);
/// assert_eq!(level.goal(24, 1).selectivity, Selectivity::Exact);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayLevel {
    /// Levels 1 to 60 of Egaroucid; 0 is 1.
    Egaroucid(u32),
    /// Levels 0 to 60 of Edax.
    Edax(u32),
}

impl Default for PlayLevel {
    /// Level 21, which is what both programs start with.
    fn default() -> Self {
        Self::Egaroucid(21)
    }
}

use Selectivity::{Exact, P73, P74, P87, P88, P93, P95, P98, P99};

impl PlayLevel {
    /// The highest level.
    pub const MOST: u32 = 60;

    /// The depth and selectivity of a search with so many empty squares, for so many lines.
    pub fn goal(self, empties: u32, lines: usize) -> Goal {
        let (depth, selectivity) = match self {
            Self::Egaroucid(level) => egaroucid(level.clamp(1, Self::MOST), empties),
            Self::Edax(level) => edax(level.min(Self::MOST), empties),
        };
        Goal {
            depth: depth.min(empties),
            selectivity,
            lines,
        }
    }
}

/// The selectivity of searches to the end, by the largest number of empty squares of each.
type Ends = [(u32, Selectivity)];

fn to_the_end(ends: &Ends, empties: u32) -> Option<(u32, Selectivity)> {
    let found = ends.iter().find(|&&(most, _)| empties <= most)?;
    Some((empties, found.1))
}

/// Egaroucid 7.9. Up to level 10 without pruning, to the end from twice as many empty squares. Its level 37 has 36 twice;
/// here it is that of level 38.
fn egaroucid(level: u32, empties: u32) -> (u32, Selectivity) {
    if level <= 10 {
        return to_the_end(&[(2 * level, Exact)], empties).unwrap_or((level, Exact));
    }
    // Steps of two from the last squares on: from where exact, and the surest selectivities before it.
    let steps = |exact: u32, count: usize| -> Vec<(u32, Selectivity)> {
        let before = [P99, P98, P93, P88];
        let steps = (1..).zip(before).take(count);
        let steps = steps.map(|(n, selectivity)| (exact + 2 * n, selectivity));
        std::iter::once((exact, Exact)).chain(steps).collect()
    };
    let ends = match level {
        11 | 12 => vec![(21, Exact), (23, P99), (25, P98)],
        13 | 14 => vec![(21, Exact), (23, P99), (25, P98), (27, P93)],
        15..=17 => vec![(22, Exact), (24, P99), (27, P98)],
        18 | 19 => vec![(22, Exact), (24, P99), (27, P98), (29, P93)],
        20..=22 => vec![(24, Exact), (26, P99), (28, P98), (30, P93)],
        23 | 24 => steps(26, 3),
        25 | 26 => steps(26, 4),
        27 | 28 => steps(28, 4),
        29 | 30 => steps(30, 3),
        31 | 32 => steps(30, 4),
        33 | 34 => steps(32, 3),
        35 | 36 => steps(32, 4),
        37 | 38 => steps(34, 3),
        39 | 40 => steps(34, 4),
        41 | 42 => steps(36, 3),
        43 | 44 => steps(36, 4),
        45 | 46 => steps(38, 3),
        47 | 48 => steps(38, 4),
        49 | 50 => steps(40, 3),
        51 => steps(40, 4),
        52 => steps(42, 4),
        53 => steps(46, 4),
        54 => steps(48, 4),
        55 => steps(50, 4),
        56 => steps(52, 4),
        57 => steps(54, 3),
        58 => steps(56, 2),
        59 => steps(58, 1),
        _ => steps(60, 0),
    };
    let selectivity = match level {
        ..=55 => P74,
        56 | 57 => P88,
        58 | 59 => P93,
        _ => Exact,
    };
    to_the_end(&ends, empties).unwrap_or((level, selectivity))
}

/// Edax 4.6.
fn edax(level: u32, empties: u32) -> (u32, Selectivity) {
    let ends = match level {
        0..=10 => {
            return to_the_end(&[(2 * level, Exact)], empties).unwrap_or((level, Exact));
        }
        11 | 12 => vec![(21, Exact), (24, P98)],
        13..=18 => vec![(21, Exact), (24, P98), (27, P87)],
        19..=21 => vec![(24, Exact), (27, P98), (30, P87)],
        22..=24 => vec![(24, Exact), (27, P99), (30, P95), (33, P73)],
        25..=27 => vec![(27, Exact), (30, P98), (33, P87)],
        28 | 29 => vec![(27, Exact), (30, P98), (33, P95), (36, P73)],
        30 | 31 => vec![(30, Exact), (33, P98), (36, P87)],
        32 | 33 => vec![(30, Exact), (33, P98), (36, P95), (39, P73)],
        34 | 35 => vec![(30, Exact), (33, P99), (36, P98), (39, P87)],
        36..=59 => vec![
            (level - 6, Exact),
            (level - 3, P99),
            (level, P98),
            (level + 3, P95),
            (level + 6, P87),
            (level + 9, P73),
        ],
        _ => vec![(60, Exact)],
    };
    to_the_end(&ends, empties).unwrap_or((level, P73))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_are_never_less_sure() {
        for level_of in [
            PlayLevel::Egaroucid as fn(u32) -> PlayLevel,
            PlayLevel::Edax,
        ] {
            for empties in 1..=60 {
                let goals: Vec<_> = (1..=60).map(|n| level_of(n).goal(empties, 1)).collect();
                assert!(
                    goals
                        .iter()
                        .all(|goal| goal.depth <= empties && goal.depth > 0)
                );
                let last = &goals[59];
                assert_eq!((last.depth, last.selectivity), (empties, Exact));
                assert!(goals.is_sorted_by_key(|goal| goal.depth), "{empties}");
            }
        }
    }

    #[test]
    fn rows_of_the_tables() {
        let goal = |level: PlayLevel, empties| {
            let goal = level.goal(empties, 1);
            (goal.depth, goal.selectivity.percent())
        };
        let egaroucid = [
            (5, 10, 10, 100),
            (5, 11, 5, 100),
            (11, 25, 25, 98),
            (21, 31, 21, 74),
        ];
        for (level, empties, depth, percent) in egaroucid {
            assert_eq!(goal(PlayLevel::Egaroucid(level), empties), (depth, percent));
        }
        for (empties, percent) in [(34, 100), (36, 99), (38, 98), (40, 93)] {
            assert_eq!(goal(PlayLevel::Egaroucid(37), empties), (empties, percent));
        }
        assert_eq!(goal(PlayLevel::Egaroucid(0), 30), (1, 100));
        let edax = [
            (21, 30, 30, 87),
            (21, 31, 21, 73),
            (40, 34, 34, 100),
            (40, 49, 49, 73),
        ];
        for (level, empties, depth, percent) in edax {
            assert_eq!(goal(PlayLevel::Edax(level), empties), (depth, percent));
        }
    }
}
