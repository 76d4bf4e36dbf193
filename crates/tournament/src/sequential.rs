//! The sequential test of a match of two, over its games in the order of their numbers.
//!
//! Games that are played side by side end in any order. A test that counted them as they end would depend on who was faster; this one
//! waits for the games before, so that its decision follows from the games alone.

use std::collections::BTreeMap;

use crate::log::LoggedGame;
use crate::rules::PlayerColor;
use crate::score::{GamePoints, MatchScore};
use crate::sprt::{Sprt, SprtDecision};

/// The score of engine 0 of a match in the pairs of games up to the first one that is not finished, and what the test says of it. When
/// the test is decided, later games do not count.
#[derive(Clone, Debug)]
pub struct SequentialScore {
    sprt: Sprt,
    score: MatchScore,
    /// Results of games behind one that is not finished, by number.
    waiting: BTreeMap<u64, GamePoints>,
    decision: Option<SprtDecision>,
}

impl SequentialScore {
    /// The score before the first game.
    pub fn new(sprt: Sprt) -> Self {
        Self {
            sprt,
            score: MatchScore::default(),
            waiting: BTreeMap::new(),
            decision: None,
        }
    }

    /// The score of these games, which may be in any order.
    pub fn of_games<'a>(sprt: Sprt, games: impl IntoIterator<Item = &'a LoggedGame>) -> Self {
        let mut score = Self::new(sprt);
        for game in games {
            score.add(game);
        }
        score
    }

    /// Counts a finished game of engines 0 and 1. Games 2n and 2n + 1 are a pair.
    pub fn add(&mut self, game: &LoggedGame) {
        let color = if game.players[0] == 0 {
            PlayerColor::Black
        } else {
            PlayerColor::White
        };
        self.waiting.insert(game.number, game.played.points(color));
        while self.decision.is_none() {
            let next = u64::from(self.score.games());
            let pair = [next, next + 1].map(|number| self.waiting.get(&number).copied());
            let [Some(one), Some(other)] = pair else {
                return;
            };
            self.score.add_game(one);
            self.score.add_game(other);
            self.score.add_pair([one, other]);
            self.decision = self.sprt.decision(&self.score.pairs);
        }
    }

    /// The decision, if there is one already.
    pub const fn decision(&self) -> Option<SprtDecision> {
        self.decision
    }

    /// The score of the games that count.
    pub const fn score(&self) -> &MatchScore {
        &self.score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::PlayedGame;
    use crate::player::TimeUsage;
    use crate::rules::EndOfGame;

    /// A game that engine 0 wins, or loses.
    fn game(number: u64, points: GamePoints) -> LoggedGame {
        let players = if number.is_multiple_of(2) {
            [0, 1]
        } else {
            [1, 0]
        };
        let color = PlayerColor::ALL[usize::from(players[0] != 0)];
        let winner = match points {
            GamePoints::Win => Some(color),
            GamePoints::Draw => None,
            GamePoints::Loss => PlayerColor::ALL.into_iter().find(|other| *other != color),
        };
        LoggedGame {
            number,
            players,
            played: PlayedGame {
                winner,
                reason: EndOfGame::Mate,
                position: "startpos".to_owned(),
                plies: 0,
                lead: None,
                usage: [TimeUsage::default(); 2],
                detail: None,
                thoughts: Vec::new(),
            },
        }
    }

    fn games() -> Vec<LoggedGame> {
        use GamePoints::{Draw, Loss, Win};
        let results = [
            Win, Draw, Win, Win, Win, Loss, Win, Win, Win, Win, Loss, Win,
        ];
        (0..600)
            .map(|number| game(number, results[number as usize % results.len()]))
            .collect()
    }

    #[test]
    fn the_order_in_which_games_end_does_not_matter() {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap();
        let games = games();
        let in_order = SequentialScore::of_games(sprt, &games);
        assert_eq!(in_order.decision(), Some(SprtDecision::Elo1));
        let counted = u64::from(in_order.score().games());
        assert!((20..500).contains(&counted), "{counted}");
        for step in [7, 119, 599] {
            let mixed = (0..600).map(|index| &games[index * step % 600]);
            let score = SequentialScore::of_games(sprt, mixed);
            assert_eq!(score.score(), in_order.score(), "{step}");
            assert_eq!(score.decision(), in_order.decision());
        }
    }

    #[test]
    fn games_behind_a_gap_wait() {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap();
        let games = games();
        let mut score = SequentialScore::of_games(sprt, games.iter().filter(|it| it.number != 5));
        assert_eq!((score.score().games(), score.decision()), (4, None));
        score.add(&games[5]);
        assert_eq!(score.decision(), Some(SprtDecision::Elo1));
    }
}
