//! Searches, whichever engine makes them: what is asked for, the book before it, the thread, and the filter of its reports.

pub(crate) mod book;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod running;

/// Size of the stack of a search: it recurses once for each ply and keeps a list of moves in each frame.
pub(crate) const STACK_BYTES: usize = 64 << 20;
