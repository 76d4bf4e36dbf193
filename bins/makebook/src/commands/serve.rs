//! `serve`: the shogi page in a browser, with books.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use shogi_serve::{Profile, ShogiServeArgs, ShogiServer};

use crate::args::Settings;

/// `serve BOOK...`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServePageArgs {
    /// Books to open on the page; records of games are opened too
    #[arg(value_name = "BOOK")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    page: ShogiServeArgs,
}

const EXAMPLES: &str = "\
Examples:
  makebook serve --open book.db                   the page opens in the browser with a book; Ctrl-C ends it
  makebook serve --open old.db new.ybb            two books side by side
  makebook serve --open --root ~/books            books and records of a folder can be opened from the page
  makebook serve --open book.db --engine /opt/engine/YaneuraOu,name=V9
                                                  another engine can think on the page
  makebook serve --port 9000 book.db              print the address instead
  makebook serve --bind 192.168.1.5 --allow-remote book.db
                                                  from a telephone at home

The address has a token that is good for one visit; after it a cookie lets the browser in. Only this machine is let
in unless --bind and --allow-remote say otherwise. The page: docs/shogi-page.md";

/// Serves the page.
pub(crate) fn serve(args: ServePageArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let server = ShogiServer {
        program: "makebook",
        version: env!("CARGO_PKG_VERSION"),
        profile: Profile::Classic,
        fixed: Vec::new(),
        files: args.files,
    };
    server.run(&args.page, settings.shared())
}
