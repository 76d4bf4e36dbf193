//! `yaneura`, a shogi engine that speaks USI.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    yaneura::run(std::env::args_os())
}
