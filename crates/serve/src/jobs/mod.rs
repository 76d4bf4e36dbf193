//! Jobs: long work that pages start, and that goes on without them.
//!
//! * [`PageJobs`]: the list of jobs, its requests and broadcasts, and the threads that do them.
//! * [`JobKindInfo`]: what pages are told of the kinds of jobs; [`value_text`] and others: what they send, checked.
//! * [`JobWorks`]: jobs that the server does itself and programs, in one list.
//! * [`JobWork`]: who knows what the jobs do. Nothing here knows a game, a book or a command line.
//!
//! One job of each [`JobLane`] works at a time; the others wait, in their order. Nor do two work at a time of which one writes a file
//! that the other needs. The list is a file: after a crash, jobs that were not done are there as stopped ones.

mod files;
mod kinds;
mod lane;
mod list;
mod record;
mod service;
mod told;
mod values;
mod work;
mod works;

pub use kinds::{
    ArgumentDescription, CommandDescription, JobKindInfo, JobOptionInfo, JobPause, JobTakes,
    ProgramDescription,
};
pub use lane::JobLane;
pub use service::PageJobs;
pub use values::{option_words, value_file, value_lines, value_list, value_switch, value_text};
pub use work::{JobEnd, JobFolder, JobPlan, JobProgram, JobRequest, JobWork};
pub use works::JobWorks;
