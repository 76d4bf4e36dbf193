//! The shogi page as people use it, in a real browser without a window. Skipped, with a line that says so, where there is none.
//!
//! A story is played twice: with a server, and with the engine in the tab, in the folder that `cargo xtask browser` makes. One that needs what only a
//! server has names it (`ServerNeed`).

mod analysis;
mod forms;
mod library;
mod look;
mod pictures;
mod play;
mod records;
mod research;
mod runs;
mod safety;
mod story;
