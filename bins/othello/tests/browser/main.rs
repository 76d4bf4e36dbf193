//! The page as people use it, in a real browser without a window. Skipped, with a line that says so, where there is none.

mod forms;
mod games;
mod look;
mod pictures;
mod play;
mod records;
mod searches;
mod shelf;
mod story;
