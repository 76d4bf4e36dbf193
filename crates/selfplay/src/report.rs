//! Reports, counters and errors of a run of games.

use std::collections::BTreeMap;
use std::path::Path;

use pack_format::{EndReason, TeacherResult};

/// Runs that play games.
#[derive(Clone, Copy, Debug)]
pub struct GameRun;

impl farm::RunKind for GameRun {
    type Report<'a> = GameReport<'a>;
    type Totals = GameTotals;
}

/// An event of a run of games.
pub type GameEvent<'a> = farm::Event<'a, GameRun>;

/// Called with every event of a run of games.
pub type GameObserver<'o> = farm::RunObserver<'o, GameRun>;

/// A run of games in numbers.
pub type GameSummary = farm::Summary<GameTotals>;

/// Reports of runs of games only.
#[derive(Debug)]
#[non_exhaustive]
pub enum GameReport<'a> {
    /// The run starts.
    Started {
        /// Games at a time; 0: other machines play.
        workers: usize,
        /// Games that an earlier run finished.
        finished: u64,
        /// Games in all, if that is fixed.
        total: Option<u64>,
        /// Bytes of an incomplete game that were left out after a crash.
        lost: u64,
        /// The file that is being filled.
        path: &'a Path,
    },
    /// A game is finished, and safe.
    Game {
        /// The worker that played it, none when another machine did.
        worker: Option<usize>,
        /// Number of the game.
        number: u64,
        /// The game in a few words.
        game: Outline,
        /// The run so far.
        summary: &'a GameSummary,
    },
}

/// Counters of runs of games only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameTotals {
    /// Plies of the games: positions of the data.
    pub positions: u64,
    /// Games won by black.
    pub black_wins: u64,
    /// Games won by white.
    pub white_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games by why they ended.
    pub reasons: BTreeMap<EndReason, u64>,
}

impl GameTotals {
    pub(crate) fn count(&mut self, game: Outline) {
        self.positions += u64::from(game.plies);
        *match game.result {
            TeacherResult::BlackWin => &mut self.black_wins,
            TeacherResult::WhiteWin => &mut self.white_wins,
            TeacherResult::Draw => &mut self.draws,
        } += 1;
        *self.reasons.entry(game.reason).or_default() += 1;
    }
}

/// A game in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Plies of the game: positions of the data.
    pub plies: u32,
    /// The result.
    pub result: TeacherResult,
    /// The end of the game.
    pub reason: EndReason,
}

impl Outline {
    /// The message of a game over a queue: this, then its bytes.
    pub(crate) fn encode(self, bytes: &[u8]) -> Vec<u8> {
        let result = [self.result as u8, self.reason.0];
        [&self.plies.to_le_bytes(), &result[..], bytes].concat()
    }

    /// Reads the message of [`Self::encode`]. `None` when there is no game.
    pub(crate) fn decode(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&[a, b, c, d, result, reason], bytes) = bytes.split_first_chunk()?;
        let game = Self {
            plies: u32::from_le_bytes([a, b, c, d]),
            result: TeacherResult::from_number(result)?,
            reason: EndReason(reason),
        };
        (!bytes.is_empty()).then_some((game, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_games_round_trip() {
        let outline = Outline {
            plies: 300,
            result: TeacherResult::WhiteWin,
            reason: EndReason::TIME_UP,
        };
        let message = outline.encode(b"game");
        assert_eq!(Outline::decode(&message), Some((outline, &b"game"[..])));
        for message in [&b""[..], &outline.encode(b""), b"\0\0\0\0\x09\0game"] {
            assert_eq!(Outline::decode(message), None);
        }
    }
}
