//! Selecting and counting records.

use std::collections::{BTreeMap, HashSet};

use othello_core::{Board, Move, Position, Side, Symmetry};

use crate::RecordKind;
use crate::opening::NamedOpening;
use crate::openings::OpeningNames;
use crate::tree::{OthelloRecord, date_numbers};

/// The records that are wanted. The default wants all; of a list, one must fit.
#[derive(Clone, Debug, Default)]
pub struct OthelloFilter {
    /// Parts of the name of a player.
    pub players: Vec<String>,
    /// Parts of the name of black's player.
    pub black: Vec<String>,
    /// Parts of the name of white's player.
    pub white: Vec<String>,
    /// Parts of the name of the event.
    pub events: Vec<String>,
    /// The lowest rating of both players.
    pub min_rating: Option<f64>,
    /// The first day: year, month, day.
    pub since: Option<[u16; 3]>,
    /// The last day.
    pub until: Option<[u16; 3]>,
    /// The fewest discs placed.
    pub min_moves: Option<u32>,
    /// The most discs placed.
    pub max_moves: Option<u32>,
    /// The lowest difference of discs for black.
    pub min_score: Option<i32>,
    /// The highest difference of discs for black.
    pub max_score: Option<i32>,
    /// Who won.
    pub winners: Vec<GameWinner>,
    /// Games that pass one of these positions, in any orientation.
    pub through: Vec<Position>,
    /// Names of openings that the game passes, in either language: the whole name, not a part.
    pub openings: Vec<String>,
    /// Beginnings of the names of openings that the game passes, in either language.
    pub opening_prefixes: Vec<String>,
    /// Only games that are over.
    pub is_finished: bool,
    /// Only games from the start position.
    pub is_from_start: bool,
}

/// Who won a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameWinner {
    /// Black won.
    Black,
    /// White won.
    White,
    /// Nobody won.
    Draw,
    /// The record does not say.
    Unknown,
}

impl GameWinner {
    /// The winner of a record.
    pub fn of(record: &OthelloRecord) -> Self {
        match record.result() {
            None => Self::Unknown,
            Some(result) => match result.winner() {
                Some(Side::Black) => Self::Black,
                Some(Side::White) => Self::White,
                None => Self::Draw,
            },
        }
    }

    /// The name in counts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Black => "black",
            Self::White => "white",
            Self::Draw => "draw",
            Self::Unknown => "unknown",
        }
    }
}

/// Returns whether a text has one of some parts, whatever their case; true without any.
fn has_part<'a>(texts: impl IntoIterator<Item = &'a str>, parts: &[String]) -> bool {
    let lower: Vec<String> = texts.into_iter().map(str::to_lowercase).collect();
    parts.is_empty()
        || parts
            .iter()
            .any(|part| lower.iter().any(|text| text.contains(&part.to_lowercase())))
}

impl OthelloFilter {
    /// Returns whether a record is wanted. `names` are the openings that have names.
    pub fn accepts(&self, record: &OthelloRecord, names: &OpeningNames) -> bool {
        let info = &record.info;
        let (black, white) = (info.black.name.as_str(), info.white.name.as_str());
        has_part([black, white], &self.players)
            && has_part([black], &self.black)
            && has_part([white], &self.white)
            && has_part([info.event.as_str()], &self.events)
            && self.accepts_numbers(record)
            && (self.winners.is_empty() || self.winners.contains(&GameWinner::of(record)))
            && (!self.is_from_start || record.start() == Position::START)
            && (!self.is_finished || record.node(record.last()).position().board().is_over())
            && self.accepts_positions(record, names)
    }

    fn accepts_numbers(&self, record: &OthelloRecord) -> bool {
        let info = &record.info;
        let moves = record.discs_placed();
        let score = record.result().and_then(crate::OthelloResult::score);
        let is_rated = |rating: &str| {
            rating
                .trim()
                .parse::<f64>()
                .is_ok_and(|rating| self.min_rating.is_some_and(|least| rating >= least))
        };
        let date = date_numbers(&info.date);
        self.min_moves.is_none_or(|least| moves >= least)
            && self.max_moves.is_none_or(|most| moves <= most)
            && self
                .min_score
                .is_none_or(|least| score.is_some_and(|score| score >= least))
            && self
                .max_score
                .is_none_or(|most| score.is_some_and(|score| score <= most))
            && (self.min_rating.is_none()
                || is_rated(&info.black.rating) && is_rated(&info.white.rating))
            && self
                .since
                .is_none_or(|since| date.is_some_and(|date| date >= since))
            && self
                .until
                .is_none_or(|until| date.is_some_and(|date| date <= until))
    }

    fn accepts_positions(&self, record: &OthelloRecord, names: &OpeningNames) -> bool {
        let is_through = || {
            let wanted: Vec<Board> = self
                .through
                .iter()
                .map(|position| position.board().canonical().board)
                .collect();
            let mut passed = record
                .main_line()
                .map(|id| record.node(id).position().board().canonical().board);
            passed.any(|board| wanted.contains(&board))
        };
        let has_opening = || {
            let game = record.game();
            let along = names.along(&game);
            let any = |texts: &[String], fits: fn(&NamedOpening, &str) -> bool| {
                texts.is_empty() || { along.iter() }
                    .any(|(_, opening)| texts.iter().any(|text| fits(opening, text)))
            };
            any(&self.openings, NamedOpening::is_called)
                && any(&self.opening_prefixes, NamedOpening::name_begins_with)
        };
        let is_any = self.openings.is_empty() && self.opening_prefixes.is_empty();
        (self.through.is_empty() || is_through()) && (is_any || has_opening())
    }
}

/// A form of a game that is the same for its symmetric images: the smallest of the eight, as the start position's bits and the
/// numbers of the moves' squares.
pub fn canonical_moves(record: &OthelloRecord) -> Vec<u8> {
    let game = record.game();
    let image = |symmetry: &Symmetry| {
        let start = symmetry.board(game.start().board());
        let bits = [start.mover(), start.opponent()];
        let squares = game
            .moves()
            .iter()
            .filter_map(|&mv| match symmetry.apply(mv) {
                Move::Place(square) => Some(square.number()),
                Move::Pass => None,
            });
        let bits = bits.into_iter().flat_map(u64::to_be_bytes);
        bits.chain(squares).collect::<Vec<u8>>()
    };
    Symmetry::ALL.iter().map(image).min().unwrap_or_default()
}

/// Counts of records.
#[derive(Clone, Debug, Default)]
pub struct OthelloStats {
    /// Records.
    pub games: u64,
    /// Discs placed.
    pub moves: u64,
    /// Passes.
    pub passes: u64,
    /// Variations.
    pub variations: u64,
    /// Records whose moves occurred before, in any orientation.
    pub repeated: u64,
    /// Records by format.
    pub formats: BTreeMap<String, u64>,
    /// Records by winner.
    pub winners: BTreeMap<GameWinner, u64>,
    /// Records by the difference of discs for black.
    pub scores: BTreeMap<i32, u64>,
    /// Records by year; 0 for none.
    pub years: BTreeMap<u16, u64>,
    /// Records by discs placed, in tens.
    pub lengths: BTreeMap<u32, u64>,
    /// Records by event.
    pub events: BTreeMap<String, u64>,
    /// Records by the name of their opening; empty for none.
    pub openings: BTreeMap<String, u64>,
    /// Games of each player.
    pub players: BTreeMap<String, PlayerGames>,
    seen: HashSet<Vec<u8>>,
}

/// The games of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerGames {
    /// All games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// The sum of the differences of discs, for this player.
    pub discs: i64,
}

impl OthelloStats {
    /// Counts a record; `opening` is the name of its opening.
    pub fn add(&mut self, record: &OthelloRecord, kind: RecordKind, opening: Option<&str>) {
        self.games += 1;
        let placed = record.discs_placed();
        self.moves += u64::from(placed);
        let moves = record
            .main_line()
            .filter(|id| record.node(*id).mv() == Some(Move::Pass))
            .count();
        self.passes += moves as u64;
        self.variations += record.variations() as u64;
        *self.formats.entry(kind.to_string()).or_default() += 1;
        *self.lengths.entry(placed / 10 * 10).or_default() += 1;
        let winner = GameWinner::of(record);
        *self.winners.entry(winner).or_default() += 1;
        let score = record.result().and_then(crate::OthelloResult::score);
        if let Some(score) = score {
            *self.scores.entry(score).or_default() += 1;
        }
        let year = date_numbers(&record.info.date).map_or(0, |[year, ..]| year);
        *self.years.entry(year).or_default() += 1;
        if !record.info.event.is_empty() {
            *self.events.entry(record.info.event.clone()).or_default() += 1;
        }
        *self
            .openings
            .entry(opening.unwrap_or_default().to_owned())
            .or_default() += 1;
        for (side, player) in [
            (Side::Black, &record.info.black),
            (Side::White, &record.info.white),
        ] {
            if !player.name.is_empty() {
                self.player(&player.name, side, winner, score);
            }
        }
        // A position alone is no game that occurs again.
        if placed > 0 && !self.seen.insert(canonical_moves(record)) {
            self.repeated += 1;
        }
    }

    fn player(&mut self, name: &str, side: Side, winner: GameWinner, score: Option<i32>) {
        let player = self.players.entry(name.to_owned()).or_default();
        player.games += 1;
        match (winner, side) {
            (GameWinner::Black, Side::Black) | (GameWinner::White, Side::White) => player.wins += 1,
            (GameWinner::Black | GameWinner::White, _) => player.losses += 1,
            (GameWinner::Draw, _) => player.draws += 1,
            (GameWinner::Unknown, _) => {}
        }
        let score = i64::from(score.unwrap_or(0));
        player.discs += if side == Side::Black { score } else { -score };
    }

    /// The mean difference of discs for black, of records that say it.
    pub fn mean_score(&self) -> Option<f64> {
        let games: u64 = self.scores.values().sum();
        let discs: i64 = self
            .scores
            .iter()
            .map(|(score, games)| i64::from(*score) * *games as i64)
            .sum();
        (games > 0).then(|| discs as f64 / games as f64)
    }
}

#[cfg(test)]
mod tests {
    use othello_core::Game;

    use super::*;
    use crate::{OthelloOutcome, OthelloResult};

    fn record(moves: &str, black: &str, date: &str, score: Option<i32>) -> OthelloRecord {
        let mut record = OthelloRecord::from(&moves.parse::<Game>().unwrap());
        record.info.black.name = black.to_owned();
        record.info.white.name = "White".to_owned();
        record.info.date = date.to_owned();
        record.set_result(score.map(|score| OthelloResult::played(OthelloOutcome::Score(score))));
        record
    }

    fn position(moves: &str) -> Position {
        moves.parse::<Game>().unwrap().position()
    }

    fn setting() -> (&'static OpeningNames, OthelloRecord, OthelloFilter) {
        let game = record("f5d6c3d3c4f4", "Ada Lovelace", "2024-05-01", Some(-2));
        (OpeningNames::built_in(), game, OthelloFilter::default())
    }

    #[test]
    fn filters_take_records_by_all_that_they_say() {
        let (names, game, all) = setting();
        assert!(all.accepts(&game, names));
        let yes = [
            OthelloFilter {
                players: vec!["lovelace".into()],
                ..all.clone()
            },
            OthelloFilter {
                black: vec!["x".into(), "ADA".into()],
                ..all.clone()
            },
            OthelloFilter {
                since: Some([2024, 5, 1]),
                until: Some([2024, 5, 1]),
                ..all.clone()
            },
            OthelloFilter {
                min_moves: Some(6),
                max_moves: Some(6),
                ..all.clone()
            },
            OthelloFilter {
                min_score: Some(-2),
                max_score: Some(-2),
                winners: vec![GameWinner::White],
                ..all.clone()
            },
            OthelloFilter {
                through: vec![position("c4e3f6")],
                ..all.clone()
            },
            OthelloFilter {
                openings: vec!["tiger".into()],
                is_from_start: true,
                ..all.clone()
            },
            OthelloFilter {
                openings: vec!["虎".into()],
                ..all.clone()
            },
        ];
        for filter in yes {
            assert!(filter.accepts(&game, names), "{filter:?}");
        }
    }

    #[test]
    fn filters_leave_out_records_by_all_that_they_say() {
        let (names, game, all) = setting();
        let no = [
            OthelloFilter {
                players: vec!["Bob".into()],
                ..all.clone()
            },
            OthelloFilter {
                white: vec!["ada".into()],
                ..all.clone()
            },
            OthelloFilter {
                events: vec!["cup".into()],
                ..all.clone()
            },
            OthelloFilter {
                since: Some([2024, 5, 2]),
                ..all.clone()
            },
            OthelloFilter {
                until: Some([2024, 4, 31]),
                ..all.clone()
            },
            OthelloFilter {
                min_moves: Some(7),
                ..all.clone()
            },
            OthelloFilter {
                max_moves: Some(5),
                ..all.clone()
            },
            OthelloFilter {
                min_score: Some(-1),
                ..all.clone()
            },
            OthelloFilter {
                max_score: Some(-3),
                ..all.clone()
            },
            OthelloFilter {
                winners: vec![GameWinner::Black, GameWinner::Draw],
                ..all.clone()
            },
            OthelloFilter {
                through: vec![position("f5f6")],
                ..all.clone()
            },
            OthelloFilter {
                openings: vec!["cow".into()],
                ..all.clone()
            },
            OthelloFilter {
                min_rating: Some(1.0),
                ..all.clone()
            },
            OthelloFilter {
                is_finished: true,
                ..all
            },
        ];
        for filter in no {
            assert!(!filter.accepts(&game, names), "{filter:?}");
        }
    }

    #[test]
    fn records_are_counted() {
        let mut stats = OthelloStats::default();
        stats.add(
            &record("f5d6c3", "A", "2024", Some(10)),
            RecordKind::Ggf,
            Some("Tiger"),
        );
        stats.add(
            &record("c4e3f6", "White", "2023.1.1", Some(-10)),
            RecordKind::Ggf,
            None,
        );
        stats.add(&record("f5", "", "", None), RecordKind::Sgf, None);
        assert_eq!((stats.games, stats.moves, stats.repeated), (3, 7, 1));
        assert_eq!(stats.mean_score(), Some(0.0));
        let white = stats.players["White"];
        // Against oneself a game is won and lost.
        assert_eq!(
            white,
            PlayerGames {
                games: 4,
                wins: 1,
                draws: 0,
                losses: 2,
                discs: -10
            }
        );
        assert_eq!(
            stats.years.keys().copied().collect::<Vec<_>>(),
            [0, 2023, 2024]
        );
    }
}
