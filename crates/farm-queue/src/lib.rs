//! Units of work shared by machines, over NATS `JetStream`.
//!
//! * [`Job`]: what is shared, and where. Processes that agree on its description find each other.
//! * [`serve`]: publishes units, takes results, and ends when there is one for each unit.
//! * [`Serving`]: the same in rounds, and for units that follow from the results of others.
//! * [`Worker`]: takes units and gives results: a [`farm::Source`] for [`farm::run`].
//!
//! What holds, whichever processes are killed and started again, the server included: every unit is done at
//! least once, and its result is taken exactly once. A unit belongs to a worker for the time of a lease, which is
//! renewed while the worker lives; then others get it. The serving process knows by itself which units are
//! finished, so nothing is lost for good with what the server has stored: it is published again.
#![forbid(unsafe_code)]

mod error;
mod frame;
mod job;
mod link;
mod serve;
mod worker;

pub use error::QueueError;
pub use job::Job;
pub use serve::{Next, Served, Serving, Unit, serve};
pub use worker::{Numbers, Worker};
