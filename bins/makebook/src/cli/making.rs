//! Commands that make books and lists of positions.

use std::path::PathBuf;

use clap::Args;
use yane_cli::OutputOption;

/// `from_sfen [bw] IN [IN] OUT [moves N]`
#[derive(Args, Debug)]
#[command(after_help = FROM_SFEN_EXAMPLES)]
pub(crate) struct FromSfenArgs {
    #[arg(
        help = "RECORDS.sfen OUT.db; with bw BLACK.sfen WHITE.sfen OUT.db (no_file: none)",
        required = true, num_args = 1.., value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Take black's positions from the first records and white's from the second
    #[arg(long)]
    pub(crate) bw: bool,
    /// How many moves of every game
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) moves: usize,
    /// Stop at the first line that is no game or has an illegal move, instead of listing them
    #[arg(long)]
    pub(crate) strict: bool,
    /// Taken for the sake of old scripts; changes nothing
    #[arg(long, hide = true)]
    pub(crate) depth: Option<u32>,
    /// Taken for the sake of old scripts; changes nothing
    #[arg(long, hide = true)]
    pub(crate) nodes: Option<u64>,
}

const FROM_SFEN_EXAMPLES: &str = "\
A line of the records is one game, as it follows the word position of USI: `startpos moves 7g7f …`
or `sfen … moves …`. An illegal move ends its game and is told; the moves before it are used.

Examples:
  makebook from_sfen games.sfen book.db
  makebook from_sfen games.sfen book.db moves 24
  makebook from_sfen bw black.sfen white.sfen book.db moves 16
  makebook from_sfen bw no_file white.sfen book.db";

/// `merge [bw|wb] IN… OUT`
#[derive(Args, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of the command line"
)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// IN.db IN.db … OUT.db
    #[arg(required = true, num_args = 1.., value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Take black's positions from the first book and white's from the second
    #[arg(long, conflicts_with = "wb")]
    pub(crate) bw: bool,
    /// Take white's positions from the first book and black's from the second
    #[arg(long)]
    pub(crate) wb: bool,
    /// Positions that differ only in ply are one position
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
    /// Check all rules of shogi for every move, not only that the pieces can make it; takes longer
    #[arg(long)]
    pub(crate) all_rules: bool,
}

const MERGE_EXAMPLES: &str = "\
For a position that is in several books, the moves of one book are taken whole: the one whose first
line was searched deeper; with equal depth the one with more moves; else the earlier one. Books of
any size; those that are sorted are not even copied to a temporary file.

Examples:
  makebook merge book1.db book2.db merged.db
  makebook merge a.db b.db c.db d.db merged.db --memory 512M
  makebook merge bw for_black.db for_white.db both.db
  makebook merge old.db new.db old.db
  makebook merge a.db b.db c.db -o merged.db";

/// `sort IN OUT`
#[derive(Args, Debug)]
#[command(after_help = SORT_EXAMPLES)]
pub(crate) struct SortArgs {
    /// The book to sort
    #[arg(value_name = "IN.db")]
    pub(crate) input: PathBuf,
    /// The sorted book
    #[arg(value_name = "OUT.db", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Positions that differ only in ply are one position
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
    /// Check all rules of shogi for every move, not only that the pieces can make it; takes longer
    #[arg(long)]
    pub(crate) all_rules: bool,
}

const SORT_EXAMPLES: &str = "\
Examples:
  makebook sort book.db sorted.db
  makebook sort book.db book.db
  makebook sort book.db -o sorted.db
  makebook sort huge.db sorted.db --memory 1G --temp-dir /mnt/scratch";

/// `extend_tree BOOK ROOTS OUT …`
#[derive(Args, Debug)]
#[command(after_help = EXTEND_TREE_EXAMPLES)]
pub(crate) struct ExtendTreeArgs {
    /// The book
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// Where to begin: a record file, one line of moves or SFEN each
    #[arg(value_name = "ROOTS.txt")]
    pub(crate) roots: PathBuf,
    /// The lines found
    #[arg(value_name = "OUT.txt", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Do not follow black's moves of a lower value
    #[arg(long, value_name = "EVAL", default_value_t = -50, allow_negative_numbers = true)]
    pub(crate) black_eval_limit: i32,
    /// Do not follow white's moves of a lower value
    #[arg(long, value_name = "EVAL", default_value_t = -150, allow_negative_numbers = true)]
    pub(crate) white_eval_limit: i32,
    /// Write a line only if the value of its last move is within these bounds
    #[arg(long, value_names = ["MIN", "MAX"], num_args = 2, allow_negative_numbers = true)]
    pub(crate) extend_range: Option<Vec<i32>>,
    /// Go no further than this move number
    #[arg(long, value_name = "PLY", default_value_t = 320)]
    pub(crate) max_game_ply: u32,
    /// Take positions of the book at whatever ply
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
    /// Write also positions first reached by a move that the book does not know
    #[arg(long)]
    pub(crate) all_leaves: bool,
}

const EXTEND_TREE_EXAMPLES: &str = "\
A line is written for every position outside the book that a followed move of the book leads to.

Examples:
  makebook extend_tree book.db startpos.txt think.txt
  makebook extend_tree book.db roots.txt think.txt black_eval_limit 0 white_eval_limit -100
  makebook extend_tree book.db roots.txt think.txt extend_range -20 30 max_game_ply 40";

/// `extract_sfen_from_db read_book IN write_sfen OUT`
#[derive(Args, Debug)]
#[command(after_help = EXTRACT_FROM_DB_EXAMPLES)]
pub(crate) struct ExtractFromDbArgs {
    /// The book
    #[arg(long, value_name = "FILE", default_value = "book/read_book.db")]
    pub(crate) read_book: PathBuf,
    /// The list
    #[arg(
        long,
        value_name = "FILE",
        default_value = "book/write_sfen.txt",
        conflicts_with = "output_option"
    )]
    pub(crate) write_sfen: PathBuf,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
}

const EXTRACT_FROM_DB_EXAMPLES: &str = "\
Copies the lines of the book that begin with sfen.

Examples:
  makebook extract_sfen_from_db read_book book.db write_sfen positions.txt
  makebook extract_sfen_from_db --read-book book.db --write-sfen positions.txt --lf";

/// `extract_sfen_from_sfen read_sfen IN write_sfen OUT`
#[derive(Args, Debug)]
#[command(after_help = EXTRACT_FROM_SFEN_EXAMPLES)]
pub(crate) struct ExtractFromSfenArgs {
    /// The records
    #[arg(long, value_name = "FILE", default_value = "book/read_sfen.txt")]
    pub(crate) read_sfen: PathBuf,
    /// The list
    #[arg(
        long,
        value_name = "FILE",
        default_value = "book/write_sfen.txt",
        conflicts_with = "output_option"
    )]
    pub(crate) write_sfen: PathBuf,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Stop at the first line that is no game or has an illegal move, instead of listing them
    #[arg(long)]
    pub(crate) strict: bool,
}

const EXTRACT_FROM_SFEN_EXAMPLES: &str = "\
Every position of every game, each once, as SFEN.

Examples:
  makebook extract_sfen_from_sfen read_sfen games.sfen write_sfen positions.txt
  makebook extract_sfen_from_sfen read_sfen games.sfen write_sfen positions.txt --strict";

/// `startsfens BOOK [OUT]`
#[derive(Args, Debug)]
#[command(after_help = START_SFENS_EXAMPLES)]
pub(crate) struct StartSfensArgs {
    /// The book
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// The list [default: BOOK.db-startsfens.txt]
    #[arg(value_name = "OUT.txt")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Leave out positions that are in the book themselves
    #[arg(long)]
    pub(crate) tips_only: bool,
    /// Stop at the first bad position or illegal move, instead of listing them
    #[arg(long)]
    pub(crate) strict: bool,
}

const START_SFENS_EXAMPLES: &str = "\
Plays every move of the book and writes each position reached once, as SFEN: positions for games
between engines to start from. A position and the same one turned by 180 degrees are one.

Examples:
  startsfens user_book1.db
  makebook startsfens user_book1.db start.txt
  makebook startsfens user_book1.db tips.txt --tips-only";
