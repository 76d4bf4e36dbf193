//! Commands that find the values of a book's moves from its ends.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use yane_cli::OutputOption;

/// `build_tree IN OUT [black_contempt N] [white_contempt N]`
#[derive(Args, Debug)]
#[command(after_help = BUILD_TREE_EXAMPLES)]
pub(crate) struct BuildTreeArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The book with the values found
    #[arg(value_name = "OUT.db", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// How much black dislikes a draw
    #[arg(
        long,
        value_name = "EVAL",
        default_value_t = 50,
        allow_negative_numbers = true
    )]
    pub(crate) black_contempt: i32,
    /// How much white dislikes a draw
    #[arg(
        long,
        value_name = "EVAL",
        default_value_t = 150,
        allow_negative_numbers = true
    )]
    pub(crate) white_contempt: i32,
    /// Whether positions are the same whatever their ply
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub(crate) ignore_book_ply: bool,
    /// Taken for the sake of old scripts; changes nothing
    #[arg(long, value_name = "PLY", hide = true)]
    pub(crate) max_game_ply: Option<u32>,
}

const BUILD_TREE_EXAMPLES: &str = "\
From the even start and the usual handicaps, a move that leads to a position of the book gets the
value of best play from there on, moves that join lines of the book are added, and positions that
cannot be reached are left out. Draws by repetition are worth less by the contempt.

Examples:
  makebook build_tree book.db tree.db
  makebook build_tree book.db tree.db black_contempt 0 white_contempt 0
  makebook build_tree book.db tree.db ignore_book_ply false";

/// `stera_convert read_book IN write_book OUT root_sfens_name ROOTS`
#[derive(Args, Debug)]
#[command(after_help = STERA_CONVERT_EXAMPLES)]
pub(crate) struct SteraConvertArgs {
    /// The book, .db or .ybb
    #[arg(long, value_name = "FILE", default_value = "book/read_book.db")]
    pub(crate) read_book: PathBuf,
    /// The book with the values found
    #[arg(
        long,
        value_name = "FILE",
        default_value = "book/write_tera_book.db",
        conflicts_with = "output_option"
    )]
    pub(crate) write_book: PathBuf,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    #[arg(long, value_name = "FILE", help = ROOTS_HELP)]
    pub(crate) root_sfens_name: Option<PathBuf>,
}

const ROOTS_HELP: &str = "\
Where to begin: a record file [default: book/root_sfens.txt if that is there, else all usual starts \
and the positions one move after]";

const STERA_CONVERT_EXAMPLES: &str = "\
Positions of which a legal move is missing are left out; all others are written.

Examples:
  makebook stera_convert read_book stera.db write_book tera.db
  makebook stera_convert read_book stera.db write_book tera.db root_sfens_name roots.txt";
