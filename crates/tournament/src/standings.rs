//! The results of a match, a gauntlet or a round robin so far: by pair of engines and by engine.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::Serialize;

use crate::log::LoggedGame;
use crate::player::TimeUsage;
use crate::rules::{EndOfGame, PlayerColor};
use crate::score::{GamePoints, MatchScore, Z_95};

/// The numbers of protocol violations of an engine, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Violations {
    /// Illegal moves, and declarations without the points.
    pub illegal_moves: u32,
    /// Processes that died, answers that could not be read.
    pub crashes: u32,
    /// Games lost on time.
    pub time_forfeits: u32,
}

impl Violations {
    fn add(&mut self, reason: EndOfGame) {
        match reason {
            EndOfGame::IllegalMove => self.illegal_moves += 1,
            EndOfGame::Crash => self.crashes += 1,
            EndOfGame::TimeForfeit => self.time_forfeits += 1,
            _ => {}
        }
    }

    /// All of them.
    pub const fn sum(self) -> u32 {
        self.illegal_moves + self.crashes + self.time_forfeits
    }
}

/// What an engine did in its games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineRecord {
    /// Its protocol violations.
    pub violations: Violations,
    /// The time it used.
    pub usage: TimeUsage,
    /// Its wins.
    pub wins: u32,
    /// Its draws.
    pub draws: u32,
    /// Its losses.
    pub losses: u32,
}

impl EngineRecord {
    /// Number of games.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points: a draw is a half.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }
}

/// The points by which an engine was ahead of another in games in which they are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leads {
    /// Number of such games.
    pub games: u32,
    sum: i64,
    squares: i64,
}

impl Leads {
    fn add(&mut self, lead: i32) {
        self.games += 1;
        self.sum += i64::from(lead);
        self.squares += i64::from(lead).pow(2);
    }

    /// The mean of a game; `None` before the first one.
    pub fn mean(&self) -> Option<f64> {
        (self.games > 0).then(|| self.sum as f64 / f64::from(self.games))
    }

    /// Half the 95 % interval of the mean; `None` before the second game.
    pub fn margin(&self) -> Option<f64> {
        let (games, mean) = (f64::from(self.games), self.mean()?);
        let variance = (self.squares as f64 - games * mean * mean) / (games - 1.0);
        (self.games > 1).then(|| Z_95 * (variance.max(0.0) / games).sqrt())
    }

    /// The same from the other engine's point of view.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            sum: -self.sum,
            ..self
        }
    }
}

/// The games of two engines with each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairingRecord {
    /// The score of the first engine, the one with the smaller number.
    pub score: MatchScore,
    /// The same of the games that were played to their end: without those that an engine lost by a protocol violation.
    /// A game whose partner in the pair was lost so counts as one without a partner.
    pub played_score: MatchScore,
    /// The points that it was ahead.
    pub leads: Leads,
    /// Games whose partner in the pair is not finished, by the number of the pair.
    halves: BTreeMap<u64, Half>,
    repeats: Repeats,
}

/// The first game of a pair to finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Half {
    /// Its result for the first engine.
    points: GamePoints,
    /// True if it ended by a protocol violation.
    is_forfeit: bool,
}

/// Games that are the same move for move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Repeats {
    /// The hashes of all games.
    seen: HashSet<u64>,
    /// Games that were seen before.
    games: u32,
    /// Pairs of which both games are the same.
    pairs: u32,
    /// The hashes of games whose partner in the pair is not finished, by the number of the pair.
    halves: BTreeMap<u64, u64>,
}

impl Repeats {
    /// Counts a game that ended by the rules.
    fn add(&mut self, pair: u64, line: &str) {
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        let hash = hasher.finish();
        self.games += u32::from(!self.seen.insert(hash));
        match self.halves.remove(&pair) {
            Some(other) => self.pairs += u32::from(other == hash),
            None => drop(self.halves.insert(pair, hash)),
        }
    }
}

impl PairingRecord {
    /// Number of games that ended by a protocol violation.
    pub fn forfeits(&self) -> u32 {
        self.score.games() - self.played_score.games()
    }

    /// Counts a game of a pair.
    fn add(&mut self, pair: u64, half: Half) {
        self.score.add_game(half.points);
        if !half.is_forfeit {
            self.played_score.add_game(half.points);
        }
        let Some(other) = self.halves.remove(&pair) else {
            self.halves.insert(pair, half);
            return;
        };
        let points = [other.points, half.points];
        self.score.add_pair(points);
        if !(other.is_forfeit || half.is_forfeit) {
            self.played_score.add_pair(points);
        }
    }

    /// Number of games that repeat another game of these engines move for move.
    pub const fn repeated_games(&self) -> u32 {
        self.repeats.games
    }

    /// Number of pairs of which both games are the same move for move, as players that are alike play them.
    pub const fn identical_pairs(&self) -> u32 {
        self.repeats.pairs
    }
}

/// All results so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    /// The engines, by their numbers.
    pub engines: Vec<EngineRecord>,
    /// The pairs of engines that have met, the smaller number first.
    pub pairings: BTreeMap<[usize; 2], PairingRecord>,
    /// The number of games by the reason of their end.
    pub endings: BTreeMap<EndOfGame, u32>,
    /// Number of games.
    pub games: u32,
}

impl Standings {
    /// The standings of so many engines before the first game.
    pub fn new(engines: usize) -> Self {
        Self {
            engines: vec![EngineRecord::default(); engines],
            ..Self::default()
        }
    }

    /// Counts a finished game. Games 2n and 2n + 1 are a pair if the same engines played them.
    ///
    /// # Panics
    /// If there is no such engine.
    pub fn add(&mut self, game: &LoggedGame) {
        self.add_as(game.players, game);
    }

    /// Counts a finished game as one of black and white `players`.
    pub(crate) fn add_as(&mut self, players: [usize; 2], game: &LoggedGame) {
        let played = &game.played;
        self.games += 1;
        *self.endings.entry(played.reason).or_default() += 1;
        for color in PlayerColor::ALL {
            let engine = &mut self.engines[players[color.index()]];
            engine.usage = engine.usage.joined(played.usage[color.index()]);
            match played.points(color) {
                GamePoints::Win => engine.wins += 1,
                GamePoints::Draw => engine.draws += 1,
                GamePoints::Loss => engine.losses += 1,
            }
            if played.reason.is_violation() && played.points(color) == GamePoints::Loss {
                engine.violations.add(played.reason);
            }
        }
        let mut pairing = players;
        pairing.sort_unstable();
        let first = if pairing == players {
            PlayerColor::Black
        } else {
            PlayerColor::White
        };
        let points = played.points(first);
        let record = self.pairings.entry(pairing).or_default();
        let is_forfeit = played.reason.is_violation();
        if !is_forfeit {
            record.repeats.add(game.number / 2, &played.position);
        }
        record.add(game.number / 2, Half { points, is_forfeit });
        if let Some(lead) = played.lead {
            record.leads.add(match first {
                PlayerColor::Black => lead,
                PlayerColor::White => -lead,
            });
        }
    }

    /// The score of engine 0 against engine 1.
    pub fn first_score(&self) -> MatchScore {
        let record = self.pairings.get(&[0, 1]);
        record
            .map(|record| record.score.clone())
            .unwrap_or_default()
    }

    /// The score of engine 0 against engine 1 in games that were played to their end; `None` where all games were.
    pub fn first_played_score(&self) -> Option<MatchScore> {
        let record = self.pairings.get(&[0, 1])?;
        (record.forfeits() > 0).then(|| record.played_score.clone())
    }

    /// The points that engine 0 was ahead of engine 1.
    pub fn first_leads(&self) -> Leads {
        let record = self.pairings.get(&[0, 1]);
        record.map(|record| record.leads).unwrap_or_default()
    }

    /// The score of one engine against another; `None` if they have not met.
    pub fn score_of(&self, engine: usize, opponent: usize) -> Option<MatchScore> {
        let mut pairing = [engine, opponent];
        pairing.sort_unstable();
        let score = &self.pairings.get(&pairing)?.score;
        Some(if pairing[0] == engine {
            score.clone()
        } else {
            score.reversed()
        })
    }

    /// Number of games that ended by a protocol violation.
    pub fn violations(&self) -> u32 {
        let engines = self.engines.iter();
        engines.map(|engine| engine.violations.sum()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::PlayedGame;

    fn game(
        number: u64,
        players: [usize; 2],
        winner: Option<PlayerColor>,
        reason: EndOfGame,
    ) -> LoggedGame {
        let usage = |slowest_ms| TimeUsage {
            slowest_ms,
            ..TimeUsage::default()
        };
        LoggedGame {
            number,
            players,
            played: PlayedGame {
                winner,
                reason,
                position: "startpos".to_owned(),
                plies: 0,
                lead: None,
                usage: [usage(10), usage(20)],
                detail: None,
                thoughts: Vec::new(),
            },
        }
    }

    const BLACK: Option<PlayerColor> = Some(PlayerColor::Black);
    const WHITE: Option<PlayerColor> = Some(PlayerColor::White);

    #[test]
    fn leads_are_those_of_the_first_engine() {
        let mut standings = Standings::new(2);
        for (number, players, lead) in [(0, [0, 1], 10), (1, [1, 0], 4), (2, [0, 1], 0)] {
            let mut game = game(number, players, None, EndOfGame::Counted);
            game.played.lead = Some(lead);
            standings.add(&game);
        }
        standings.add(&game(3, [1, 0], None, EndOfGame::Crash));
        let leads = standings.first_leads();
        assert_eq!((leads.games, leads.mean()), (3, Some(2.0)));
        // The standard deviation of 10, -4 and 0 is 7.21.
        let margin = leads.margin().expect("three games");
        assert!(
            (margin - 1.96 * 7.211 / 3f64.sqrt()).abs() < 0.01,
            "{margin}"
        );
        assert_eq!(leads.reversed().mean(), Some(-2.0));
    }

    #[test]
    fn colours_alternate_within_a_pair() {
        let mut standings = Standings::new(2);
        // Black wins both games of the first pair: one each. Games end in any order.
        standings.add(&game(1, [1, 0], BLACK, EndOfGame::Mate));
        assert_eq!(standings.first_score().pairs, [0; 5]);
        standings.add(&game(0, [0, 1], BLACK, EndOfGame::Mate));
        assert_eq!(standings.first_score().pairs, [0, 0, 1, 0, 0]);
        standings.add(&game(2, [0, 1], BLACK, EndOfGame::Resign));
        standings.add(&game(3, [1, 0], None, EndOfGame::Repetition));
        assert_eq!(standings.first_score().pairs, [0, 0, 1, 1, 0]);
        assert_eq!(standings.first_score().to_string(), "+2 =1 -1");
        let other = standings.score_of(1, 0).unwrap();
        assert_eq!(
            (other.to_string(), other.pairs),
            ("+1 =1 -2".to_owned(), [0, 1, 1, 0, 0])
        );
        assert!((standings.engines[1].points() - 1.5).abs() < 1e-9);
    }

    #[test]
    fn games_that_were_forfeited_are_counted_apart() {
        let mut standings = Standings::new(2);
        standings.add(&game(0, [0, 1], BLACK, EndOfGame::Mate));
        standings.add(&game(1, [1, 0], BLACK, EndOfGame::TimeForfeit));
        assert_eq!(standings.first_score().pairs, [0, 0, 1, 0, 0]);
        let played = standings.first_played_score().expect("a forfeit");
        assert_eq!(
            (played.to_string(), played.pairs),
            ("+1 =0 -0".to_owned(), [0; 5])
        );
        assert_eq!(played.singles, [0, 0, 1]);
        standings.add(&game(2, [0, 1], None, EndOfGame::Repetition));
        standings.add(&game(3, [1, 0], BLACK, EndOfGame::Mate));
        let played = standings.first_played_score().expect("a forfeit");
        assert_eq!(
            (played.to_string(), played.pairs),
            ("+1 =1 -1".to_owned(), [0, 1, 0, 0, 0])
        );
        assert_eq!(standings.pairings[&[0, 1]].forfeits(), 1);
    }

    #[test]
    fn games_that_are_alike_are_counted() {
        let mut standings = Standings::new(2);
        let mut add = |number: u64, line: &str, reason| {
            let players = if number.is_multiple_of(2) {
                [0, 1]
            } else {
                [1, 0]
            };
            let mut game = game(number, players, BLACK, reason);
            line.clone_into(&mut game.played.position);
            standings.add(&game);
            let record = &standings.pairings[&[0, 1]];
            (record.repeated_games(), record.identical_pairs())
        };
        assert_eq!(add(0, "startpos moves 7g7f", EndOfGame::Mate), (0, 0));
        assert_eq!(add(1, "startpos moves 7g7f", EndOfGame::Mate), (1, 1));
        assert_eq!(add(2, "startpos moves 2g2f", EndOfGame::Mate), (1, 1));
        // The pair was played before, but its games differ.
        assert_eq!(add(3, "startpos moves 7g7f", EndOfGame::Mate), (2, 1));
        // Crashes are no games.
        assert_eq!(add(4, "startpos", EndOfGame::Crash), (2, 1));
        assert_eq!(add(5, "startpos", EndOfGame::Crash), (2, 1));
    }

    #[test]
    fn violations_are_charged_to_the_loser() {
        let mut standings = Standings::new(3);
        standings.add(&game(0, [0, 2], WHITE, EndOfGame::IllegalMove));
        standings.add(&game(1, [2, 0], WHITE, EndOfGame::Crash));
        standings.add(&game(3, [2, 1], BLACK, EndOfGame::TimeForfeit));
        let sums: Vec<_> = standings.engines.iter().map(|it| it.violations).collect();
        assert_eq!(sums[0].illegal_moves, 1);
        assert_eq!(sums[1].time_forfeits, 1);
        assert_eq!(sums[2].crashes, 1);
        assert_eq!(standings.violations(), 3);
    }

    #[test]
    fn times_are_charged_to_who_used_them() {
        let mut standings = Standings::new(2);
        let slowest = |standings: &Standings| {
            let engines = standings.engines.iter();
            engines.map(|it| it.usage.slowest_ms).collect::<Vec<_>>()
        };
        standings.add(&game(0, [0, 1], None, EndOfGame::MaxPlies));
        assert_eq!(slowest(&standings), [10, 20]);
        standings.add(&game(1, [1, 0], None, EndOfGame::MaxPlies));
        assert_eq!(slowest(&standings), [20, 20]);
    }
}
