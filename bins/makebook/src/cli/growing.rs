//! Commands that grow books by search.

use std::path::PathBuf;

use clap::Args;

use super::{EngineArgs, QueueArgs, Side};

/// `s_tera name value …`
#[derive(Args, Debug)]
#[command(after_help = STERA_EXAMPLES)]
pub(crate) struct SteraArgs {
    /// The book to start with, .db or .ybb; need not be there
    #[arg(long, value_name = "FILE", default_value = "book/read_book.db")]
    pub(crate) read_book: PathBuf,
    /// The book that is written; if it is there already, it grows
    #[arg(long, value_name = "FILE", default_value = "book/write_book.db")]
    pub(crate) write_book: PathBuf,
    /// Where play starts: a record file [default: `book/root_sfens.txt` if that is there, else the even game]
    #[arg(long, value_name = "FILE")]
    pub(crate) root_sfens_name: Option<PathBuf>,
    /// Game records for --search-delta-on-kif [default: `book/kif_sfens.txt` if that is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) kif_sfens_name: Option<PathBuf>,
    /// Nodes of the search of one position
    #[arg(long, value_name = "N", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes_limit: u64,
    /// Positions to search; then the command ends
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub(crate) think_limit: u64,
    /// Write the book after so many more positions [default: 1800 at 30,000 nodes, more at fewer]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) book_save_interval: Option<u64>,
    /// Search leaves whose value differs by so much from that of the best play, too; 0: do not
    #[arg(long, value_name = "EVAL", default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) search_delta: i32,
    /// The same for leaves that occur in the game records [default: 100 with records]
    #[arg(long, value_name = "EVAL", value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) search_delta_on_kif: Option<i32>,
    /// Virtual loss: how much less a leaf counts while an engine searches it
    #[arg(long, value_name = "EVAL", default_value_t = 50, value_parser = clap::value_parser!(i32).range(0..=30_000))]
    pub(crate) virtual_loss: i32,
    /// Keep the book of every save, too: OUT.db.000001, OUT.db.000002, …
    #[arg(long)]
    pub(crate) numbered_saves: bool,
    /// Keep the transposition tables of engines between positions; a run cannot be repeated then
    #[arg(long)]
    pub(crate) keep_hash: bool,
    /// Time limit of a search in seconds; the engine is restarted then
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400)]
    pub(crate) think_timeout: u64,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// Positions that are handed out over the queue at a time: about as many as all machines search at once. More
    /// than that stray from the best play, fewer leave machines idle
    #[arg(long, value_name = "N", requires = "queue", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=8192), help_heading = "Many machines")]
    pub(crate) ahead: u32,
}

const STERA_EXAMPLES: &str = "\
Searches the position where best play leaves the book, gives all its moves their values, and so on
from the best play that follows. Every position is safe at once: after an interruption, or a crash, the
same command resumes. s_tera and stera are the same.

Examples:
  makebook s_tera write_book book/mine.db root_sfens_name roots.txt think_limit 1000
  makebook s_tera nodes_limit 100000 search_delta 30 root_sfens_name roots.txt --threads 16
  makebook stera --root-sfens-name roots.txt --engine engines/YaneuraOu --multi 4 --hash 64
  makebook s_tera root_sfens_name roots.txt kif_sfens_name games.sfen search_delta_on_kif 100
  makebook s_tera root_sfens_name roots.txt --queue nats://farm:4222 --serve --ahead 64
  makebook s_tera root_sfens_name roots.txt --queue nats://farm:4222 --work
      with many machines: one serves and has the book, all others work and have the roots
Then:
  makebook stera_convert read_book book/write_book.db root_sfens_name roots.txt";

/// `mine BOOK …`
#[derive(Args, Debug)]
#[command(after_help = MINE_EXAMPLES)]
pub(crate) struct MineArgs {
    /// The book that grows; need not be there
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// The book after peta shock, written in every round [default: BOOK-peta.db]
    #[arg(long, value_name = "PETA.db")]
    pub(crate) peta: Option<PathBuf>,
    /// Where lines start: a record file [default: the even game]
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Option<PathBuf>,
    /// End after so many positions [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) positions: Option<u64>,
    /// End after so many hours, such as 8 or 0.5 [default: no limit]
    #[arg(long, value_name = "H", value_parser = hours)]
    pub(crate) hours: Option<f64>,
    /// Search so many positions in a round, before the best lines are followed again
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch: u32,
    /// How much less than the root's value the other side's moves may be worth
    #[arg(long, value_name = "EVAL", default_value_t = 10)]
    pub(crate) eval_diff: i32,
    /// Go no further than this move number
    #[arg(long, value_name = "PLY", default_value_t = 200)]
    pub(crate) max_ply: u32,
    /// Only for this side's book
    #[arg(long, value_enum)]
    pub(crate) side: Option<Side>,
    /// Positions to search for each position; 0: no limit [default: 1000000, without depth and time]
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Time for each position in milliseconds; 0: no limit
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) time: u64,
    /// Depth to search to [default: no limit]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=9999))]
    pub(crate) depth: Option<u32>,
    /// Moves to find for each position (`MultiPV`)
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) multipv: u16,
    /// Keep the transposition tables of engines between positions; results depend on the order then
    #[arg(long)]
    pub(crate) keep_hash: bool,
    /// Seconds between updates of the book
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    pub(crate) book_save_interval: u64,
    /// Time limit of a search in seconds; the engine is restarted then
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400)]
    pub(crate) think_timeout: u64,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
}

/// A number of hours.
fn hours(text: &str) -> Result<f64, String> {
    let hours: Option<f64> = text.parse().ok();
    hours
        .filter(|hours| (0.0..=1e6).contains(hours))
        .ok_or_else(|| "expected a number of hours such as 8 or 0.5".to_owned())
}

const MINE_EXAMPLES: &str = "\
peta_shock, peta_next and think in turn: the book is valued, the ends of its best lines are listed, and
searched, until a budget is used up. The same command resumes after Ctrl-C or a crash, with what is
left of the budget. At the end PETA.db is there to play from.

Examples:
  makebook mine book.db --roots roots.txt --positions 10000
  makebook mine book.db --roots roots.txt --hours 48 --nodes 5000000 --eval-diff 30
  makebook mine black.db --side b --roots roots.txt --hours 8 --engine engines/YaneuraOu --multi 8";
