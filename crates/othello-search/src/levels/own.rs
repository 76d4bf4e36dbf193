//! Levels of our own. Each searches some plies in the midgame; the lowest ones, where a ply gains more than 150 Elo, are set apart by
//! searching a ply deeper from some number of empty squares on. The end is solved where that costs about as much as the searches before it
//! together, and for a move to play a search for win, loss or draw, at a third of the cost, comes two empty squares earlier. From level 18 on
//! an earlier end gains little, so that levels are two plies or more apart until the midgame costs most of the time.
//!
//! Depths, and where the end begins, are from measured costs and games: a ply costs 1.55 times as much at 74 %, an empty square of the end 2.1
//! times (`docs/othello-engine.md` has the table, `examples/level_matches.rs` measures it).

use crate::api::Selectivity;
use Selectivity::{Exact, P74};

/// How a level searches.
#[derive(Clone, Copy)]
struct Row {
    /// Plies in the midgame.
    plies: u32,
    /// Empty squares from which on the midgame is searched a ply deeper; 0 for never.
    deeper: u32,
    /// Empty squares from which on the end is solved.
    solved: u32,
}

impl Row {
    const fn new(plies: u32, solved: u32) -> Self {
        Self {
            plies,
            deeper: 0,
            solved,
        }
    }

    /// The same, a ply deeper from so many empty squares on.
    const fn deeper_from(self, deeper: u32) -> Self {
        Self { deeper, ..self }
    }
}

/// Levels from 1 on. Those beyond go on [in the same way](row).
const LEVELS: [Row; 26] = [
    Row::new(1, 8),
    Row::new(1, 8).deeper_from(26),
    Row::new(1, 8).deeper_from(40),
    Row::new(2, 9),
    Row::new(2, 9).deeper_from(28),
    Row::new(2, 9).deeper_from(42),
    Row::new(3, 10),
    Row::new(3, 10).deeper_from(36),
    Row::new(4, 11),
    Row::new(4, 11).deeper_from(34),
    Row::new(5, 13),
    Row::new(6, 14),
    Row::new(7, 15),
    Row::new(8, 16),
    Row::new(9, 17),
    Row::new(10, 18),
    Row::new(11, 19),
    Row::new(12, 20),
    Row::new(15, 20).deeper_from(36),
    Row::new(17, 21),
    Row::new(19, 21),
    Row::new(21, 21),
    Row::new(22, 22),
    Row::new(23, 23),
    Row::new(24, 23),
    Row::new(25, 24),
];

/// So many empty squares before the end is solved a search for win, loss or draw begins.
const WLD: u32 = 2;

/// With so many plies in the midgame a level prunes by probability: fewer are too shallow for it.
const SELECTIVE: u32 = 5;

/// The depth and selectivity of a level from 1 to 60 with so many empty squares.
pub(super) fn goal(level: u32, empties: u32) -> (u32, Selectivity) {
    let row = row(level);
    if empties <= row.solved {
        return (empties, Exact);
    }
    let plies = row.plies + u32::from(empties <= row.deeper);
    if row.plies < SELECTIVE {
        (plies, Exact)
    } else {
        (plies, P74)
    }
}

/// The selectivity of the search for win, loss or draw, where there is one.
pub(super) fn wld(level: u32, empties: u32) -> Option<Selectivity> {
    let solved = row(level).solved;
    (solved + 1..=solved + WLD)
        .contains(&empties)
        .then_some(Exact)
}

/// How a level from 1 to 60 searches: beyond the table each is a ply deeper, and level 60 solves everything.
fn row(level: u32) -> Row {
    let known = LEVELS.get(level.saturating_sub(1) as usize);
    known.copied().unwrap_or_else(|| {
        let solved = 24 + level.saturating_sub(26) * 3 / 5;
        Row::new(level - 1, solved.max((2 * level).saturating_sub(60)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_begins_earlier_at_higher_levels() {
        let all: Vec<u32> = (1..=60).map(|level| row(level).solved).collect();
        assert!(all.is_sorted(), "{all:?}");
        assert_eq!((all[0], all[25], all[59]), (8, 24, 60));
    }

    #[test]
    fn who_wins_is_searched_before_the_end_is_solved() {
        assert_eq!(goal(26, 25), (25, P74));
        assert_eq!((goal(21, 30), goal(27, 40)), ((19, P74), (26, P74)));
        let found: Vec<u32> = (1..=60).filter(|&it| wld(26, it).is_some()).collect();
        assert_eq!(found, [25, 26]);
        assert_eq!(goal(26, 24), (24, Exact));
        assert_eq!(goal(9, 40), (4, Exact));
        assert_eq!((goal(60, 60), wld(60, 60)), ((60, Exact), None));
    }

    #[test]
    fn low_levels_look_deeper_as_the_game_goes_on() {
        let plies = |level| [50, 40, 34, 20].map(|empties| goal(level, empties).0);
        assert_eq!(plies(1), [1, 1, 1, 1]);
        assert_eq!(plies(3), [1, 2, 2, 2]);
        assert_eq!(plies(10), [4, 4, 5, 5]);
        assert_eq!(goal(10, 34), (5, Exact));
    }
}
