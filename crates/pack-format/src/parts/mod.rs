//! Files into parts and parts into files, without looking into records and games.

mod concat;
mod names;
mod plan;
mod split;

pub use concat::{ConcatOptions, ConcatReport, concat};
pub use names::part_path;
pub use split::{SplitOptions, SplitPart, SplitParts, SplitReport, split};
