//! The shogi page as people use it, in a real browser without a window. Skipped, with a line that says so, where there is none.

mod library;
mod look;
mod play;
mod records;
mod research;
mod story;
