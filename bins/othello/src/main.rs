//! `othello`: an othello engine with commands for books, end games and evaluations.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    othello::run(std::env::args_os())
}
