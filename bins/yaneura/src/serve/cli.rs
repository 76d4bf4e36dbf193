//! The arguments of `yaneura serve`.

use std::path::PathBuf;

use clap::Parser;
use shogi_serve::ShogiServeArgs;
use yane_cli::OutputSettings;

/// Open a page in the browser: analysis with this engine and others, records of games, books.
///
/// Games of the command line are shown when the page opens. The page is served to this machine alone; Ctrl-C ends the server.
#[derive(Clone, Debug, Parser)]
#[command(name = "yaneura serve", after_help = EXAMPLES)]
pub(super) struct ServeCli {
    /// Records of games (KIF, KI2, CSA, JKF, USI lines) and opening books (.db, .ybb, .bin, .sbk) to open on the page
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) page: ShogiServeArgs,
    /// Threads of this program's engine [default: all cores]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// No remarks: only the address and errors
    #[arg(long, short)]
    quiet: bool,
    /// The address as JSON
    #[arg(long)]
    json: bool,
}

impl ServeCli {
    /// How results are told.
    pub(super) const fn output(&self) -> OutputSettings {
        OutputSettings {
            quiet: self.quiet,
            force: false,
            json: self.json,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  yaneura serve --open                         the page opens; Ctrl-C ends it
  yaneura serve --open game.kif                with a game
  yaneura serve --open --root ~/records        files of a folder can be opened from the page
  yaneura serve --open --option EvalDir=nets/a --option USI_Hash=4096
                                               options of this program's engine
  yaneura serve --open --engine /opt/engine/YaneuraOu,name=V9,Threads=4
                                               another engine can think and play
  yaneura serve --port 9000                    print the address instead
  yaneura serve --bind 192.168.1.5 --allow-remote from a telephone at home

The address has a token that is good for one visit; after it a cookie lets the browser in. Only this machine is let
in unless --bind and --allow-remote say otherwise. The page: docs/shogi-page.md";
