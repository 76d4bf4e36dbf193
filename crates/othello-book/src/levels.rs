//! The search depths of the levels of Egaroucid and Edax.

/// The numbers of empty squares from which a level of Egaroucid searches to the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndgameDepth {
    /// With any selectivity.
    pub(crate) any: u32,
    /// Exactly.
    pub(crate) exact: u32,
}

/// The end-game depths by the highest level of each row: with any selectivity, then exactly. Up to level 10 both are
/// twice the level.
const EGAROUCID: [(i8, u32, u32); 27] = [
    (12, 25, 21),
    (14, 27, 21),
    (17, 27, 22),
    (19, 29, 22),
    (22, 30, 24),
    (24, 32, 26),
    (26, 34, 26),
    (28, 36, 28),
    (30, 36, 30),
    (32, 38, 30),
    (34, 38, 32),
    (36, 40, 32),
    (38, 40, 34),
    (40, 42, 34),
    (42, 42, 36),
    (44, 44, 36),
    (46, 44, 38),
    (48, 46, 38),
    (50, 46, 40),
    (51, 48, 40),
    (52, 50, 42),
    (53, 54, 46),
    (54, 56, 48),
    (55, 58, 50),
    (56, 60, 52),
    (57, 60, 54),
    (58, 60, 56),
];

/// The end-game depths of a level of Egaroucid. Values entered by hand (level 70) count as exact, undefined levels as
/// unsearched.
pub(crate) fn egaroucid(level: i8) -> EndgameDepth {
    let (any, exact) = match level {
        ..=0 => (0, 0),
        1..=10 => (2 * level as u32, 2 * level as u32),
        59 => (60, 58),
        60.. => (60, 60),
        _ => {
            let row = EGAROUCID.iter().find(|(last, ..)| level <= *last);
            row.map_or((60, 60), |&(_, any, exact)| (any, exact))
        }
    };
    EndgameDepth { any, exact }
}

/// A search setting of Edax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    /// The depth in plies; the number of empty squares for a search to the end of the game.
    pub(crate) depth: u32,
    /// True if the search is exact, without selective pruning.
    pub(crate) exact: bool,
}

/// The search setting of Edax for a level and a number of empty squares.
pub(crate) fn edax(level: u8, empties: u32) -> Search {
    let level = u32::from(level);
    // The numbers of empty squares for an exact search, and for one to the end at all.
    let (exact, any) = match level {
        0..=10 => (2 * level, 2 * level),
        11..=12 => (21, 24),
        13..=18 => (21, 27),
        19..=21 => (24, 30),
        22..=24 => (24, 33),
        25..=27 => (27, 33),
        28..=29 => (27, 36),
        30..=31 => (30, 36),
        32..=35 => (30, 39),
        36..=59 => (level - 6, level + 9),
        _ => (60, 60),
    };
    if level > 0 && empties <= any {
        let exact = empties <= exact;
        Search {
            depth: empties,
            exact,
        }
    } else {
        Search {
            depth: level,
            exact: level <= 10,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_search_as_deep_as_the_programs_say() {
        for (level, any, exact) in [
            (-1, 0, 0),
            (5, 10, 10),
            (11, 25, 21),
            (21, 30, 24),
            (27, 36, 28),
            (51, 48, 40),
            (58, 60, 56),
            (59, 60, 58),
            (60, 60, 60),
            (70, 60, 60),
        ] {
            assert_eq!(egaroucid(level), EndgameDepth { any, exact }, "{level}");
        }
        let search = |depth, exact| Search { depth, exact };
        assert_eq!(edax(0, 0), search(0, true));
        assert_eq!(edax(1, 2), search(2, true));
        assert_eq!(edax(1, 3), search(1, true));
        assert_eq!(edax(21, 24), search(24, true));
        assert_eq!(edax(21, 25), search(25, false));
        assert_eq!(edax(21, 31), search(21, false));
        assert_eq!(edax(36, 31), search(31, false));
        assert_eq!(edax(60, 55), search(55, true));
    }

    #[test]
    fn higher_levels_search_no_less() {
        for level in 0..60i8 {
            let (low, high) = (egaroucid(level), egaroucid(level + 1));
            assert!(low.any <= high.any && low.exact <= high.exact, "{level}");
        }
    }
}
