//! Levels of play: how deep and how sure to search, by the number of empty squares.

mod own;
mod programs;

use crate::search::Goal;

/// A level as a program defines it.
///
/// ```
/// use othello_search::{PlayLevel, Selectivity};
///
/// let level = PlayLevel::default();
/// let goal = level.goal_to_play(23);
/// assert_eq!((goal.depth, goal.selectivity), (21, Selectivity::P74));
/// assert_eq!(goal.wld, Some(Selectivity::Exact));
/// assert_eq!(level.goal(21, 1).selectivity, Selectivity::Exact);
///
/// let level = PlayLevel::Egaroucid(21);
/// let goal = level.goal(40, 1);
/// assert_eq!((goal.depth, goal.selectivity), (21, Selectivity::P74));
/// assert_eq!(level.goal(28, 1).selectivity, Selectivity::P98);
/// assert_eq!(level.goal(24, 1).selectivity, Selectivity::Exact);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayLevel {
    /// Levels 1 to 60 of this engine; 0 is 1. Up to 21 each is stronger than the one before by some 60 Elo or more, for no more than twice
    /// its time.
    Own(u32),
    /// Levels 1 to 60 of Egaroucid; 0 is 1.
    Egaroucid(u32),
    /// Levels 0 to 60 of Edax.
    Edax(u32),
}

impl Default for PlayLevel {
    /// The [usual](Self::usual) one of our own.
    fn default() -> Self {
        Self::Own(1).usual()
    }
}

impl PlayLevel {
    /// The highest level.
    pub const MOST: u32 = 60;

    /// The number, as the program counts.
    pub const fn number(self) -> u32 {
        match self {
            Self::Own(number) | Self::Egaroucid(number) | Self::Edax(number) => number,
        }
    }

    /// The level of the same program that is meant where none is named: the one that looks 21 plies ahead in the midgame.
    #[must_use]
    pub const fn usual(self) -> Self {
        match self {
            Self::Own(_) => Self::Own(22),
            Self::Egaroucid(_) => Self::Egaroucid(21),
            Self::Edax(_) => Self::Edax(21),
        }
    }

    /// Another level of the same program.
    #[must_use]
    pub const fn with_number(self, number: u32) -> Self {
        match self {
            Self::Own(_) => Self::Own(number),
            Self::Egaroucid(_) => Self::Egaroucid(number),
            Self::Edax(_) => Self::Edax(number),
        }
    }

    /// The depth and selectivity of a search with so many empty squares, for the scores of so many lines.
    pub fn goal(self, empties: u32, lines: usize) -> Goal {
        let (depth, selectivity) = match self {
            Self::Own(level) => own::goal(level.clamp(1, Self::MOST), empties),
            Self::Egaroucid(level) => programs::egaroucid(level.clamp(1, Self::MOST), empties),
            Self::Edax(level) => programs::edax(level.min(Self::MOST), empties),
        };
        Goal::new(depth.min(empties), selectivity, lines)
    }

    /// The search for a move to play: that of [`goal`](Self::goal), with a search for win, loss or draw before the end is solved,
    /// which our own levels have.
    pub fn goal_to_play(self, empties: u32) -> Goal {
        let wld = match self {
            Self::Own(level) => own::wld(level.clamp(1, Self::MOST), empties),
            Self::Egaroucid(_) | Self::Edax(_) => None,
        };
        Goal {
            wld,
            ..self.goal(empties, 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Selectivity::Exact;

    #[test]
    fn higher_levels_are_never_less_sure() {
        for level_of in [
            PlayLevel::Own as fn(u32) -> PlayLevel,
            PlayLevel::Egaroucid,
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
