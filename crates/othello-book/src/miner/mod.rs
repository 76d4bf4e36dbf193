//! The search for places where the value of a position disagrees with what follows it.
//!
//! From a position on, every move of the book is taken once: links in their order, then the leaf, each followed to the
//! end before the next. A position that is reached again goes on with the moves that are left. Wherever a move leads
//! to a position of the book, the two are judged ([`Mode`]), and lines that are worth learning next come out, as
//! transcripts, in the order in which the classic programs print them.
//!
//! [`mine`] does this as it stands, on one thread. [`mine_sorted`] finds the same lines on several, position by position
//! in the order of how many discs are on the board, and gives them in alphabetical order.
//!
//! A missing position, a repeated record, an illegal move of the book and the like never stop it; they are counted.

mod judge;
mod judge_v1;
mod limits;
mod line;
mod mismatch;
mod moves;
mod options;
mod replies;
mod summary;
mod sweep;
mod walk;

pub use line::Line;
pub use options::{Dialect, Limits, Mode, Options};
pub use summary::Summary;
pub use sweep::mine_sorted;
pub use walk::{MineError, mine};
