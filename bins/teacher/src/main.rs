//! `teacher`, tools for teacher data.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    teacher::run(std::env::args_os())
}
