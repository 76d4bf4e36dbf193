//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Finds the lines of an othello book where the value of a position disagrees with what follows it.
///
/// Lines come out in the order in which they are found: moves of a position in the order of the book, each followed to
/// its end. Without arguments the program works on the files of its folder: `book.dat`, `config.ini`,
/// `mismatched_positions.txt`, `debuglog.txt`, `specified_positions.txt`.
#[derive(Parser, Debug)]
#[command(version)]
pub(crate) struct Args {
    /// Edax's book.dat, or Egaroucid's .egbk3, .egbk2 or .egbk
    pub(crate) book: PathBuf,
    /// 1: leaf above all links; 2: position and its best move; 3: move and the position behind it; 4: move and the
    /// best move behind it; 5: look up the positions of a file; 6: replies to leaves that lead back into the book; 7:
    /// leaves with such replies
    #[arg(long, short, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=7))]
    pub(crate) mode: u8,
    /// Whose lines: those that the description of the miner tells, or those of its newer version (only mode 3 differs)
    #[arg(long, value_enum, default_value_t = Dialect::Seed)]
    pub(crate) dialect: Dialect,
    /// Where lines go [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What a line is
    #[arg(long, value_enum, default_value_t = Form::Text)]
    pub(crate) format: Form,
    /// Begin with a byte order mark
    #[arg(long)]
    pub(crate) bom: bool,
    /// Write CR LF line ends
    #[arg(long)]
    pub(crate) crlf: bool,
    /// Begin behind these moves, such as f5d6c3
    #[arg(long, value_name = "TRANSCRIPT")]
    pub(crate) start: Option<String>,
    /// Take no moves deeper than this many plies from the start, passes counted
    #[arg(long, value_name = "N")]
    pub(crate) max_ply: Option<u32>,
    /// Pass over moves that are worse than their position's value by more discs than this
    #[arg(long, value_name = "N")]
    pub(crate) per_move_error: Option<u32>,
    /// Pass over moves with which a line, of both players together, has lost more discs than this
    #[arg(long, value_name = "N")]
    pub(crate) cumulative_error: Option<u32>,
    /// Lines have at most so many plies, passes counted
    #[arg(long, value_name = "N")]
    pub(crate) max_line: Option<u32>,
    /// Only mismatches of at least so many discs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_diff: u32,
    /// Stop after so many lines
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Leave out damaged records, and say how many, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_damaged: bool,
    /// The positions of mode 5: two hexadecimal numbers a line, as the book has them
    #[arg(long, value_name = "FILE", default_value = "specified_positions.txt")]
    pub(crate) positions: PathBuf,
    #[command(flatten, next_help_heading = "Settings")]
    pub(crate) settings: yane_cli::Settings,
}

/// Whose lines come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dialect {
    /// As described
    Seed,
    /// As the newer version does
    V2,
}

/// What a line of output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// A transcript
    Text,
    /// transcript,ply,expected,found
    Csv,
    /// An object with the same fields
    Jsonl,
}
