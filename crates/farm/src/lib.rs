//! Runs of many shogi engines side by side, for days, which survive failures of engines.
//!
//! * [`Engine`]: an engine as settings describe it; [`EnginePool`]: the engines of a run, in this process
//!   ([`EmbeddedEngine`]), as programs, or over ssh.
//! * [`Work`]: what is done with an engine about one work item, and its output.
//! * [`Source`]: where work items come from; [`Backlog`] hands them out, [`SharedBacklog`] shares a backlog among
//!   threads, [`InOrder`] is the backlog of an iterator.
//! * [`run`](fn@run): the run loop, with a worker thread for each engine instance. A supervisor restarts an engine
//!   that fails, with exponential backoff, and closes the worker when it keeps failing; the item goes back to the
//!   source.
//! * [`Recorder`]: keeps outputs safe (journal, checkpoints) on the thread that called; [`RunLog`]: the clock,
//!   the [`Summary`] and the [`Event`]s that all recorders share.
//! * [`EngineStatus`]: what engines are doing, for people; [`RunControl`]: pausing and ending a run from outside.
//! * `queue` (feature `queue`): work items shared by machines over NATS `JetStream`.
//!
//! Without the feature `engines`, which is on by default, there are only sources, recorders and queues, for work of any
//! kind, and with the feature `settings` the descriptions of engines.
//!
//! The caller decides what an item is and where its output goes.
#![forbid(unsafe_code)]

mod control;
mod event;
#[cfg(feature = "engines")]
mod pool;
#[cfg(feature = "queue")]
pub mod queue;
#[cfg(feature = "engines")]
mod run;
#[cfg(feature = "settings")]
pub mod settings;
mod source;
#[cfg(feature = "engines")]
mod worker;

use thiserror::Error;

pub use control::{RunControl, Worker};
pub use event::{EngineStatus, Event, Recorder, RunKind, RunLog, RunObserver, Summary};
#[cfg(feature = "engines")]
pub use pool::{EmbeddedEngine, EnginePool, EnginePresets, engine_command};
#[cfg(feature = "engines")]
pub use run::{RetryPolicy, run};
#[cfg(feature = "settings")]
pub use settings::{Engine, check_programs};
pub use source::{Backlog, InOrder, Next, SharedBacklog, Source};
#[cfg(feature = "engines")]
pub use worker::{Finished, Work, WorkError, WorkerContext};

/// The result of work on a farm.
pub type Result<T> = std::result::Result<T, FarmError>;

/// The reason why a run cannot start or continue. An unreachable server is no error: the run waits for it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FarmError {
    /// The engine in this process refused an option.
    #[error("engine {name}: {reason}")]
    Option {
        /// Name in the settings.
        name: String,
        /// The expected and the found data.
        reason: String,
    },
    /// The evaluation that was asked of the engine in this process cannot be used.
    #[error("engine {name}: {reason}")]
    Evaluation {
        /// Name in the settings.
        name: String,
        /// The file, and the problem with it.
        reason: String,
    },
    /// The program of an engine cannot be started.
    #[error("engine {name}: {reason}")]
    Program {
        /// Name in the settings.
        name: String,
        /// The program, and the problem with it.
        reason: String,
    },
    /// An engine said of an error while it got ready.
    #[error("engine {name}: {reason}")]
    Refused {
        /// Name in the settings.
        name: String,
        /// The engine's words.
        reason: String,
    },
    /// No engine works any more: all of them failed repeatedly.
    #[error("no engine is left: {0}")]
    NoEngines(String),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The address of a queue is invalid, or its server refuses the connection.
    #[error("queue {url}: {reason}")]
    Queue {
        /// The address.
        url: String,
        /// The expected and the found data.
        reason: String,
    },
    /// A result is larger than the messages of a server.
    #[error("the result of item {item} has {len} bytes; a queue takes at most {max}")]
    ResultTooLong {
        /// The number of the work item.
        item: u64,
        /// Size in bytes.
        len: usize,
        /// The limit.
        max: usize,
    },
}
