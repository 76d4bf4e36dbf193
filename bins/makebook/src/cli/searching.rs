//! Commands that propagate values and tell what to search next.

use std::path::PathBuf;

use clap::Args;
use yane_cli::OutputOption;

use super::Side;

/// `peta_shock IN OUT [shrink] [fast]`
#[derive(Args, Debug)]
#[command(after_help = PETA_SHOCK_EXAMPLES)]
pub(crate) struct PetaShockArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The peta-shock book, of the same format
    #[arg(value_name = "OUT", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Keep only the best moves of every position
    #[arg(long)]
    pub(crate) shrink: bool,
    /// Taken for the sake of old scripts: it is always fast
    #[arg(long)]
    pub(crate) fast: bool,
}

const PETA_SHOCK_EXAMPLES: &str = "\
A move that leads to a position of the book gets the value of best play from there on; positions are
the same whatever their ply and turned by 180 degrees. Depth 9999 stands for a line that repeats for
ever. Illegal moves are errors unless --skip-bad is given.

Examples:
  makebook peta_shock book.db peta.db
  makebook peta_shock book.db best_only.db shrink
  makebook peta_shock book.ybb peta.ybb";

/// `peta_shock_next IN OUT N …`
#[derive(Args, Debug)]
#[command(after_help = PETA_SHOCK_NEXT_EXAMPLES)]
pub(crate) struct PetaShockNextArgs {
    /// The book, not yet peta-shocked
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// The positions to search next, and how many of them for each root; with -o only their number
    #[arg(value_names = ["OUT.txt", "N"], num_args = 1..=2, required = true)]
    pub(crate) output_and_count: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Standard deviation of random numbers added to the values of the book
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub(crate) eval_noise: f64,
    /// Seed of the random numbers
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) roots: RootArgs,
}

const PETA_SHOCK_NEXT_EXAMPLES: &str = "\
Follows best play to the end of the book, lists the position there, takes that move out, and so on.

Examples:
  makebook peta_shock_next book.db think.txt 1000
  makebook peta_shock_next book.db think.txt 1000 eval_noise 20 seed 7
  makebook peta_shock_next book.db think.txt 1000 from_startpos root_sfens_name roots.txt";

/// `peta_shock_next2 IN OUT N …`
#[derive(Args, Debug)]
#[command(after_help = PETA_SHOCK_NEXT2_EXAMPLES)]
pub(crate) struct PetaShockNext2Args {
    /// The book, not yet peta-shocked
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// The positions to search next, and how many of them for each root, half of these for each side; with -o only
    /// their number
    #[arg(value_names = ["OUT.txt", "N"], num_args = 1..=2, required = true)]
    pub(crate) output_and_count: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Moves of a value beyond this, either way, are not followed
    #[arg(long, value_name = "EVAL", default_value_t = 400)]
    pub(crate) eval_limit: u16,
    #[command(flatten)]
    pub(crate) roots: RootArgs,
}

const PETA_SHOCK_NEXT2_EXAMPLES: &str = "\
One side plays its best moves, the other all its moves within the limit; the ends that are worst for
the side with the best moves come first.

Examples:
  makebook peta_shock_next2 book.db think.txt 1000
  makebook peta_shock_next2 book.db think.txt 1000 eval_limit 200 from_startpos";

const ROOTS_HELP: &str = "\
Where to begin: a record file [default: book/root_sfens.txt if that is there, else the even game]";

/// Where to begin and what to write.
#[derive(Args, Debug)]
pub(crate) struct RootArgs {
    #[arg(long, value_name = "FILE", help = ROOTS_HELP)]
    pub(crate) root_sfens_name: Option<PathBuf>,
    /// Write lines of moves from the root instead of SFENs
    #[arg(long)]
    pub(crate) from_startpos: bool,
}

/// `peta_next BOOK …`
#[derive(Args, Debug)]
#[command(after_help = PETA_NEXT_EXAMPLES)]
pub(crate) struct PetaNextArgs {
    /// The peta-shock book
    #[arg(value_name = "BOOK.db", required_unless_present = "peta_book")]
    pub(crate) book: Option<PathBuf>,
    /// The same, under the name that it has elsewhere
    #[arg(long, value_name = "BOOK.db", conflicts_with = "book", hide = true)]
    pub(crate) peta_book: Option<PathBuf>,
    /// Where to begin: a record file [default: the even game]
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Option<PathBuf>,
    /// Folder for the lists
    #[arg(
        long,
        value_name = "DIR",
        default_value = ".",
        conflicts_with = "output_option"
    )]
    pub(crate) folder: PathBuf,
    /// Folder for the lists, instead of --folder; those that exist are replaced only with --force
    #[arg(
        long = "output",
        short = 'o',
        id = "output_option",
        value_name = "DIR",
        display_order = 5
    )]
    pub(crate) output: Option<PathBuf>,
    /// How much less than the root's value the other side's moves may be worth
    #[arg(
        long,
        value_name = "EVAL",
        default_value_t = 10,
        alias = "peta-eval-diff"
    )]
    pub(crate) eval_diff: i32,
    /// Go no further than this move number
    #[arg(long, value_name = "PLY", default_value_t = 200)]
    pub(crate) max_ply: u32,
    /// Only for this side's book
    #[arg(long, value_enum)]
    pub(crate) side: Option<Side>,
}

const PETA_NEXT_EXAMPLES: &str = "\
Writes think_sfens-black.txt and think_sfens-white.txt (lines of moves), the same with -sfen (SFENs),
and think_sfens.txt and think_sfens-sfen.txt with both sides' in turn.

Examples:
  makebook peta_next peta.db
  makebook peta_next peta.db --eval-diff 60 --folder next
  makebook peta_next peta.db --side b --roots roots.txt";
