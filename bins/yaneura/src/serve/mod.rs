//! The program `yaneura serve`: the shogi page in a browser.

mod cli;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::CommandFactory as _;
use shogi_serve::ShogiServer;
use yane_cli::Settings;

use crate::usi_loop::ready::{book_profile, engine_options};
use cli::ServeCli;

/// The first word of the command.
const NAME: &str = "serve";

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    ServeCli::command().name(NAME)
}

/// Runs the command that the program's arguments are, if it is this one and nothing else; `None` otherwise.
/// Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let cli: ServeCli = crate::parse_alone(words, NAME)?;
    Some(serve(cli).unwrap_or_else(|error| yane_cli::fail("yaneura serve", &error)))
}

fn serve(cli: ServeCli) -> anyhow::Result<ExitCode> {
    let settings = Settings {
        threads: cli.threads,
        ..Settings::from(&cli.output())
    };
    let server = ShogiServer {
        program: "yaneura",
        version: env!("CARGO_PKG_VERSION"),
        profile: book_profile(),
        fixed: fixed_options(),
        files: cli.files,
    };
    server.run(&cli.page, &settings)
}

/// The options of the files beside the program, as GUIs have them.
fn fixed_options() -> Vec<(String, String)> {
    let lines = engine_options().into_iter().flat_map(|(_, lines)| lines);
    let option = |line: String| {
        let (name, value) = shogi_engine::parse_option_line(&line)?;
        Some((name.to_owned(), value.to_owned()))
    };
    lines.filter_map(option).collect()
}
