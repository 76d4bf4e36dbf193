//! Self-play: games between engines, as teacher data.
//!
//! * [`SelfplaySettings`]: the settings of a run, as `gensfen-settings.json5` has them.
//! * [`Starts`]: the start positions of games.
//! * [`run`](fn@run): many games side by side, on engines in this process or in processes of their own, local or
//!   over ssh ([`farm`]).
//! * [`make_starts`]: a file of balanced start positions.
//! * [`serve`] and [`work`]: the same on many machines, over a [`queue`](fn@queue).
//! * [`GameEvent`], [`GameSummary`]: events and numbers of a run.
//!
//! A game is a work item with a number. Its start, its random moves and so, with engines that repeat
//! themselves, all of it follow from the number and the seed of the run: any game can be played again, runs
//! can be cut into shards, and games that were lost in a crash are simply played once more.
//!
//! All rules of the end of a game are checked here and not by the engines. Files of games have a journal, so that
//! a crash costs only the games in progress.
#![forbid(unsafe_code)]

mod balanced;
mod error;
mod files;
mod game;
mod received;
mod report;
mod run;
mod settings;
mod starts;

pub use balanced::{
    StartEvent, StartPlan, StartReport, StartRun, StartSummary, StartTotals, make_starts,
};
pub use error::{SelfplayError, SelfplaySettingsError, StartLineProblem};
pub use report::{GameEvent, GameObserver, GameReport, GameRun, GameSummary, GameTotals, Outline};
pub use run::{queue, run, serve, work};
pub use settings::{
    Adjudication, DrawRule, GameFormat, Hcpe3, MultiPvSampling, Preset, ResignRule, Rotation,
    SelfplaySettings, StartFilter, VisitSampling,
};
pub use starts::Starts;

/// The result of work on games.
pub type Result<T> = std::result::Result<T, SelfplayError>;
