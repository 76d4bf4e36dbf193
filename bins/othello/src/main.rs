//! `othello`: commands for othello books, end games, and perft.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    othello::run(std::env::args_os())
}
