//! The program `arena` as a process, with engines that are shell scripts.
#![cfg(unix)]

mod engine;
mod games;
mod othello;
mod queue;
mod tune;
