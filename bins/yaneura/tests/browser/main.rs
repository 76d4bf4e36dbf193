//! The shogi page as people use it, in a real browser without a window. Skipped, with a line that says so, where there is none.

mod analysis;
mod forms;
mod look;
mod pictures;
mod play;
mod records;
mod research;
mod runs;
mod safety;
mod story;
