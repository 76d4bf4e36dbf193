//! Runs of many workers side by side, for days, which survive failures of the workers. Knows no game: what an item is and
//! what is done with it is up to the caller.
//!
//! * [`Worker`], [`Workers`]: who does the items, and how it is started: an engine, a searcher, a program. [`threads`] makes
//!   workers of closures, [`LineWorkers`] of programs that answer lines, [`Both`] of two kinds.
//! * [`Source`]: where work items come from; [`Backlog`] hands them out, [`SharedBacklog`] shares a backlog among
//!   threads, [`InOrder`] is the backlog of an iterator.
//! * [`run`](fn@run): the run loop, with a thread for each worker. A supervisor makes a worker anew
//!   that fails or panics, with exponential backoff, and closes it when it keeps failing; the item goes back to the
//!   source.
//! * [`map_in_order`]: the same for jobs whose results are wanted in their order.
//! * [`OnDemand`]: the same for threads that ask for the output of an item and wait for it.
//! * [`Recorder`]: keeps outputs safe (journal, checkpoints) on the thread that called; [`RunLog`]: the clock,
//!   the [`Summary`] and the [`Event`]s that all recorders share.
//! * [`GroupStatus`]: what workers are doing, for people; [`RunControl`]: pausing and ending a run from outside;
//!   [`RetryPolicy`]: tries, time limits, waits.
//! * `queue` (feature `queue`): work items shared by machines over NATS `JetStream`.
#![forbid(unsafe_code)]

mod control;
mod error;
mod event;
mod in_order;
mod lines;
mod numbered;
mod on_demand;
mod policy;
#[cfg(feature = "queue")]
pub mod queue;
mod run;
mod source;
mod status;
mod supervisor;
mod threads;
mod worker;

pub use control::RunControl;
pub use error::{FarmError, Result};
pub use event::{Event, Recorder, RunCompletion, RunKind, RunLog, RunObserver, Summary};
pub use in_order::{map_in_order, map_job_in_order};
pub use lines::{Greeting, LineWorker, LineWorkers};
pub use on_demand::OnDemand;
pub use policy::{Backoff, RetryPolicy};
pub use run::run;
pub use source::{Backlog, InOrder, Next, SharedBacklog, Source};
pub use status::{GroupStatus, WorkerStatus, worker_rows};
pub use threads::{Both, OneOfBoth, ThreadWorker, Threads, threads};
pub use worker::{Finished, ItemOf, OutputOf, Stop, WorkError, Worker, Workers};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
