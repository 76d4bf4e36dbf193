//! Commands that look at files.

use std::path::PathBuf;

use clap::Args;

use super::Files;

/// `stats FILE...`
#[derive(Args, Debug)]
#[command(after_help = STATS_EXAMPLES)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// Also write a page with plots
    #[arg(long, value_name = "PAGE")]
    pub(crate) html: Option<PathBuf>,
    /// Also write the main plots as a picture: scores, winning rate, plies, results
    #[arg(long, value_name = "PICTURE")]
    pub(crate) svg: Option<PathBuf>,
    /// Leave out damaged records of hcpe and psv, and count them, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

const STATS_EXAMPLES: &str = "\
Games, results, end reasons, lengths, scores and how they agree with the results, plies, pieces,
checks, kinds of moves; about how many different positions there are. Everything is checked on the
way.

Examples:
  teacher stats a.pack
  teacher stats a.psv b.psv --json
  teacher stats a.hcpe --html a.html
  teacher stats a.hcpe --svg a.svg";

/// `head FILE...`
#[derive(Args, Debug)]
#[command(after_help = HEAD_EXAMPLES)]
pub(crate) struct HeadArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) how: HowToList,
}

const HEAD_EXAMPLES: &str = "\
With --json each is a line as `teacher convert --to jsonl` writes it.

Examples:
  teacher head a.pack
  teacher head a.psv -n 3 --board
  teacher head a.hcpe -n 1 --json";

/// `sample FILE...`
#[derive(Args, Debug)]
#[command(after_help = SAMPLE_EXAMPLES)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) how: HowToList,
    /// The same seed picks the same ones
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
}

const SAMPLE_EXAMPLES: &str = "\
All are equally likely. Records of a file are looked up at once; games and the standard input are
read to the end.

Examples:
  teacher sample a.psv
  teacher sample a.pack -n 3 --seed 42 --board
  teacher sample a.hcpe -n 100 --json";

/// What to list, and how.
#[derive(Args, Debug)]
pub(crate) struct HowToList {
    /// How many games or positions of each file
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) count: u64,
    /// Show boards: of each position, of the start and the end of each game
    #[arg(long)]
    pub(crate) board: bool,
    /// Leave out damaged records of hcpe and psv, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_bad: bool,
}
