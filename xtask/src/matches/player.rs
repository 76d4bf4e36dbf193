//! A player: something that can be asked for moves.

use std::fmt;
use std::time::Duration;

use shogi_core::ByColor;
use shogi_usi::{ClockTimes, GameResult, GoCommand, Score};

/// What a player may use for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Milliseconds for each move.
    MoveTime(u64),
    /// Nodes for each move.
    Nodes(u64),
    /// Depth of each search in plies.
    Depth(u32),
    /// A clock, all in milliseconds.
    Clock {
        time: u64,
        increment: u64,
        byoyomi: u64,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoveTime(ms) => write!(f, "{ms} ms a move"),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            Self::Depth(plies) => write!(f, "depth {plies}"),
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

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The time that was allowed has passed.
    Silent,
    /// The player is gone, or what it said makes no sense.
    Broken(String),
}

/// A question for a move.
#[derive(Clone, Debug)]
pub(crate) struct Question<'a> {
    /// What follows the word `position`.
    pub(crate) position: &'a str,
    pub(crate) limit: Limit,
    /// What is left on the clocks in milliseconds; used only with [`Limit::Clock`].
    pub(crate) clocks: ByColor<u64>,
    /// How long to wait for the answer.
    pub(crate) patience: Duration,
}

impl Question<'_> {
    /// The `go` command. Clocks in the forms that a GUI sends: byoyomi or increments, never both.
    pub(crate) fn go(&self) -> GoCommand {
        let mut go = GoCommand::default();
        match self.limit {
            Limit::MoveTime(ms) => go.movetime = Some(Duration::from_millis(ms)),
            Limit::Nodes(nodes) => go.nodes = Some(nodes),
            Limit::Depth(plies) => go.depth = Some(plies),
            Limit::Clock {
                increment, byoyomi, ..
            } => {
                let [black, white] = self.clocks.0.map(|ms| Some(Duration::from_millis(ms)));
                let increment = (increment > 0).then(|| Duration::from_millis(increment));
                let byoyomi = increment.is_none().then(|| Duration::from_millis(byoyomi));
                go.clock = ClockTimes {
                    btime: black,
                    wtime: white,
                    byoyomi,
                    binc: increment,
                    winc: increment,
                };
            }
        }
        go
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The word that follows `bestmove`.
    pub(crate) text: String,
    /// From the question to the answer.
    pub(crate) elapsed: Duration,
    /// What the player thinks of its position, in centipawns, if it said so. Mates count as
    /// [`MATE_CP`].
    pub(crate) score_cp: Option<i64>,
    /// How deep it says that it looked, in plies.
    pub(crate) depth: Option<u32>,
    /// How many positions it says that it looked at.
    pub(crate) nodes: Option<u64>,
}

/// The score that a mate, given or suffered, counts as: more than any other.
pub(crate) const MATE_CP: i64 = 100_000;

/// A score as a number of centipawns.
pub(crate) fn centipawns(score: Score) -> i64 {
    match score {
        Score::Cp(cp) => i64::from(cp).clamp(1 - MATE_CP, MATE_CP - 1),
        Score::Mate(plies) if plies.get() < 0 => -MATE_CP,
        Score::Mate(_) | Score::MateUnknown => MATE_CP,
        Score::MatedUnknown => -MATE_CP,
    }
}

/// Something that plays.
pub(crate) trait Player {
    /// Prepares for a game.
    fn new_game(&mut self) -> Result<(), Fault>;

    /// Asks for a move.
    fn best_move(&mut self, question: &Question<'_>) -> Result<Answer, Fault>;

    /// Tells how the game ended for the player.
    fn game_over(&mut self, result: GameResult);
}
