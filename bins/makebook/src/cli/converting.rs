//! Conversions.

use std::path::PathBuf;

use clap::Args;
use yane_cli::OutputOption;

/// `convert IN OUT`
#[derive(Args, Debug)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The book
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The converted book; its extension tells the format
    #[arg(value_name = "OUT", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// To .ybb: write moves without depths
    #[arg(long)]
    pub(crate) no_depth: bool,
    #[command(flatten)]
    pub(crate) how: HowToConvert,
}

const CONVERT_EXAMPLES: &str = "\
Formats: .db (text), .ybb (binary, with or without depths), .bin (Apery). What a format cannot hold
is lost or takes a default: .ybb has no replies and counts, .bin no plies, depths and replies.

Examples:
  makebook convert book.db book.ybb
  makebook convert book.db small.ybb --no-depth
  makebook convert book.ybb book.db
  makebook convert book.db book.bin
  makebook convert book.bin book.db --root-sfens-name roots.txt";

/// How to convert.
#[derive(Args, Debug)]
pub(crate) struct HowToConvert {
    /// Write the nearest number where one does not fit, instead of stopping
    #[arg(long)]
    pub(crate) clamp: bool,
    /// Of a position at several plies write the smallest one, instead of stopping
    #[arg(long)]
    pub(crate) smallest_ply: bool,
    /// From Apery: where the search for its positions begins, a record file [default: the even game]
    #[arg(long, value_name = "FILE")]
    pub(crate) root_sfens_name: Option<PathBuf>,
}

/// `convert_to_apery IN OUT`, `convert_from_apery IN OUT`
#[derive(Args, Debug)]
#[command(after_help = APERY_EXAMPLES)]
pub(crate) struct FromToArgs {
    /// The book
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The converted book
    #[arg(value_name = "OUT", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    #[command(flatten)]
    pub(crate) how: HowToConvert,
}

const APERY_EXAMPLES: &str = "\
The same as convert, under the names of older tools.

Examples:
  makebook convert_to_apery book.db book.bin
  makebook convert_from_apery book.bin book.db";
