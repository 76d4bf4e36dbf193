//! A long job: its resources, and what others see and want of it.
//!
//! * [`Job`]: threads, memory, temporary folders ([`TempFolder`]), and where its progress goes ([`Progress`]).
//! * [`JobMonitor`]: what a job does, for others that look at any time, and requests to pause and to stop it.
//!   [`JobStatus`] is what screens, events and pages show of it.
//! * [`Pausing`]: a pause of work on many threads.

mod monitor;
mod pausing;
mod progress;
mod resources;
mod status;
mod temp_folder;

pub use monitor::JobMonitor;
pub use pausing::{Busy, Crew, Pausing};
pub use progress::{Progress, Silent, Unit};
pub use resources::Job;
pub use status::{JobState, JobStatus};
pub use temp_folder::TempFolder;
