//! The command line, and what several commands take.

use clap::{Parser, Subcommand};
use yane_cli::Settings;

use crate::commands::arrange::{ConcatArgs, DedupArgs, ShuffleArgs, SplitArgs};
use crate::commands::convert::{CheckArgs, ConvertArgs, RepairArgs};
use crate::commands::filter::FilterArgs;
use crate::commands::list::{HeadArgs, SampleArgs, StatsArgs};
use crate::commands::rescore::RescoreArgs;

/// Converts, checks, repairs, counts and arranges teacher data for shogi evaluation functions.
///
/// Formats: pack (whole games, four bytes a ply), hcpe, psv (positions), hcpe3 (games with candidate
/// moves), jsonl and csv (text). `convert` makes them of game records (KIF, KI2, CSA, JKF, USI lines), too, and
/// records of them. The extension of a file says its format. `-` is the standard input or
/// output. No command ever damages a file: the output appears when it is complete.
#[derive(Debug, Parser)]
#[command(name = "teacher", version, long_version = yane_cli::long_version(), max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    _shell: yane_cli::shell::ShellFiles,
    #[command(flatten, next_help_heading = "Settings")]
    pub(crate) settings: Settings,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 failed, or something is damaged; 2 wrong usage; 130 interrupted.

Examples:
  teacher help convert
  teacher convert kifu.pack --to hcpe
  teacher check kifu.pack";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Convert files into another format
    Convert(ConvertArgs),
    /// Check every game and position against the format and the rules
    Check(CheckArgs),
    /// Write what is good of a damaged file
    Repair(RepairArgs),
    /// Tell what is in files: games, results, scores, moves, different positions
    Stats(StatsArgs),
    /// Show the first games or positions
    Head(HeadArgs),
    /// Show games or positions picked at random
    Sample(SampleArgs),
    /// Put records or games into random order
    Shuffle(ShuffleArgs),
    /// Leave out positions, records or games that are there more than once
    #[command(visible_aliases = ["uniq", "unique"])]
    Dedup(DedupArgs),
    /// Keep a part: scores, plies, results, lengths of games
    Filter(FilterArgs),
    /// Make several files of one: equal parts, parts of a size, random shares
    Split(SplitArgs),
    /// Make one file of several
    #[command(visible_alias = "merge")]
    Concat(ConcatArgs),
    /// Give every position a new score, by an engine in this program
    Rescore(RescoreArgs),
}
