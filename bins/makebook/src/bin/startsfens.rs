//! `startsfens`: the command of that name of `makebook`, as a program of its own.
#![forbid(unsafe_code)]

use std::ffi::OsString;

fn main() -> std::process::ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "startsfens", makebook::startsfens) {
        return code;
    }
    // Whatever the file is called.
    let name = OsString::from("startsfens");
    makebook::run(std::iter::once(name).chain(args.into_iter().skip(1)))
}
