//! `othello` as people and scripts run it.

mod book_trials;
mod outputs;
mod program;
mod trials;
