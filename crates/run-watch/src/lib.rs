//! Dashboards of long runs for pages, and programs of this project as jobs.
//!
//! * [`RunWatch`]: follows the events of runs in files, folders and standard input, and those that are shared over a queue, and answers pages what there is: state, rates,
//!   workers, failures, results, curves. [`WatchArgs`] is the option `--watch` of servers.
//! * [`FollowedProgram`]: a program that is followed by its events, and asked to pause and to stop.
//! * [`ProgramJobs`]: programs of this project as jobs of a page ([`serve::jobs`]): started as processes, controlled by their standard
//!   input, followed by their events.
//!
//! Nothing here knows a game: events have names, and some of their fields are figures. The messages are in the protocol of the page
//! (`docs/page-protocol.md`), the events in `docs/machines.md`.

#![forbid(unsafe_code)]

mod args;
mod books;
mod curve;
mod event;
mod fields;
mod figures;
mod programs;
mod queues;
mod runs;
mod service;
mod sources;
mod state;
mod tail;
mod tally;
mod watch;

pub use args::{WatchArgs, WatchError};
pub use programs::{FollowedProgram, ProgramEnd, ProgramJobs, ProgramSetup, ProgramsSetup};
pub use watch::RunWatch;

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
