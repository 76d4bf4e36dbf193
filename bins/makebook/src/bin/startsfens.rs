//! `startsfens`: the command of that name of `makebook`, as a program of its own.
#![forbid(unsafe_code)]

use std::ffi::OsString;

fn main() -> std::process::ExitCode {
    let mut args = std::env::args_os();
    let program = args.next().into_iter();
    let command = [OsString::from("startsfens")];
    makebook::run(program.chain(command).chain(args))
}
