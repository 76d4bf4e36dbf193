//! `othello` as people and scripts run it.

mod book_trials;
mod program;
mod trials;
