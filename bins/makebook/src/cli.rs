//! The command line.

use clap::{Args, Parser, Subcommand};

use crate::settings::Settings;

/// Makes, merges, sorts, converts and examines shogi opening books.
///
/// The classic syntax of the field's tools works unchanged (`makebook merge a.db b.db out.db`,
/// `makebook from_sfen games.sfen out.db moves 16`); every word of it is also an option
/// (`--moves 16`). No command ever damages a file: the output appears when it is complete.
#[derive(Debug, Parser)]
#[command(version, disable_help_subcommand = false, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// The commands.
#[derive(Debug, Subcommand)]
#[command(rename_all = "snake_case")]
pub(crate) enum Command {
    /// Merge books: for each position the deeper searched one is taken
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeArgs),
    /// Sort a book by SFEN, as on-the-fly probing needs it; repairs order, duplicates, hand order
    #[command(after_help = SORT_EXAMPLES)]
    Sort(SortArgs),
}

/// `merge [bw|wb] IN… OUT`
#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// [bw|wb] IN.db IN.db … OUT.db — `bw` takes black's positions from the first book and white's
    /// from the second, `wb` the reverse
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Positions that differ only in ply are one position
    #[arg(long, alias = "ignore-book-ply")]
    pub(crate) ignore_ply: bool,
}

const MERGE_EXAMPLES: &str = "\
For a position that is in several books, the moves of one book are taken whole: the one whose first \
line was searched deeper; with equal depth the one with more moves; else the earlier one. Books of \
any size; those that are sorted are not even copied to a temporary file.

Examples:
  makebook merge book1.db book2.db merged.db
  makebook merge a.db b.db c.db d.db merged.db --memory 512M
  makebook merge bw for_black.db for_white.db both.db
  makebook merge old.db new.db old.db --force";

/// `sort IN OUT`
#[derive(Args, Debug)]
pub(crate) struct SortArgs {
    /// IN.db OUT.db
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Positions that differ only in ply are one position
    #[arg(long, alias = "ignore-book-ply")]
    pub(crate) ignore_ply: bool,
}

const SORT_EXAMPLES: &str = "\
Examples:
  makebook sort book.db sorted.db
  makebook sort book.db book.db --force
  makebook sort huge.db sorted.db --memory 1G --temp-dir /mnt/scratch";
