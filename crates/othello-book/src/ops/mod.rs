//! Work on books that needs no search: values from the ends of lines back, counts of lines, leaving out what is too
//! bad or too deep, how far values can be trusted, what moves lose, and what a book holds.
//!
//! All of it begins at a position and goes through the book from there; positions that it does not reach stay as they
//! are, unless something else is said. What a function gives tells what it changed; on a copy of the table it is a
//! trial run.

mod accuracy;
mod check;
mod check_egaroucid;
mod edax;
mod errors;
mod info;
mod negamax;
mod prune;
mod reach;
mod reduce;

pub use accuracy::{Accuracies, Accuracy, Grade};
pub use check::{Oddity, Soundness, check};
pub use check_egaroucid::{EntrySoundness, check_entries};
pub use edax::negamax_edax;
pub(crate) use edax::negamax_edax_all;
pub use errors::{BookErrors, MoveError, book_errors, line_boards, line_errors};
pub use info::Info;
pub use negamax::{Fixed, LeafValues, count_lines, fix, fix_with_leaves, negamax};
pub use prune::prune_edax;
pub use reach::{count_isolated, isolated, remove_isolated};
pub use reduce::{Limits, Reduced, reduce};
