//! Levels of our own. Up to level 13 a level searches as many plies in the midgame as its number says. The end is solved where that costs
//! about as much as the searches before it together, and for a move to play a search for win, loss or draw, at a third of the cost, comes two
//! empty squares earlier. From level 14 on an earlier end gains little, so that levels are two plies apart until the midgame costs
//! most of the time.
//!
//! Depths, and where the end begins, are from measured costs and games: a ply costs 1.55 times as much at 74 %, an empty square of the end 2.1
//! times (`docs/othello-engine.md` has the table, `examples/level_matches.rs` measures it).

use crate::api::Selectivity;
use Selectivity::{Exact, P74};

/// The plies that levels 1 to 21 search, and the empty squares that they solve.
const LEVELS: [(u32, u32); 21] = [
    (1, 8),
    (2, 9),
    (3, 10),
    (4, 11),
    (5, 13),
    (6, 14),
    (7, 15),
    (8, 16),
    (9, 17),
    (10, 18),
    (11, 19),
    (12, 20),
    (13, 20),
    (15, 20),
    (17, 21),
    (19, 21),
    (21, 21),
    (22, 22),
    (23, 23),
    (24, 23),
    (25, 24),
];

/// So many empty squares before the end is solved a search for win, loss or draw begins.
const WLD: u32 = 2;

/// From this level on the midgame prunes by probability: lower levels are too shallow for it.
const SELECTIVE: u32 = 5;

/// The depth and selectivity of a level from 1 to 60 with so many empty squares.
pub(super) fn goal(level: u32, empties: u32) -> (u32, Selectivity) {
    let (plies, solved) = row(level);
    if empties <= solved {
        (empties, Exact)
    } else if level < SELECTIVE {
        (plies, Exact)
    } else {
        (plies, P74)
    }
}

/// The selectivity of the search for win, loss or draw, where there is one.
pub(super) fn wld(level: u32, empties: u32) -> Option<Selectivity> {
    let (_, solved) = row(level);
    (solved + 1..=solved + WLD)
        .contains(&empties)
        .then_some(Exact)
}

/// The plies that a level searches in the midgame, and the greatest number of empty squares that it solves: all at level 60.
fn row(level: u32) -> (u32, u32) {
    let known = LEVELS.get(level.saturating_sub(1) as usize);
    known.copied().unwrap_or_else(|| {
        let solved = 24 + level.saturating_sub(21) * 3 / 5;
        (level + 4, solved.max((2 * level).saturating_sub(60)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_begins_earlier_at_higher_levels() {
        let all: Vec<u32> = (1..=60).map(|level| row(level).1).collect();
        assert!(all.is_sorted(), "{all:?}");
        assert_eq!((all[0], all[20], all[59]), (8, 24, 60));
    }

    #[test]
    fn who_wins_is_searched_before_the_end_is_solved() {
        assert_eq!(goal(21, 25), (25, P74));
        assert_eq!((goal(16, 30), goal(22, 40)), ((19, P74), (26, P74)));
        let found: Vec<u32> = (1..=60).filter(|&it| wld(21, it).is_some()).collect();
        assert_eq!(found, [25, 26]);
        assert_eq!(goal(21, 24), (24, Exact));
        assert_eq!(goal(4, 40), (4, Exact));
        assert_eq!((goal(60, 60), wld(60, 60)), ((60, Exact), None));
    }
}
