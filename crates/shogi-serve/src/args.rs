//! The options of the commands.

use std::path::PathBuf;

use clap::Args;
use run_watch::WatchArgs;
use serve_cli::ServeArgs;

/// The options of a command that serves the shogi page.
#[derive(Args, Clone, Debug, Default)]
pub struct ShogiServeArgs {
    #[command(flatten)]
    pub(crate) server: ServeArgs,
    /// Opening book (.db, .ybb, Apery's .bin, .sbk); may be repeated, the first that knows a position counts
    #[arg(long, value_name = "FILE")]
    pub(crate) book: Vec<PathBuf>,
    /// Let this program's engine use no book of its own (`BookFile`)
    #[arg(long)]
    pub(crate) no_book: bool,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
    /// Let the page see the files of a folder: books, games; may be repeated [default: the working folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// The folder of the library of records [default: `games` beside the settings of the page]
    #[arg(long, value_name = "DIR")]
    pub(crate) library: Option<PathBuf>,
    /// Another engine that speaks USI: PROGRAM or PROGRAM,KEY=VALUE,... with the keys name and dir and options of the engine; a
    /// command with arguments does too; may be repeated
    #[arg(long, value_name = "CMD")]
    pub(crate) engine: Vec<String>,
    /// A file of engines, `{ENGINE_SETTING: [{path, name, options}, …]}` in JSON5
    #[arg(long, value_name = "FILE")]
    pub(crate) engines: Option<PathBuf>,
    /// A USI option of the engine in this program; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    pub(crate) option: Vec<String>,
}
