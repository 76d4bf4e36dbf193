//! Engines at work: many side by side, for days, whatever happens to them.
//!
//! * [`Engine`]: an engine as settings describe it; [`Players`]: the engines of a run, in this process, as
//!   programs, or over ssh.
//! * [`Work`]: what is done with an engine about one unit of work, and what comes of it.
//! * [`Source`]: where units come from and who has finished them; [`Units`] counts numbers in this process.
//! * [`run`](fn@run): a seat for each engine, on a thread of its own. An engine that fails is started again
//!   after a pause that doubles, and left out when it goes on failing; its unit is done by whoever is free.
//!   What comes of units, and all else that happens, is told on the thread that called ([`Event`]).
//! * [`EngineStatus`]: what engines are doing, for people; [`Control`]: pausing and ending a run from outside.
//!
//! What a unit is, and where its result goes, is the caller's affair.
#![forbid(unsafe_code)]

mod control;
mod engine;
mod error;
mod players;
mod run;
pub mod settings;
mod units;
mod work;

pub use control::Control;
pub use engine::{Engine, check_programs};
pub use error::{FarmError, Result};
pub use players::{Player, Players};
pub use run::{EngineStatus, Event, Rules, Seat, run};
pub use units::{Source, Units};
pub use work::{Desk, Finished, Unfinished, Work};
