//! `teacher` as people and scripts run it.

mod arranging;
mod checking;
mod converting;
#[cfg(unix)]
mod engines;
#[cfg(unix)]
mod kills;
mod records;
mod rescoring;
mod rivals;
#[cfg(unix)]
mod robust;
mod trials;
#[cfg(unix)]
mod trouble;
mod usage;
mod util;

/// The program that is tested.
pub(crate) const PROGRAM: &str = "teacher";
