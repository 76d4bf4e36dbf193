//! Searches through the public interface.

mod behaviour;
mod common;
mod soundness;
mod threads;
mod time;
