//! What matches and tunings tell while they run.

use crate::log::LoggedGame;
use crate::parts::PartScores;
use crate::spsa::TuneState;
use crate::standings::Standings;

/// What users should know of a run beside its games.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RunNote<'a> {
    /// An error of the queue, after which it tries again.
    TransientError(&'a str),
    /// A sentence, such as that a worker panicked and is started again, or what was lost of a damaged state.
    Remark(&'a str),
}

/// An event of a match.
#[derive(Debug)]
#[non_exhaustive]
pub enum MatchEvent<'a> {
    /// The match begins or resumes with so many games of the log.
    Started {
        /// The standings of these games.
        standings: &'a Standings,
    },
    /// A game has ended.
    Game {
        /// The game.
        game: &'a LoggedGame,
        /// The standings with it.
        standings: &'a Standings,
        /// The scores by part with it.
        by_part: &'a PartScores,
    },
    /// What users should know beside.
    Note(RunNote<'a>),
}

/// Called with every event of a match.
pub type MatchObserver<'o> = dyn Fn(&MatchEvent<'_>) + 'o;

/// An event of a tuning.
#[derive(Debug)]
#[non_exhaustive]
pub enum TuneEvent<'a> {
    /// A game has ended.
    Game,
    /// An iteration is done, and safe.
    Iteration(&'a TuneState),
    /// What users should know beside.
    Note(RunNote<'a>),
}
