//! `othello` as people and scripts run it.

mod archives;
mod book_trials;
mod engine;
mod games;
mod growing;
mod outputs;
mod page_jobs;
mod people;
mod program;
mod records;
mod startup;
mod trials;
