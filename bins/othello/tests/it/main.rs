//! `othello` as people and scripts run it.

mod book_trials;
mod engine;
mod games;
mod growing;
mod outputs;
mod program;
mod records;
mod trials;
