//! `startsfens`: the command of that name of `makebook`, as a program of its own.
#![forbid(unsafe_code)]

use std::ffi::OsString;

fn main() -> std::process::ExitCode {
    // Whatever the file is called.
    let name = OsString::from("startsfens");
    makebook::run(std::iter::once(name).chain(std::env::args_os().skip(1)))
}
