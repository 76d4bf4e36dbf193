//! The command line, and what several commands take.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use pack_format::TeacherFormat;
use pack_format::stream::Input;
use yane_cli::{Settings, UsageError};

use crate::conversion::{format_of, format_parser, inputs, is_standard};

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
#[command(name = "teacher", version, max_term_width = 100, after_help = EXIT_CODES)]
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

/// Files of one format.
#[derive(Args, Debug)]
pub(crate) struct Files {
    /// The files, all of one format, one behind the other
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the files [default: by extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) from: Option<TeacherFormat>,
}

impl Files {
    /// The inputs and their format.
    pub(crate) fn open(&self) -> Result<(Vec<Input>, TeacherFormat), UsageError> {
        self.open_beside(None)
    }

    /// The inputs and their format, which is also that of `output`.
    pub(crate) fn open_for(
        &self,
        output: &Path,
    ) -> Result<(Vec<Input>, TeacherFormat), UsageError> {
        let named = TeacherFormat::of_path(output);
        let (inputs, format) = self.open_beside(named)?;
        match named {
            Some(other) if other != format && self.from.is_none() => Err(UsageError(format!(
                "{format} files stay {format}, but the name {} says {other}; see teacher convert",
                output.display()
            ))),
            _ => Ok((inputs, format)),
        }
    }

    /// The same; the standard input has the format of the other files, or `usual`.
    fn open_beside(
        &self,
        usual: Option<TeacherFormat>,
    ) -> Result<(Vec<Input>, TeacherFormat), UsageError> {
        let named = self.files.iter().filter(|file| !is_standard(file));
        let mut formats = named
            .map(|file| format_of(self.from, file, "--from"))
            .collect::<Result<Vec<_>, _>>()?;
        if formats.is_empty() {
            formats.push(format_of(self.from.or(usual), &self.files[0], "--from")?);
        }
        Ok((inputs(&self.files)?, only(&formats)?))
    }
}

/// The format that all of several files have.
pub(crate) fn only(formats: &[TeacherFormat]) -> Result<TeacherFormat, UsageError> {
    let first = formats[0];
    match formats.iter().find(|format| **format != first) {
        None => Ok(first),
        Some(other) => Err(not_one(first, other)),
    }
}

/// The error about files that should have one format.
pub(crate) fn not_one(first: impl Display, other: impl Display) -> UsageError {
    UsageError(format!(
        "the files must have one format, found {first} and {other}"
    ))
}
