//! What is told about a match: a line for each game on standard error, the summary on standard
//! output.

use std::collections::BTreeMap;

use shogi_core::Color;

use super::game::Side;
use super::log::Entry;
use super::referee::Reason;
use super::score::{GameResult, Score};
use super::seats::color_of_a;

/// Sums up the games of a match.
#[derive(Debug)]
pub(crate) struct Report {
    /// What A and B call themselves.
    names: [String; 2],
    /// How many games are to be played.
    games: u32,
    score: Score,
    /// Results of games whose partner in the pair is not finished, by the number of the pair.
    halves: BTreeMap<usize, GameResult>,
    /// How often games ended for each reason, by the reason's name.
    endings: BTreeMap<String, u32>,
    /// What A and B did wrong.
    fouls: [Fouls; 2],
    /// The longest that A and B thought about a move, in milliseconds.
    slowest_ms: [u64; 2],
}

/// How often an engine lost by a foul.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Fouls {
    illegal_moves: u32,
    crashes: u32,
    time_forfeits: u32,
}

impl Fouls {
    fn add(&mut self, reason: Reason) {
        match reason {
            Reason::IllegalMove => self.illegal_moves += 1,
            Reason::Crash => self.crashes += 1,
            Reason::TimeForfeit => self.time_forfeits += 1,
            _ => {}
        }
    }

    const fn sum(self) -> u32 {
        self.illegal_moves + self.crashes + self.time_forfeits
    }
}

impl Report {
    pub(crate) fn new(names: [&str; 2], games: u32) -> Self {
        Self {
            names: names.map(str::to_owned),
            games,
            score: Score::default(),
            halves: BTreeMap::new(),
            endings: BTreeMap::new(),
            fouls: [Fouls::default(); 2],
            slowest_ms: [0; 2],
        }
    }

    /// Counts a finished game.
    pub(crate) fn add(&mut self, entry: &Entry) {
        let result = result_of_a(entry);
        self.score.add_game(result);
        match self.halves.remove(&(entry.game / 2)) {
            Some(other) => self.score.add_pair([other, result]),
            None => drop(self.halves.insert(entry.game / 2, result)),
        }
        *self
            .endings
            .entry(format!("{:?}", entry.played.reason))
            .or_default() += 1;
        let mut slowest = entry.played.slowest_ms;
        if color_of_a(entry.game) == Color::White {
            slowest.reverse();
        }
        for (engine, ms) in slowest.into_iter().enumerate() {
            self.slowest_ms[engine] = self.slowest_ms[engine].max(ms);
        }
        if entry.played.reason.is_foul() {
            let loser = usize::from(result == GameResult::Win);
            self.fouls[loser].add(entry.played.reason);
        }
    }

    /// Number of games that ended by a foul.
    pub(crate) fn fouls(&self) -> u32 {
        self.fouls.iter().map(|fouls| fouls.sum()).sum()
    }

    /// A line about a game that has just ended and the score so far.
    pub(crate) fn print_progress(&self, entry: &Entry) {
        let played = &entry.played;
        let detail = played
            .detail
            .as_ref()
            .map_or(String::new(), |text| format!(" ({text})"));
        eprintln!(
            "{:>5}/{}  {:<4} {:?}{detail}, {} plies  |  A {}  {}",
            self.score.games(),
            self.games,
            match result_of_a(entry) {
                GameResult::Win => "A",
                GameResult::Draw => "draw",
                GameResult::Loss => "B",
            },
            played.reason,
            played.plies,
            self.score,
            self.score
                .elo()
                .map_or(String::new(), |elo| format!("Elo {elo}")),
        );
    }

    /// Everything about the match.
    pub(crate) fn print_summary(&self) {
        let [a, b] = &self.names;
        let score = &self.score;
        println!("A: {a}");
        println!("B: {b}");
        println!("games: {}, A {score}", score.games());
        if let (Some(mean), Some(elo)) = (score.mean(), score.elo()) {
            println!("score of A: {:.1} %, Elo {elo} (95 %)", mean * 100.0);
        }
        println!("pairs by A's points (0, ½, 1, 1½, 2): {:?}", score.pairs);
        let endings: Vec<String> = self
            .endings
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        println!("endings: {}", endings.join(", "));
        for (name, engine) in [("A", 0), ("B", 1)] {
            let fouls = self.fouls[engine];
            println!(
                "{name}: {} illegal moves, {} crashes, {} time forfeits, slowest move {} ms",
                fouls.illegal_moves, fouls.crashes, fouls.time_forfeits, self.slowest_ms[engine]
            );
        }
    }
}

fn result_of_a(entry: &Entry) -> GameResult {
    let a = Side::from(color_of_a(entry.game));
    match entry.played.winner {
        None => GameResult::Draw,
        Some(winner) if winner == a => GameResult::Win,
        Some(_) => GameResult::Loss,
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::Played;
    use super::*;

    fn entry(game: usize, winner: Option<Side>, reason: Reason) -> Entry {
        let played = Played {
            winner,
            reason,
            position: "startpos".to_owned(),
            plies: 0,
            slowest_ms: [10, 20],
            detail: None,
        };
        Entry { game, played }
    }

    #[test]
    fn colours_alternate_within_a_pair() {
        let mut report = Report::new(["a", "b"], 4);
        // Black wins both games of the first pair: one each. Games end in any order.
        report.add(&entry(1, Some(Side::Black), Reason::Mate));
        assert_eq!(report.score.pairs, [0; 5]);
        report.add(&entry(0, Some(Side::Black), Reason::Mate));
        assert_eq!(report.score.pairs, [0, 0, 1, 0, 0]);
        report.add(&entry(2, Some(Side::Black), Reason::Resign));
        report.add(&entry(3, None, Reason::Repetition));
        assert_eq!(report.score.pairs, [0, 0, 1, 1, 0]);
        assert_eq!(report.score.to_string(), "+2 =1 -1");
    }

    #[test]
    fn fouls_are_charged_to_the_loser() {
        let mut report = Report::new(["a", "b"], 4);
        report.add(&entry(0, Some(Side::White), Reason::IllegalMove));
        report.add(&entry(1, Some(Side::White), Reason::Crash));
        report.add(&entry(3, Some(Side::Black), Reason::TimeForfeit));
        assert_eq!(
            report.fouls[0],
            Fouls {
                illegal_moves: 1,
                crashes: 0,
                time_forfeits: 1
            }
        );
        assert_eq!(
            report.fouls[1],
            Fouls {
                illegal_moves: 0,
                crashes: 1,
                time_forfeits: 0
            }
        );
        assert_eq!(report.fouls(), 3);
    }

    #[test]
    fn times_are_charged_to_who_used_them() {
        let mut report = Report::new(["a", "b"], 2);
        report.add(&entry(0, None, Reason::MaxPlies));
        assert_eq!(report.slowest_ms, [10, 20]);
        report.add(&entry(1, None, Reason::MaxPlies));
        assert_eq!(report.slowest_ms, [20, 20]);
    }
}
