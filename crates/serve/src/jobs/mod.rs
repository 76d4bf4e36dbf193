//! Jobs: long work that pages start, and that goes on without them.
//!
//! * [`PageJobs`]: the list of jobs, its requests and broadcasts, and the threads that do them.
//! * [`JobWork`]: who knows what the jobs do. Nothing here knows a game, a book or a command line.
//!
//! One job of each [`JobLane`] works at a time; the others wait, in their order. Nor do two work at a time of which one writes a file
//! that the other needs. The list is a file: after a crash, jobs that were not done are there as stopped ones.

mod files;
mod list;
mod record;
mod service;
mod told;
mod work;

pub use service::PageJobs;
pub use work::{JobEnd, JobFolder, JobLane, JobPlan, JobRequest, JobWork};
