//! What happened in the games of a match: results, endings, fouls, use of time.

use std::collections::BTreeMap;

use serde::Serialize;
use shogi_core::Color;

use super::clock::Usage;
use super::game::{Played, Side};
use super::log::Entry;
use super::referee::Reason;
use super::score::{GameResult, Score};
use super::seats::color_of_a;

/// Sums up the games of a match.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) score: Score,
    /// Results of games whose partner in the pair is not finished, by the number of the pair.
    halves: BTreeMap<usize, GameResult>,
    /// How often games ended for each reason.
    pub(crate) endings: BTreeMap<Reason, u32>,
    /// What A and B did wrong.
    pub(crate) fouls: [Fouls; 2],
    /// How A and B used their time.
    pub(crate) usage: [Usage; 2],
}

/// How often an engine lost by a foul.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Fouls {
    pub(crate) illegal_moves: u32,
    pub(crate) crashes: u32,
    pub(crate) time_forfeits: u32,
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

impl Tally {
    /// Counts a finished game.
    pub(crate) fn add(&mut self, entry: &Entry) {
        let result = result_of_a(entry.game, &entry.played);
        self.score.add_game(result);
        match self.halves.remove(&(entry.game / 2)) {
            Some(other) => self.score.add_pair([other, result]),
            None => drop(self.halves.insert(entry.game / 2, result)),
        }
        *self.endings.entry(entry.played.reason).or_default() += 1;
        let mut usage = entry.played.usage;
        if color_of_a(entry.game) == Color::White {
            usage.reverse();
        }
        for (sum, usage) in self.usage.iter_mut().zip(usage) {
            *sum = sum.joined(usage);
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
}

/// How the game with the given number went for engine A.
pub(crate) fn result_of_a(game: usize, played: &Played) -> GameResult {
    match played.winner {
        None => GameResult::Draw,
        Some(winner) if winner == Side::from(color_of_a(game)) => GameResult::Win,
        Some(_) => GameResult::Loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(game: usize, winner: Option<Side>, reason: Reason) -> Entry {
        let usage = |slowest_ms| Usage {
            slowest_ms,
            ..Usage::default()
        };
        let played = Played {
            winner,
            reason,
            position: "startpos".to_owned(),
            plies: 0,
            usage: [usage(10), usage(20)],
            detail: None,
        };
        Entry { game, played }
    }

    #[test]
    fn colours_alternate_within_a_pair() {
        let mut tally = Tally::default();
        // Black wins both games of the first pair: one each. Games end in any order.
        tally.add(&entry(1, Some(Side::Black), Reason::Mate));
        assert_eq!(tally.score.pairs, [0; 5]);
        tally.add(&entry(0, Some(Side::Black), Reason::Mate));
        assert_eq!(tally.score.pairs, [0, 0, 1, 0, 0]);
        tally.add(&entry(2, Some(Side::Black), Reason::Resign));
        tally.add(&entry(3, None, Reason::Repetition));
        assert_eq!(tally.score.pairs, [0, 0, 1, 1, 0]);
        assert_eq!(tally.score.to_string(), "+2 =1 -1");
    }

    #[test]
    fn fouls_are_charged_to_the_loser() {
        let mut tally = Tally::default();
        tally.add(&entry(0, Some(Side::White), Reason::IllegalMove));
        tally.add(&entry(1, Some(Side::White), Reason::Crash));
        tally.add(&entry(3, Some(Side::Black), Reason::TimeForfeit));
        let fouls = |illegal_moves, crashes, time_forfeits| Fouls {
            illegal_moves,
            crashes,
            time_forfeits,
        };
        assert_eq!(tally.fouls, [fouls(1, 0, 1), fouls(0, 1, 0)]);
        assert_eq!(tally.fouls(), 3);
    }

    #[test]
    fn times_are_charged_to_who_used_them() {
        let mut tally = Tally::default();
        let slowest = |tally: &Tally| tally.usage.map(|usage| usage.slowest_ms);
        tally.add(&entry(0, None, Reason::MaxPlies));
        assert_eq!(slowest(&tally), [10, 20]);
        tally.add(&entry(1, None, Reason::MaxPlies));
        assert_eq!(slowest(&tally), [20, 20]);
    }
}
