//! The engine through its public interface.

mod book;
mod evaluation;
mod events;
mod ponder;
mod session;
mod thinker;
