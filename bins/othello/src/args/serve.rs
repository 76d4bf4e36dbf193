//! The command line of `othello serve`.

use std::path::PathBuf;

use clap::Args;
use run_watch::WatchArgs;
use serve_cli::ServeArgs;

use super::{Engine, OpeningArgs};

/// The page in a browser.
#[derive(Args, Debug)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) server: ServeArgs,
    /// Opening book of Edax or Egaroucid; may be repeated, the first that knows a move counts [default: of 'othello settings']
    #[arg(long, value_name = "FILE")]
    pub(crate) book: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
    /// Let the page see the files of a folder: books, games; may be repeated [default: the working folder, and
    /// Documents/Egaroucid if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Library of games, a folder as Egaroucid keeps it [default: Documents/Egaroucid/games if it is there, else a folder 'games'
    /// beside the settings]
    #[arg(long, value_name = "DIR")]
    pub(crate) library: Option<PathBuf>,
    /// Another engine whose moves the page may choose: PROGRAM or PROGRAM,KEY=VALUE,... with the keys name, dir and protocol (gtp or
    /// nboard, default gtp); may be repeated
    #[arg(long = "engine", value_name = "CMD")]
    pub(crate) others: Vec<String>,
    /// Use no book, not even that of 'othello settings'
    #[arg(long, conflicts_with = "book")]
    pub(crate) no_book: bool,
    #[command(flatten)]
    pub(crate) engine: Engine,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
}

pub(crate) const SERVE: &str = "\
Examples:
  othello serve --open                            the page opens in the browser; Ctrl-C ends it
  othello serve --open --book book.egbk3          with a book
  othello serve --open --root ~/books             books and games of a folder can be opened from the page
  othello serve --open --library ~/games          with the games of a folder, such as a copy of Egaroucid's or of WTHOR
  othello serve --open --engine '/opt/edax/edax -nboard,name=Edax,protocol=nboard'
                                                  Edax can be chosen as the opponent
  othello serve --open --watch farm               dashboards of runs by their events, farm/*.events
  othello serve --watch nats://farm:4222 --secret-file secret
                                                  dashboards of the runs that machines share over a queue
  othello serve --port 9000                       print the address instead
  othello serve --bind 192.168.1.5 --allow-remote from a telephone at home

The address has a token that is good for one visit; after it a cookie lets the browser in. Only this machine is let
in unless --bind and --allow-remote say otherwise.";
