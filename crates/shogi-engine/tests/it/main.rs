//! The engine through its public interface.

mod book;
mod evaluation;
mod session;
mod thinker;
