//! The engine through its public interface.

mod book;
mod evaluation;
mod ponder;
mod session;
mod thinker;
