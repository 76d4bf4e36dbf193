//! The search for places where the value of a position disagrees with what follows it.
//!
//! From a position on, every move of the book is taken once: links in their order, then the leaf, each followed to the
//! end before the next. A position that is reached again goes on with the moves that are left. Wherever a move leads
//! to a position of the book, the two are judged ([`Mode`]), and lines that are worth learning next come out, as
//! transcripts, in the order in which the classic programs print them.
//!
//! A missing position, a repeated record, an illegal move of the book and the like never stop it; they are counted.

mod judge;
mod limits;
mod line;
mod options;
mod summary;
mod walk;

pub use line::Line;
pub use options::{Dialect, Limits, Mode, Options};
pub use summary::Summary;
pub use walk::{MineError, mine};
