//! `egbk-mine`, which searches othello books for values that disagree.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    egbk_mine::run(std::env::args_os())
}
