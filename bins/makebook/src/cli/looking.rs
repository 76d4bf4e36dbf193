//! Commands that look at books, compare them and keep parts of them.

use std::path::PathBuf;

use clap::Args;
use yane_book::check::Kind;
use yane_cli::{OutputOption, Range};

use super::Side;

/// `info BOOK`
#[derive(Args, Debug)]
#[command(after_help = INFO_EXAMPLES)]
pub(crate) struct InfoArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
}

const INFO_EXAMPLES: &str = "\
Examples:
  makebook info book.db
  makebook info book.ybb --json";

/// `check BOOK`
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
    /// How many findings to list; all are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max: usize,
    /// Kinds of findings that do not matter
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) ignore: Vec<Kind>,
}

const CHECK_EXAMPLES: &str = "\
Kinds of findings: header, format, position, move (illegal), reply (illegal after its move), order
(not sorted), spelling, too-long (8 KiB of moves or 1 KiB of SFEN: ShogiHome's search on disk misses
it), empty, repeated-move, duplicate, other-ply, turned (the position is there turned by 180
degrees).

Exit code: 0 when nothing was found, 1 when something was.

Examples:
  makebook check book.db
  makebook check book.db --max 1000 --json
  makebook check book.db --ignore turned,other-ply
  makebook check book.ybb";

/// `diff A B`
#[derive(Args, Debug)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArgs {
    /// The first book, .db or .ybb
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,
    /// The second book, .db or .ybb
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,
    /// List all differences
    #[arg(long, conflicts_with = "max")]
    pub(crate) list: bool,
    /// How many differences to list; all are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max: u64,
    /// Positions that differ only in ply are one position
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
}

const DIFF_EXAMPLES: &str = "\
`< sfen` is only in the first book, `> sfen` only in the second, `! sfen` in both, followed by its
moves that were removed (-), added (+) or changed (both). The order of positions and moves makes no
difference. With a .ybb book neither replies nor counts are compared.

Exit code: 0 when the books say the same, 1 when they do not.

Examples:
  makebook diff old.db new.db
  makebook diff old.db new.db --list > changes.txt
  makebook diff book.db book.ybb --ignore-ply --json";

/// `lookup BOOK POSITION`
#[derive(Args, Debug)]
#[command(after_help = LOOKUP_EXAMPLES)]
pub(crate) struct LookupArgs {
    /// The book: .db, .ybb or .bin
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
    /// What follows the word position of USI, or an SFEN, or moves from the even start
    #[arg(required = true, value_name = "POSITION")]
    pub(crate) position: Vec<String>,
}

const LOOKUP_EXAMPLES: &str = "\
The position is looked for as it is, at any other ply, and turned by 180 degrees. A sorted book is
searched in place; one that is not is read to its end.

Exit code: 0 when the position was found, 1 when it was not.

Examples:
  makebook lookup book.db startpos
  makebook lookup book.db startpos moves 7g7f 3c3d
  makebook lookup book.db 7g7f 3c3d
  makebook lookup book.ybb sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 --json";

/// `unique IN OUT`
#[derive(Args, Debug)]
#[command(after_help = UNIQUE_EXAMPLES)]
pub(crate) struct UniqueArgs {
    /// The book
    #[arg(value_name = "IN.db")]
    pub(crate) input: PathBuf,
    /// The book with every position once, sorted
    #[arg(value_name = "OUT.db", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// A position and the same one turned by 180 degrees are one
    #[arg(long)]
    pub(crate) flip: bool,
    /// Join the moves of positions that differ only in ply, instead of keeping the smallest ply's
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
}

const UNIQUE_EXAMPLES: &str = "\
Of a position and its turned one the one with black to move remains, with black's moves unless
white's were searched deeper (or as deep, and are more): then white's, turned. Engines find what was
left out with FlippedBook and IgnoreBookPly on.

Examples:
  makebook unique book.db smaller.db
  makebook unique book.db smaller.db --flip
  makebook uniq book.db book.db flip --force";

/// `filter IN OUT …`
#[derive(Args, Debug)]
#[command(after_help = FILTER_EXAMPLES)]
pub(crate) struct FilterArgs {
    /// The book
    #[arg(value_name = "IN.db")]
    pub(crate) input: PathBuf,
    /// The part of it that is kept, in the same order
    #[arg(value_name = "OUT.db", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Only positions with these plies
    #[arg(long, value_name = "A..B")]
    pub(crate) ply: Option<Range<u32>>,
    /// Only positions whose best move has such a value
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) eval: Option<Range<i32>>,
    /// Only positions with this side to move
    #[arg(long, value_enum)]
    pub(crate) side: Option<Side>,
    /// Only positions that moves of the book reach from these: startpos or a record file
    #[arg(long, value_name = "ROOTS")]
    pub(crate) reachable_from: Option<PathBuf>,
    /// Only moves with such values
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) move_eval: Option<Range<i32>>,
    /// Only moves with at least this count
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_count: u64,
    /// Only moves with at least this depth
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) min_depth: Option<i32>,
    /// At most so many moves a position, the first by count and value
    #[arg(long, value_name = "N")]
    pub(crate) max_moves: Option<usize>,
}

const FILTER_EXAMPLES: &str = "\
Ranges include both ends; one of them may be missing (`5..`, `..100`). Positions are judged by what
the book says, then moves are left out; a position without a move left goes too.

Examples:
  makebook filter book.db opening.db --ply 1..20
  makebook filter book.db even.db eval -200..200 move_eval -100..
  makebook filter book.db black.db side b
  makebook filter book.db tree.db --reachable-from startpos
  makebook filter book.db best.db max_moves 1 min_depth 10";
