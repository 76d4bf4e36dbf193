//! `arena`, which plays engines against each other, tunes their parameters, and rates them.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    arena::run(std::env::args_os())
}
