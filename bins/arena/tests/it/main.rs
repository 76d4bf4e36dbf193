//! The program `arena` as a process, with engines that are shell scripts.
#![cfg(unix)]

mod docs;
mod engine;
mod games;
mod interruption;
mod jobs;
mod kills;
mod othello;
mod players;
mod queue;
mod tune;
