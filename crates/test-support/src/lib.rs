//! What the tests of the workspace share: random numbers, fixtures, temporary folders, runs of programs, goldens.
//!
//! A dev-dependency only. Of the workspace it depends on `splitmix` alone, so that every crate can use it. Everything here
//! panics with a message where a test must fail.

#![forbid(unsafe_code)]
#![expect(
    clippy::missing_panics_doc,
    reason = "all of it panics where a test must fail"
)]

mod fixtures;
mod program;

pub use fixtures::{TestFolder, assert_golden, fixture, fixture_bytes, fixture_rows, fixture_text};
pub use program::{ProgramRun, run_program};
pub use splitmix::SplitMix64;
