//! The command line.

mod arranging;
mod common;
mod converting;
mod filtering;
mod looking;

use clap::{Parser, Subcommand};
use yane_cli::Settings;

pub(crate) use arranging::{ConcatArgs, DedupArgs, ShuffleArgs, SplitArgs};
pub(crate) use common::{Files, only};
pub(crate) use converting::{CheckArgs, ConvertArgs, RepairArgs};
pub(crate) use filtering::FilterArgs;
pub(crate) use looking::{HeadArgs, HowToList, SampleArgs, StatsArgs};

/// Converts, checks, repairs, counts and arranges teacher data for shogi evaluation functions.
///
/// Formats: pack (whole games, four bytes a ply), hcpe, psv (positions), hcpe3 (games with candidate
/// moves), jsonl and csv (text). The extension of a file says its format. `-` is the standard input or
/// output. No command ever damages a file: the output appears when it is complete.
#[derive(Debug, Parser)]
#[command(name = "teacher", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten, next_help_heading = "Settings of all commands")]
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
    #[command(visible_alias = "uniq")]
    Dedup(DedupArgs),
    /// Keep a part: scores, plies, results, lengths of games
    Filter(FilterArgs),
    /// Make several files of one: equal parts, parts of a size, random shares
    Split(SplitArgs),
    /// Make one file of several
    #[command(visible_alias = "merge")]
    Concat(ConcatArgs),
}
