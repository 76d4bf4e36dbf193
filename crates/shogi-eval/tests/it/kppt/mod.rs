//! Three-piece evaluations: the values of another program, incremental sums, files.

mod files;
mod golden;
mod incremental;
mod synthetic;
