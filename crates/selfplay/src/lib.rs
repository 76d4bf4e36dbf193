//! Self-play: games between engines, as teacher data.
//!
//! * [`Settings`]: what to play, as `gensfen-settings.json5` says it.
//! * [`Starts`]: the positions games start from.
//! * [`game`]: one game, with every rule of its end judged here and not by the engines.
//! * [`Settings::players`]: engines, in this process or as processes of their own, local or over ssh ([`farm`]).
//! * [`output`]: files of games, journalled, so that no crash costs more than the games being played.
//! * [`run`](fn@run): many games side by side.
//! * [`serve`] and [`work`]: the same on many machines, over a queue ([`farm_queue`]).
//!
//! A game is a unit of work with a number. Its start, its random moves and so, with engines that repeat
//! themselves, all of it follow from the number and the seed of the run: any game can be played again, runs
//! can be cut into shards, and games that were lost in a crash are simply played once more.
#![forbid(unsafe_code)]

mod error;
pub mod game;
pub mod output;
mod run;
mod score;
mod settings;
mod starts;

pub use error::SelfplayError;
pub use farm::{Control, Engine, EngineStatus, Players, Seat};
pub use farm_queue::Job;
pub use run::{Event, Observer, Outline, Summary, job, run, serve, work};
pub use score::{MAX_SCORE, to_score};
pub use settings::{Adjudication, DrawRule, Format, Hcpe3, ResignRule, Rotation, Settings};
pub use starts::Starts;

/// The result of work on games.
pub type Result<T> = std::result::Result<T, SelfplayError>;
