//! Searches through the public interface.

mod behaviour;
mod common;
mod mates;
mod soundness;
mod threads;
mod time;
