//! Selecting and counting records.

use std::collections::{BTreeMap, HashSet};

use othello_core::{Board, Move, Position, Side, Symmetry};
use yane_io::archive::{RecordDate, RecordSelection, SelectableRecord};

use crate::RecordKind;
use crate::opening::NamedOpening;
use crate::openings::OpeningNames;
use crate::tree::{OthelloRecord, parse_date};

/// The records that are wanted: those that fit everything that is given. The default wants all; of a list, one must fit.
#[derive(Clone, Debug, Default)]
pub struct OthelloFilter {
    /// What may be asked for in every game; moves are discs placed.
    pub common: RecordSelection<GameWinner>,
    /// Parts of the name of the event.
    pub events: Vec<String>,
    /// The lowest difference of discs for black.
    pub min_score: Option<i32>,
    /// The highest difference of discs for black.
    pub max_score: Option<i32>,
    /// Games that pass one of these positions, in any orientation.
    pub through: Vec<Position>,
    /// Names of openings that the game passes, in either language: the whole name, not a part.
    pub openings: Vec<String>,
    /// Beginnings of the names of openings that the game passes, in either language.
    pub opening_prefixes: Vec<String>,
    /// Only games that are over.
    pub is_finished: bool,
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

impl SelectableRecord for OthelloRecord {
    type Outcome = GameWinner;

    fn players(&self) -> [&str; 2] {
        [&self.info.black.name, &self.info.white.name]
    }

    fn ratings(&self) -> [Option<f64>; 2] {
        [&self.info.black, &self.info.white].map(|player| player.rating.trim().parse().ok())
    }

    fn day(&self) -> Option<RecordDate> {
        parse_date(&self.info.date)
    }

    /// Discs placed.
    fn length(&self) -> usize {
        self.discs_placed() as usize
    }

    fn result(&self) -> GameWinner {
        GameWinner::of(self)
    }

    fn is_from_start(&self) -> bool {
        self.start() == Position::START
    }

    /// Whatever their case.
    fn has_part(name: &str, part: &str) -> bool {
        name.to_lowercase().contains(&part.to_lowercase())
    }
}

impl OthelloFilter {
    /// Returns whether a record is wanted. `names` are the openings that have names.
    pub fn accepts(&self, record: &OthelloRecord, names: &OpeningNames) -> bool {
        let is_of_event = |part: &String| OthelloRecord::has_part(&record.info.event, part);
        self.common.accepts(record)
            && (self.events.is_empty() || self.events.iter().any(is_of_event))
            && self.accepts_score(record)
            && (!self.is_finished || record.node(record.last()).position().board().is_over())
            && self.accepts_positions(record, names)
    }

    fn accepts_score(&self, record: &OthelloRecord) -> bool {
        if self.min_score.is_none() && self.max_score.is_none() {
            return true;
        }
        let score = record.result().and_then(crate::OthelloResult::score);
        score.is_some_and(|score| {
            self.min_score.is_none_or(|least| score >= least)
                && self.max_score.is_none_or(|most| score <= most)
        })
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
        let year = parse_date(&record.info.date).map_or(0, |date| date.year);
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

    type Change = fn(&mut OthelloFilter);

    fn accepts(change: Change) -> bool {
        let game = record("f5d6c3d3c4f4", "Ada Lovelace", "2024-05-01", Some(-2));
        let mut filter = OthelloFilter::default();
        change(&mut filter);
        filter.accepts(&game, OpeningNames::built_in())
    }

    const fn day(day: u8) -> RecordDate {
        RecordDate {
            year: 2024,
            month: 5,
            day,
        }
    }

    #[test]
    fn filters_take_records_by_all_that_they_say() {
        let fits: [Change; 9] = [
            |_| (),
            |it| it.common.players = vec!["lovelace".into()],
            |it| it.common.black = vec!["x".into(), "ADA".into()],
            |it| (it.common.since, it.common.until) = (Some(day(1)), Some(day(1))),
            |it| (it.common.min_moves, it.common.max_moves) = (Some(6), Some(6)),
            |it| {
                (it.min_score, it.max_score) = (Some(-2), Some(-2));
                it.common.outcomes = vec![GameWinner::White];
            },
            |it| it.through = vec![position("c4e3f6")],
            |it| {
                it.openings = vec!["tiger".into()];
                it.common.is_from_start = true;
            },
            |it| it.openings = vec!["虎".into()],
        ];
        for (number, change) in fits.into_iter().enumerate() {
            assert!(accepts(change), "{number}");
        }
    }

    #[test]
    fn filters_leave_out_records_by_all_that_they_say() {
        let does_not_fit: [Change; 14] = [
            |it| it.common.players = vec!["Bob".into()],
            |it| it.common.white = vec!["ada".into()],
            |it| it.events = vec!["cup".into()],
            |it| it.common.since = Some(day(2)),
            |it| it.common.until = Some(day(0)),
            |it| it.common.min_moves = Some(7),
            |it| it.common.max_moves = Some(5),
            |it| it.min_score = Some(-1),
            |it| it.max_score = Some(-3),
            |it| it.common.outcomes = vec![GameWinner::Black, GameWinner::Draw],
            |it| it.through = vec![position("f5f6")],
            |it| it.openings = vec!["cow".into()],
            |it| it.common.min_rating = Some(1.0),
            |it| it.is_finished = true,
        ];
        for (number, change) in does_not_fit.into_iter().enumerate() {
            assert!(!accepts(change), "{number}");
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
