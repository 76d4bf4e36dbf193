//! The command line of `othello settings`.

use std::path::PathBuf;

use clap::Args;

/// What the engine begins with where no option says otherwise.
#[derive(Args, Debug)]
pub(crate) struct SettingsArgs {
    /// Book to play from: of Edax or Egaroucid
    #[arg(long, value_name = "FILE")]
    pub(crate) book: Option<PathBuf>,
    /// Level 0 to 60
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60))]
    pub(crate) level: Option<u32>,
    /// Size of the transposition table, such as 64M or 2G
    #[arg(long, value_name = "SIZE")]
    pub(crate) hash: Option<yane_cli::Size>,
    /// Forget a setting: book, level or hash; may be given several times
    #[arg(long, value_name = "NAME", value_parser = ["book", "level", "hash"])]
    pub(crate) unset: Vec<String>,
}

pub(crate) const SETTINGS: &str = "\
Examples:
  othello settings                                          show the settings, and the file that holds them
  othello settings --book book.egbk3 --level 21 --hash 1G   console, play, hint, analyze, random and windows use them
  othello settings --unset book

Options of a command come first, then these settings. --no-book plays without the book. The environment variable
OTHELLO_SETTINGS names another file.";
