//! Shogi engines at work: many side by side, for days, whatever happens to them.
//!
//! * [`Engine`]: an engine as settings describe it; [`EnginePool`]: the engines of a run, in this process, as
//!   programs, or over ssh.
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
//! The caller decides what an item is and where its output goes.
#![forbid(unsafe_code)]

mod control;
mod engine;
mod error;
mod event;
mod pool;
#[cfg(feature = "queue")]
pub mod queue;
mod run;
pub mod settings;
mod source;
mod status;
mod work;
mod worker;

pub use control::RunControl;
pub use engine::{Engine, check_programs};
pub use error::{FarmError, Result};
pub use event::{Event, Recorder, RunKind, RunLog, RunObserver, Summary};
pub use pool::EnginePool;
pub use run::{RetryPolicy, run};
pub use source::{Backlog, InOrder, Next, SharedBacklog, Source};
pub use status::EngineStatus;
pub use work::{Finished, Work, WorkError, WorkerContext};
pub use worker::Worker;
