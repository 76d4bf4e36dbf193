//! `openings` and `levels`: tables that do not change.

use othello_record::OpeningNames;
use othello_search::{Goal, PlayLevel, Selectivity};
use serde::Serialize;

use crate::fields::{OpeningFields, move_names};

/// An opening of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ListedOpening {
    moves: Vec<String>,
    #[serde(flatten)]
    names: OpeningFields,
}

/// All openings that have moves.
pub(crate) fn openings(names: &OpeningNames) -> Vec<ListedOpening> {
    let named = names.openings().iter();
    let named = named.filter(|opening| !opening.game.moves().is_empty());
    let fields = named.map(|opening| ListedOpening {
        moves: move_names(opening.game.moves()),
        names: OpeningFields::of(opening),
    });
    fields.collect()
}

/// How deep and how sure a level searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LevelFields {
    level: u32,
    bands: Vec<Band>,
}

/// Numbers of empty squares with the same searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Band {
    most_empties: u32,
    least_empties: u32,
    /// The depth in plies; none if it is to the end of the game.
    depth: Option<u32>,
    prob: u32,
    to_end: bool,
    /// True if a move to play is searched to the end for win, loss or draw as well.
    wld: bool,
}

/// The levels of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LevelsFields {
    program: &'static str,
    levels: Vec<LevelFields>,
}

/// The levels of the program that a level is of.
pub(crate) fn levels(of: PlayLevel) -> LevelsFields {
    let level = |level| LevelFields {
        level,
        bands: bands(of.with_number(level)),
    };
    LevelsFields {
        program: match of {
            PlayLevel::Own(_) => "own",
            PlayLevel::Egaroucid(_) => "egaroucid",
            PlayLevel::Edax(_) => "edax",
        },
        levels: (1..=PlayLevel::MOST).map(level).collect(),
    }
}

fn bands(level: PlayLevel) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    for empties in (1..=60).rev() {
        let goal = level.goal_to_play(empties);
        let (depth, prob) = search(goal, empties);
        let wld = goal.wld.is_some();
        match bands.last_mut() {
            Some(last) if (last.depth, last.prob, last.wld) == (depth, prob, wld) => {
                last.least_empties = empties;
            }
            _ => bands.push(Band {
                most_empties: empties,
                least_empties: empties,
                depth,
                prob,
                to_end: depth.is_none(),
                wld,
            }),
        }
    }
    bands
}

fn search(goal: Goal, empties: u32) -> (Option<u32>, u32) {
    let depth = (goal.depth < empties).then_some(goal.depth);
    let selectivity: Selectivity = goal.selectivity;
    (depth, selectivity.percent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_bands_from_the_start_to_the_end() {
        for of in [PlayLevel::Own(1), PlayLevel::Edax(1)] {
            bands_are_whole(&levels(of).levels);
        }
        let levels = levels(PlayLevel::Egaroucid(1)).levels;
        bands_are_whole(&levels);
        let middle = &levels[20].bands[0];
        assert_eq!(
            (middle.least_empties, middle.depth, middle.prob),
            (31, Some(21), 74)
        );
        assert!(
            !levels
                .iter()
                .flat_map(|level| &level.bands)
                .any(|band| band.wld)
        );
    }

    fn bands_are_whole(levels: &[LevelFields]) {
        assert_eq!(levels.len(), 60);
        for level in levels {
            let first = level.bands.first().unwrap();
            let last = level.bands.last().unwrap();
            assert_eq!((first.most_empties, last.least_empties), (60, 1));
            assert!((last.to_end, last.prob) == (true, 100));
            let pairs = level.bands.windows(2);
            pairs.for_each(|pair| assert_eq!(pair[0].least_empties, pair[1].most_empties + 1));
        }
    }

    #[test]
    fn openings_have_moves_and_a_name() {
        let openings = openings(OpeningNames::built_in());
        assert!(openings.len() > 88);
        for opening in &openings {
            let fields = serde_json::to_value(opening).unwrap();
            assert!(!opening.moves.is_empty());
            assert!(fields["en"].is_string() || fields["ja"].is_string());
        }
    }
}
