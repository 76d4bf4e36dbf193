//! Players, their limits and clocks: what can be asked for moves, whatever protocol it speaks.

use std::fmt;
use std::fmt::Debug;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::rules::PlayerColor;
use crate::score::GamePoints;

/// The limit of a player's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveLimit {
    /// Milliseconds for each move.
    MoveTime(u64),
    /// Nodes for each move.
    Nodes(u64),
    /// Depth of each search in plies.
    Depth(u32),
    /// A clock, all in milliseconds.
    Clock {
        /// Time for the game.
        time: u64,
        /// Time that a move adds.
        increment: u64,
        /// Time for each move when the clock has run out.
        byoyomi: u64,
    },
    /// None that engines are told: they think as their own settings say.
    Own,
}

impl MoveLimit {
    /// The limit with `factor` times the nodes or the time, at least 1 of it; a depth and an engine's own limit stay.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let times = |value: u64| {
            if value == 0 {
                0
            } else {
                ((value as f64 * factor).round() as u64).max(1)
            }
        };
        match self {
            Self::MoveTime(ms) => Self::MoveTime(times(ms)),
            Self::Nodes(nodes) => Self::Nodes(times(nodes)),
            Self::Depth(plies) => Self::Depth(plies),
            Self::Own => Self::Own,
            Self::Clock {
                time,
                increment,
                byoyomi,
            } => Self::Clock {
                time: times(time),
                increment: times(increment),
                byoyomi: times(byoyomi),
            },
        }
    }
}

impl fmt::Display for MoveLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoveTime(ms) => write!(f, "{ms} ms a move"),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            Self::Depth(plies) => write!(f, "depth {plies}"),
            Self::Own => f.write_str("limits of the engines"),
            Self::Clock {
                time,
                increment,
                byoyomi,
            } => {
                write!(f, "{time} ms + {increment} ms a move, byoyomi {byoyomi} ms")
            }
        }
    }
}

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayerFault {
    /// The time that was allowed has passed.
    Silent,
    /// The player is gone, or what it said makes no sense.
    Broken(String),
    /// The player said of an error while it got ready: it would play with something else than it was told.
    Refused(String),
}

impl fmt::Display for PlayerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent => f.write_str("does not answer"),
            Self::Broken(reason) | Self::Refused(reason) => f.write_str(reason),
        }
    }
}

/// A question for a move.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The opening and the moves so far, as the rule book writes them: for USI the rest of a `position` command.
    pub position: &'a str,
    /// The colour that is asked.
    pub color: PlayerColor,
    /// The limits of black and white.
    pub limits: [MoveLimit; 2],
    /// The time left on the clocks of black and white in milliseconds; used only with [`MoveLimit::Clock`].
    pub clocks: [u64; 2],
    /// The time to wait for the answer.
    pub patience: Duration,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerAnswer {
    /// The move, or another word that the referee knows, such as `resign`.
    pub text: String,
    /// Time from the question to the answer.
    pub elapsed: Duration,
    /// The player's score of its position, in centipawns, if it said so. Mates count as
    /// [`MATE_CP`].
    pub score_cp: Option<i64>,
    /// The depth that it reports, in plies.
    pub depth: Option<u32>,
    /// The number of positions that it reports.
    pub nodes: Option<u64>,
}

/// The score that a mate, given or suffered, counts as: more than any other.
pub const MATE_CP: i64 = 100_000;

/// What a player said about a move that it made: in logs `[milliseconds, score]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, Option<i64>)", into = "(u64, Option<i64>)")]
pub struct MoveThought {
    /// The time that it took.
    pub ms: u64,
    /// Its score of the position before, in centipawns, for itself; `None`: it gave none.
    pub score_cp: Option<i64>,
}

impl From<(u64, Option<i64>)> for MoveThought {
    fn from((ms, score_cp): (u64, Option<i64>)) -> Self {
        Self { ms, score_cp }
    }
}

impl From<MoveThought> for (u64, Option<i64>) {
    fn from(thought: MoveThought) -> Self {
        (thought.ms, thought.score_cp)
    }
}

/// A running player: an engine process behind the protocol that it speaks.
pub trait MatchPlayer: Debug + Send {
    /// Sets options for the games to come.
    ///
    /// # Errors
    /// When the player is gone.
    fn set_options(&mut self, options: &[(String, String)]) -> Result<(), PlayerFault>;

    /// Prepares for a game.
    ///
    /// # Errors
    /// When the player does not get ready.
    fn new_game(&mut self) -> Result<(), PlayerFault>;

    /// Asks for a move.
    ///
    /// # Errors
    /// When there is no answer in time, or none that can be read.
    fn best_move(&mut self, question: &Question<'_>) -> Result<PlayerAnswer, PlayerFault>;

    /// Tells the result of the game for the player.
    fn game_over(&mut self, result: GamePoints);
}

// The clocks of a game and what the players did with their time.

/// The times used by a player in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeUsage {
    /// Answers.
    pub moves: u32,
    /// All answers together, in milliseconds.
    pub total_ms: u64,
    /// The slowest answer, in milliseconds.
    pub slowest_ms: u64,
    /// The least that was left of the time allowed for a move, in milliseconds: negative when it was
    /// overstepped. `None` where time is not limited.
    pub least_left_ms: Option<i64>,
    /// Sum of the nodes that the engine reported.
    pub nodes: u64,
    /// Sum of the depths that the engine reported.
    pub depths: u64,
}

impl TimeUsage {
    /// Counts an answer for which `allowed` was given.
    fn add(&mut self, answer: &PlayerAnswer, allowed: Option<Duration>) {
        let ms = answer.elapsed.as_millis() as u64;
        self.moves += 1;
        self.total_ms = self.total_ms.saturating_add(ms);
        self.slowest_ms = self.slowest_ms.max(ms);
        if let Some(allowed) = allowed {
            let left =
                (allowed.as_micros() as i64 - answer.elapsed.as_micros() as i64).div_euclid(1000);
            self.least_left_ms = Some(self.least_left_ms.map_or(left, |least| least.min(left)));
        }
        // Engines may report whatever they like.
        self.nodes = self.nodes.saturating_add(answer.nodes.unwrap_or(0));
        self.depths = (self.depths).saturating_add(u64::from(answer.depth.unwrap_or(0)));
    }

    /// Returns the sum of both usages.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        let least_left_ms = match (self.least_left_ms, other.least_left_ms) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        Self {
            moves: self.moves.saturating_add(other.moves),
            total_ms: self.total_ms.saturating_add(other.total_ms),
            slowest_ms: self.slowest_ms.max(other.slowest_ms),
            least_left_ms,
            nodes: self.nodes.saturating_add(other.nodes),
            depths: self.depths.saturating_add(other.depths),
        }
    }
}

/// The clocks of a game.
#[derive(Debug)]
pub(crate) struct Clocks {
    /// The limits of black and white.
    limits: [MoveLimit; 2],
    /// The time left in milliseconds.
    pub(crate) left: [u64; 2],
    pub(crate) usage: [TimeUsage; 2],
}

impl Clocks {
    pub(crate) fn new(limits: [MoveLimit; 2]) -> Self {
        let time = |limit| match limit {
            MoveLimit::Clock { time, .. } => time,
            _ => 0,
        };
        Self {
            limits,
            left: limits.map(time),
            usage: [TimeUsage::default(); 2],
        }
    }

    /// The time that `us` may think about this move; `None` where nodes or depth are limited.
    pub(crate) fn allowed(&self, us: PlayerColor) -> Option<Duration> {
        match self.limits[us.index()] {
            MoveLimit::MoveTime(ms) => Some(Duration::from_millis(ms)),
            MoveLimit::Nodes(_) | MoveLimit::Depth(_) | MoveLimit::Own => None,
            MoveLimit::Clock {
                increment, byoyomi, ..
            } => Some(Duration::from_millis(
                self.left[us.index()] + increment + byoyomi,
            )),
        }
    }

    /// `us` has answered.
    pub(crate) fn press(&mut self, us: PlayerColor, answer: &PlayerAnswer) {
        let allowed = self.allowed(us);
        self.usage[us.index()].add(answer, allowed);
        if let MoveLimit::Clock { increment, .. } = self.limits[us.index()] {
            let used = answer.elapsed.as_millis() as u64;
            let left = &mut self.left[us.index()];
            *left = (*left + increment).saturating_sub(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(elapsed_us: u64, nodes: u64) -> PlayerAnswer {
        PlayerAnswer {
            text: "7g7f".to_owned(),
            elapsed: Duration::from_micros(elapsed_us),
            score_cp: None,
            depth: Some(7),
            nodes: Some(nodes),
        }
    }

    #[test]
    fn what_is_left_is_what_the_move_was_allowed_to_take() {
        let mut clocks = Clocks::new(
            [MoveLimit::Clock {
                time: 100,
                increment: 0,
                byoyomi: 50,
            }; 2],
        );
        clocks.press(PlayerColor::Black, &answer(80_000, 5));
        clocks.press(PlayerColor::Black, &answer(60_500, 5));
        // 20 ms on the clock and the byoyomi, of which 60.5 are used: 9.5 are left.
        let usage = clocks.usage[0];
        assert_eq!(usage.least_left_ms, Some(9));
        assert_eq!(
            (usage.moves, usage.total_ms, usage.slowest_ms),
            (2, 140, 80)
        );
        assert_eq!((usage.nodes, usage.depths), (10, 14));
        clocks.press(PlayerColor::Black, &answer(50_001, 0));
        assert_eq!(clocks.usage[0].least_left_ms, Some(-1));
        assert_eq!(clocks.usage[1], TimeUsage::default());
    }

    #[test]
    fn without_a_limit_nothing_is_left() {
        let mut clocks = Clocks::new([MoveLimit::Nodes(10); 2]);
        clocks.press(PlayerColor::White, &answer(5_000_000, 10));
        assert_eq!(clocks.usage[1].least_left_ms, None);
        assert_eq!(clocks.allowed(PlayerColor::White), None);
    }

    #[test]
    fn usage_of_games_adds_up() {
        let one = TimeUsage {
            moves: 1,
            total_ms: 10,
            slowest_ms: 10,
            least_left_ms: Some(3),
            nodes: 7,
            depths: 2,
        };
        let two = TimeUsage {
            least_left_ms: None,
            slowest_ms: 4,
            ..one
        };
        let sum = one.joined(two);
        assert_eq!((sum.moves, sum.total_ms, sum.slowest_ms), (2, 20, 10));
        assert_eq!(sum.least_left_ms, Some(3));
        assert_eq!(
            sum.joined(TimeUsage {
                least_left_ms: Some(-5),
                ..one
            })
            .least_left_ms,
            Some(-5)
        );
    }

    #[test]
    fn limits_are_scaled() {
        assert_eq!(MoveLimit::Nodes(1000).scaled(2.5), MoveLimit::Nodes(2500));
        assert_eq!(MoveLimit::MoveTime(1).scaled(0.1), MoveLimit::MoveTime(1));
        assert_eq!(MoveLimit::Depth(3).scaled(9.0), MoveLimit::Depth(3));
        let clock = |time, byoyomi| MoveLimit::Clock {
            time,
            increment: 0,
            byoyomi,
        };
        assert_eq!(clock(100, 30).scaled(2.0), clock(200, 60));
    }
}
