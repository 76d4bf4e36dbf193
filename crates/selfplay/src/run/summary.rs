//! What a run tells of itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use farm::Seat;
use pack_format::{EndReason, GameResult};

use crate::game::Played;

/// What has happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run begins.
    Begun {
        /// Games at a time.
        seats: usize,
        /// Games that an earlier run finished.
        finished: u64,
        /// Games in all, if that is fixed.
        total: Option<u64>,
        /// Bytes of a game that a crash cut off.
        lost: u64,
        /// The file that is being filled.
        path: &'a Path,
    },
    /// A game is finished.
    Game {
        /// Where it was played.
        seat: usize,
        /// Its number.
        number: u64,
        /// The game.
        played: &'a Played,
        /// The run so far.
        summary: &'a Summary,
    },
    /// A game came that another machine played.
    Received {
        /// Its number.
        number: u64,
        /// The game in a few words.
        game: Outline,
        /// The run so far.
        summary: &'a Summary,
    },
    /// The queue does not work just now, and is tried again.
    Trouble {
        /// What happened.
        reason: &'a str,
    },
    /// An engine failed and is started again.
    Failed {
        /// Its seat.
        seat: usize,
        /// Its name.
        name: &'a str,
        /// What happened.
        reason: &'a str,
    },
    /// An engine failed too often, and plays no more.
    Closed {
        /// Its seat.
        seat: usize,
        /// Its name.
        name: &'a str,
        /// What happened last.
        reason: &'a str,
    },
    /// A file was brought up to date.
    Saved {
        /// The file.
        path: &'a Path,
        /// Games of the run so far, those of earlier files included.
        games: u64,
    },
    /// Time goes by. Comes at least ten times a second.
    Tick {
        /// The seats, in order; none where others play.
        seats: &'a [Arc<Seat>],
    },
}

/// Hears what happens in a run, on the thread that called it.
pub trait Observer {
    /// Something has happened.
    fn event(&self, event: &Event<'_>);
}

/// Hears nothing.
impl Observer for () {
    fn event(&self, _: &Event<'_>) {}
}

/// A run in numbers. Games of earlier runs do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Games that were finished.
    pub games: u64,
    /// Their plies: positions of the data.
    pub positions: u64,
    /// Games won by black.
    pub black_wins: u64,
    /// Games won by white.
    pub white_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games by why they ended.
    pub reasons: BTreeMap<EndReason, u64>,
    /// Failures of engines.
    pub failures: u64,
    /// Games that failed again and again.
    pub given_up: u64,
    /// Time since the beginning.
    pub elapsed: Duration,
    /// Whether all games are there.
    pub is_complete: bool,
}

/// A game in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Its plies: positions of the data.
    pub plies: u32,
    /// Who won.
    pub result: GameResult,
    /// How it ended.
    pub reason: EndReason,
}

impl From<&Played> for Outline {
    fn from(played: &Played) -> Self {
        Self {
            plies: played.plies.len() as u32,
            result: played.result(),
            reason: played.verdict.reason,
        }
    }
}

impl Outline {
    /// The game `bytes` with this before it, for those who get it.
    pub(super) fn pack(self, bytes: &[u8]) -> Vec<u8> {
        let result = [self.result as u8, self.reason.0];
        [&self.plies.to_le_bytes(), &result[..], bytes].concat()
    }

    /// What [`Self::pack`] packed. `None` when there is no game.
    pub(super) fn unpack(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&[a, b, c, d, result, reason], bytes) = bytes.split_first_chunk()?;
        let game = Self {
            plies: u32::from_le_bytes([a, b, c, d]),
            result: GameResult::from_number(result)?,
            reason: EndReason(reason),
        };
        (!bytes.is_empty()).then_some((game, bytes))
    }
}

impl Summary {
    pub(super) fn count(&mut self, game: Outline, elapsed: Duration) {
        self.games += 1;
        self.positions += u64::from(game.plies);
        *match game.result {
            GameResult::BlackWin => &mut self.black_wins,
            GameResult::WhiteWin => &mut self.white_wins,
            GameResult::Draw => &mut self.draws,
        } += 1;
        *self.reasons.entry(game.reason).or_default() += 1;
        self.elapsed = elapsed;
    }

    /// Positions a second.
    pub fn rate(&self) -> f64 {
        self.positions as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_come_back_with_their_games() {
        let outline = Outline {
            plies: 300,
            result: GameResult::WhiteWin,
            reason: EndReason::TIME_UP,
        };
        assert_eq!(
            Outline::unpack(&outline.pack(b"game")),
            Some((outline, &b"game"[..]))
        );
        assert_eq!(Outline::unpack(b""), None);
        assert_eq!(Outline::unpack(&outline.pack(b"")), None);
        assert_eq!(Outline::unpack(b"\0\0\0\0\x09\0game"), None);
    }
}
