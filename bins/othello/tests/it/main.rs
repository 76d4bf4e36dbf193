//! `othello` as people and scripts run it.

mod book_trials;
mod engine;
mod program;
mod trials;
