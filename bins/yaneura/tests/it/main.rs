//! The program from outside: a GUI's sessions, scripts, wrong input, time.

mod analyze;
mod arena;
mod book;
mod conformance;
mod csa;
mod deep;
mod developer;
mod eval_files;
mod eval_server;
mod evaluation;
mod garbage;
mod gui;
mod jobs;
#[cfg(unix)]
mod kills;
mod learn;
mod mate;
mod mate_program;
mod pipes;
mod queries;
mod search;
mod serve;
mod times;
mod trials;
mod util;
