//! `makebook`, the opening-book factory.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    makebook::run(std::env::args_os())
}
