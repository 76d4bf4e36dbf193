//! Commands that search positions for a book.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use yane_io::{Flush, Shard};

use super::{EngineArgs, QueueArgs};

/// Limits of the search of a position, and how its result is kept.
#[derive(Args, Debug)]
pub(crate) struct LimitArgs {
    /// The first position of a game, counted from the start of its line
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) startmoves: usize,
    /// Positions to search for each position; 0: no limit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) nodes: u64,
    /// Time for each position in milliseconds; 0: no limit
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) time: u64,
    /// Moves to find for each position (`MultiPV`)
    #[arg(long, value_name = "N", default_value_t = 3, alias = "MultiPV",
          value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) multipv: u16,
    /// Write the depth that was reached, and not --depth; a position with enough moves is then known whatever
    /// its depth
    #[arg(long)]
    pub(crate) reached_depth: bool,
    /// The count of the moves [default: the engine's version times 100]
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Keep the transposition tables of engines between positions; results depend on the order then
    #[arg(long)]
    pub(crate) keep_hash: bool,
    /// Seconds between updates of the book
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    pub(crate) book_save_interval: u64,
    /// When the journal is flushed to the disk: `always`, `never`, or seconds between two times
    #[arg(long, value_name = "WHEN", default_value = "10")]
    pub(crate) journal_flush: FlushArg,
    /// Time limit of a search in seconds; the engine is restarted then
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400)]
    pub(crate) think_timeout: u64,
    /// The marks of the classic program on standard output: `.` a position, `S` saved, `s` nothing to save
    #[arg(long)]
    pub(crate) classic_progress: bool,
}

/// `think [bw] IN [IN] BOOK …`
#[derive(Args, Debug)]
#[command(after_help = THINK_EXAMPLES)]
pub(crate) struct ThinkArgs {
    #[arg(
        help = "RECORDS.sfen BOOK.db; with bw BLACK.sfen WHITE.sfen BOOK.db (no_file: none)",
        required = true, num_args = 2.., value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// Take black's positions from the first records and white's from the second
    #[arg(long)]
    pub(crate) bw: bool,
    /// The last position of a game
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) moves: usize,
    /// Depth to search to, which also decides what the book knows well enough
    #[arg(long, value_name = "D", default_value_t = 24,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    pub(crate) depth: u32,
    /// Only part X of Y, counted from 1
    #[arg(long, value_names = ["X", "Y"], num_args = 2, conflicts_with_all = ["shard", "queue"])]
    pub(crate) cluster: Option<Vec<u64>>,
    /// Only part I of N, counted from 0, such as 0/4. Tasks of Slurm arrays and Kubernetes indexed jobs
    /// set it by themselves
    #[arg(long, value_name = "I/N", conflicts_with = "queue")]
    pub(crate) shard: Option<Shard>,
    /// Stop at the first line that is no game or has an illegal move, instead of listing them
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
}

const THINK_EXAMPLES: &str = "\
Every position of the records is searched and its best moves are put into the book, unless they are there,
searched as deep, already. No result is ever lost: the same command resumes after Ctrl-C, a crash or a
power cut.

Examples:
  makebook think games.sfen book.db moves 16 depth 32
  makebook think games.sfen book.db startmoves 5 moves 16 depth 32 cluster 1 3
  makebook think bw black.sfen white.sfen book.db depth 20 book_save_interval 300
  makebook think games.sfen book.db nodes 1000000 multipv 5 --hash 256
  makebook think games.sfen book.db time 5000 --engine engines/YaneuraOu --multi 8
  makebook think games.sfen book.db depth 30 --engines settings/engines.json5
  makebook think games.sfen book.db nodes 1000000 --queue nats://farm:4222 --serve
  makebook think games.sfen book.db nodes 1000000 --queue nats://farm:4222 --work
      with many machines: one serves and has the book, all others work and have the records";

/// `endless_extend_tree BOOK ROOTS THINK …`
#[derive(Args, Debug)]
#[command(after_help = ENDLESS_EXAMPLES)]
pub(crate) struct EndlessArgs {
    /// The book that grows
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// Where lines start: a record file, one line of moves or SFEN each
    #[arg(value_name = "ROOTS.txt")]
    pub(crate) roots: PathBuf,
    /// The lines to search, written in every round
    #[arg(value_name = "THINK.txt")]
    pub(crate) list: PathBuf,
    /// The limit of rounds
    #[arg(long = "loop", id = "loop", value_name = "N", default_value_t = 256)]
    pub(crate) loops: u64,
    /// The last position of a line
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub(crate) moves: usize,
    /// Depth to search to, which also decides what the book knows well enough
    #[arg(long, value_name = "D", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    pub(crate) depth: u32,
    /// Do not follow black's moves of a lower value
    #[arg(long, value_name = "EVAL", default_value_t = -50, allow_negative_numbers = true)]
    pub(crate) black_eval_limit: i32,
    /// Do not follow white's moves of a lower value
    #[arg(long, value_name = "EVAL", default_value_t = -150, allow_negative_numbers = true)]
    pub(crate) white_eval_limit: i32,
    /// Let only moves whose value is within these bounds make the book grow
    #[arg(long, value_names = ["MIN", "MAX"], num_args = 2, allow_negative_numbers = true)]
    pub(crate) extend_range: Option<Vec<i32>>,
    /// Go no further than this move number
    #[arg(long, value_name = "PLY", default_value_t = 320)]
    pub(crate) max_game_ply: u32,
    /// Take positions of the book at whatever ply
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
    /// Also search positions first reached by a move that the book does not know
    #[arg(long)]
    pub(crate) all_leaves: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
}

const ENDLESS_EXAMPLES: &str = "\
extend_tree and think in turn, until no line leads to anything new. A file with the one word startpos
makes a book grow from the initial position; the book need not be there.

Examples:
  makebook endless_extend_tree book.db startpos.txt think.txt depth 8 moves 32 loop 100
  makebook endless_extend_tree book.db roots.txt think.txt nodes 100000 black_eval_limit -50
  makebook endless_extend_tree book.db roots.txt think.txt depth 8 extend_range -1 1
  makebook endless_extend_tree book.db roots.txt think.txt --queue nats://farm:4222 --serve
  makebook endless_extend_tree book.db roots.txt think.txt --queue nats://farm:4222 --work
      with many machines: one serves and has the book, all others work and have the roots";

/// When a journal is flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlushArg(pub(crate) Flush);

impl FromStr for FlushArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(match text {
            "always" => Flush::Always,
            "never" => Flush::Never,
            seconds => {
                let seconds = seconds
                    .parse()
                    .map_err(|_| "expected `always`, `never`, or a number of seconds".to_owned())?;
                Flush::Every(Duration::from_secs(seconds))
            }
        }))
    }
}
