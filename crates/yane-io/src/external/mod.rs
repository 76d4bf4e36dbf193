//! Sorting more than memory holds.
//!
//! Records, each a key and a body of bytes, are collected in *runs* that fit in memory, sorted, and
//! written to a temporary file; a k-way merge with a loser tree then reads the sorted runs. Records with equal keys keep
//! the order in which they came.
//!
//! The temporary file has no name (it vanishes with the program, however that ends), and as long as
//! the machine has memory to spare its pages never reach the disk.

mod k_way_merge;
mod run;
mod sorted_runs;
mod sorter;
mod strings;

pub use k_way_merge::{KWayMerge, SortedSource};
pub use run::RunBuilder;
pub use sorted_runs::{RecordBytes, RunReader, SortedRuns};
pub use sorter::{Sorted, Sorter};
