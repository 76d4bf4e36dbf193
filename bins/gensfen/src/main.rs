//! `gensfen`, which plays games between engines and records them as teacher data.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    gensfen::run(std::env::args_os())
}
