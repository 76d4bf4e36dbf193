//! Commands that arrange what is in files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pack_format::dedup::{DedupBy, Keep};

use super::Files;

/// `shuffle FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = SHUFFLE_EXAMPLES)]
pub(crate) struct ShuffleArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The shuffled file
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The same seed gives the same order, whatever the memory and the threads
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
}

const SHUFFLE_EXAMPLES: &str = "\
All files are shuffled together. Games of pack and hcpe3 stay whole. What does not fit in --memory
goes once through a temporary file of the size of the inputs (--temp-dir).

Examples:
  teacher shuffle a.psv -o shuffled.psv --seed 1
  teacher shuffle a.hcpe b.hcpe c.hcpe -o all.hcpe --seed 2026 --memory 8G
  teacher shuffle a.psv -o a.psv --force";

/// `dedup FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = DEDUP_EXAMPLES)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The file without duplicates
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// What is compared [default: position in hcpe and psv, record in other formats]
    #[arg(long, value_name = "WHAT")]
    pub(crate) by: Option<By>,
    /// Which one stays
    #[arg(long, value_name = "WHICH", default_value = "first")]
    pub(crate) keep: Which,
}

const DEDUP_EXAMPLES: &str = "\
Positions are the same whatever the order in which the pieces in hand are written. The order of what
stays is kept. What does not fit in --memory goes through temporary files (--temp-dir).

Examples:
  teacher dedup a.psv -o unique.psv
  teacher dedup old.hcpe new.hcpe -o all.hcpe --keep last
  teacher dedup a.psv -o b.psv --by move
  teacher dedup a.pack b.pack -o games.pack";

/// What is compared.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum By {
    /// Board, hands and side to move
    Position,
    /// The same and the move played
    Move,
    /// Everything; whole games of pack and hcpe3, lines of text
    Record,
}

impl From<By> for DedupBy {
    fn from(by: By) -> Self {
        match by {
            By::Position => Self::Position,
            By::Move => Self::PositionAndMove,
            By::Record => Self::WholeRecord,
        }
    }
}

/// Which of the duplicates stays.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Which {
    /// The first
    First,
    /// The last
    Last,
}

impl From<Which> for Keep {
    fn from(which: Which) -> Self {
        match which {
            Which::First => Self::First,
            Which::Last => Self::Last,
        }
    }
}

/// `split FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = SPLIT_EXAMPLES)]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The parts are OUT with a number before the extension: train.psv gives train.0001.psv ...
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) parts: PartsArgs,
    /// With --ratio: the same seed makes the same choices
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Into which parts.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct PartsArgs {
    /// N parts of about the same size, in order
    #[arg(long, value_name = "N")]
    pub(crate) parts: Option<u64>,
    /// Parts of N records, games or lines each, in order
    #[arg(long, value_name = "N")]
    pub(crate) each: Option<u64>,
    /// A part for each number; which one a record, game or line goes to is chosen at random
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub(crate) ratio: Option<Vec<f64>>,
}

const SPLIT_EXAMPLES: &str = "\
Records and games stay whole. No part appears before all are complete.

Examples:
  teacher split a.psv -o part.psv --parts 8
  teacher split a.hcpe b.hcpe -o part.hcpe --each 1000000
  teacher split a.psv -o set.psv --ratio 98,1,1 --seed 7";

/// `concat FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = CONCAT_EXAMPLES)]
pub(crate) struct ConcatArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The file that has all of them
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
}

const CONCAT_EXAMPLES: &str = "\
A file that ends inside a record or game is an error: what follows it could not be read. Of several
csv files one header stays.

Examples:
  teacher concat a.pack b.pack c.pack -o all.pack
  teacher concat a.psv - -o - < b.psv > all.psv";
