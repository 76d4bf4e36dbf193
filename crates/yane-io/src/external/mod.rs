//! Sorting more than memory holds.
//!
//! Records, each a key and a body of bytes, are collected in *runs* that fit in memory, sorted, and
//! spilled to a temporary file; a tournament tree then merges the runs. Records with equal keys keep
//! the order in which they came.
//!
//! The temporary file has no name (it vanishes with the program, however that ends), and as long as
//! the machine has memory to spare its pages never reach the disk.

mod run;
mod sorter;
mod spill;
mod strings;
mod tournament;

pub use run::RunBuilder;
pub use sorter::{Sorted, Sorter};
pub use spill::{RecordBytes, RunReader, Spill};
pub use tournament::{SortedSource, Tournament};
