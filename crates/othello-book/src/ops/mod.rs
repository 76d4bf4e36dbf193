//! Work on books that needs no search: values from the ends of lines back, counts of lines, leaving out what is too
//! bad or too deep, and what a book holds.
//!
//! All of it begins at a position and goes through the book from there; positions that it does not reach stay as they
//! are, unless something else is said. What a function gives tells what it changed; on a copy of the table it is a
//! trial run.

mod check;
mod info;
mod negamax;
mod reach;
mod reduce;

pub use check::{Soundness, check};
pub use info::Info;
pub use negamax::{Fixed, LeafValues, count_lines, fix, negamax};
pub use reach::{isolated, remove_isolated};
pub use reduce::{Limits, Reduced, reduce};
