//! `kifu`: shogi game records.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    kifu::run(std::env::args_os())
}
