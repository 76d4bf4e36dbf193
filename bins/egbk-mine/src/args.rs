//! The arguments.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Parser, ValueEnum};

// The command line.

pub(super) const EXAMPLES: &str = "\
Examples:
  egbk-mine book.dat -o mismatched_positions.txt             as the classic program, in mode 4
  egbk-mine book.dat --mode 2 --start f5d6 --max-ply 20      below two moves, not too deep
  egbk-mine book.dat --mode 1 --min-diff 2 --limit 100       the first 100 of two discs or more
  egbk-mine book.dat --parallel --format csv -o lines.csv    on all cores, with both values
  egbk-mine book.dat --mode 6 --per-move-error 2 --cumulative-error 6 --max-line 30
  egbk-mine book.dat --mode 3 --dialect v2 --bom --crlf -o lines.txt
  egbk-mine broken.dat --skip-damaged --json -o lines.txt    the summary as JSON
  egbk-mine book.dat --mode 5 --positions asked.txt          what the book says of positions
  egbk-mine                                                  on book.dat and config.ini of this folder

Exit codes: 0 done, 1 it failed or mode 5 missed a position, 2 wrong usage, 130 interrupted.";

/// Find the lines of an othello book where the value of a position contradicts what follows.
///
/// Lines are reported in the order of the book: moves of a position in their order, each followed to its end. Without
/// arguments the program works on the files of its folder: `book.dat`, `config.ini`, `mismatched_positions.txt`,
/// `debuglog.txt`, `specified_positions.txt`.
#[derive(Parser, Debug)]
#[command(name = "egbk-mine", version, long_version = yane_cli::long_version(), after_help = EXAMPLES)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(crate) struct Args {
    /// Edax's book.dat, or Egaroucid's .egbk3, .egbk2 or .egbk
    pub(crate) book: PathBuf,
    /// 1: leaf above all links; 2: position and its best move; 3: move and the position behind it; 4: move and the
    /// best move behind it; 5: look up the positions of a file; 6: replies to leaves that lead back into the book; 7:
    /// leaves with such replies
    #[arg(long, short, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=7))]
    pub(crate) mode: u8,
    /// Dialect of the lines
    #[arg(long, value_enum, default_value_t = Dialect::Seed)]
    pub(crate) dialect: Dialect,
    /// Search on all cores, and write lines in alphabetical order. No faster with limits, --max-ply or --dialect v1,
    /// which depend on the order
    #[arg(long)]
    pub(crate) parallel: bool,
    /// Output of lines; an existing file is replaced only with --force [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the lines
    #[arg(long, value_enum, default_value_t = LineFormat::Text)]
    pub(crate) format: LineFormat,
    /// Write a byte order mark first
    #[arg(long)]
    pub(crate) bom: bool,
    /// Write CR LF line ends
    #[arg(long)]
    pub(crate) crlf: bool,
    /// Begin after these moves, such as f5d6c3, or at this position
    #[arg(long, value_name = "MOVES", value_parser = text(), allow_hyphen_values = true)]
    pub(crate) start: Option<String>,
    /// Greatest depth in plies from the start, passes counted
    #[arg(long, value_name = "N")]
    pub(crate) max_ply: Option<u32>,
    /// Greatest error of a move, in discs below its position's value
    #[arg(long, value_name = "N")]
    pub(crate) per_move_error: Option<u32>,
    /// Greatest sum of errors of a line, of both players together
    #[arg(long, value_name = "N")]
    pub(crate) cumulative_error: Option<u32>,
    /// Greatest number of plies of a line, passes counted (`max_book_move_depth` of the classic program)
    #[arg(long, value_name = "N")]
    pub(crate) max_line: Option<u32>,
    /// Least mismatch, in discs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_diff: u32,
    /// Stop after this many lines
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Skip and count damaged records instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_damaged: bool,
    /// The positions of mode 5, one a line: two hexadecimal numbers, the mover's and the opponent's discs with h8 =
    /// bit 0; moves such as f5d6c3; 64 squares and a side; or game files
    #[arg(long, value_name = "FILE", default_value = "specified_positions.txt")]
    pub(crate) positions: PathBuf,
    #[command(flatten)]
    pub(super) _shell: yane_cli::shell::ShellFiles,
    #[command(flatten, next_help_heading = "Settings")]
    pub(crate) settings: yane_cli::Settings,
}

/// A parser of arguments that are games or positions, in any terminal encoding.
pub(super) fn text() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|argument| othello_record::argument_text(&argument))
}

/// Dialect of the lines
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dialect {
    /// As the classic program is described
    Seed,
    /// As its newer public version does; other moves come out in mode 3
    V2,
    /// As its older public version does: other moves come out in modes 2 to 4, passes are written as Pass or a9, no
    /// move as b9, dead moves stay in lines
    V1,
}

/// The format of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    /// A transcript
    Text,
    /// transcript,ply,expected,found
    Csv,
    /// An object with the same fields
    Jsonl,
}
