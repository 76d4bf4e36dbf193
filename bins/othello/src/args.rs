//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::{examples, transcript};

/// Othello: books and perft.
#[derive(Parser, Debug)]
#[command(version, after_help = examples::OTHELLO)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten, next_help_heading = "Settings of all commands")]
    pub(crate) settings: yane_cli::Settings,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Books of Edax (.dat, .txt) and Egaroucid (.egbk3, .egbk2, .egbk)
    #[command(subcommand, after_help = examples::BOOK)]
    Book(Book),
    /// Count games of a length
    #[command(after_help = examples::PERFT)]
    Perft(Perft),
}

#[derive(Subcommand, Debug)]
pub(crate) enum Book {
    /// What a book holds: positions by level, ply and value; leaves; links
    #[command(after_help = examples::INFO)]
    Info(Input),
    /// Write a book in the format that the name of the output says
    #[command(after_help = examples::CONVERT)]
    Convert(Convert),
    /// Put several books into one: the higher level wins, then the later book
    #[command(after_help = examples::MERGE)]
    Merge(Merge),
    /// Values from the ends of lines back to the start, lines counted, leaves that are none taken away: as Edax does it in
    /// its books, as Egaroucid in its own
    #[command(after_help = examples::FIX)]
    Fix(Fix),
    /// Leave out positions that are too deep or behind moves that are too bad
    #[command(after_help = examples::PRUNE)]
    Prune(Prune),
    /// Count anew how many lines lead on from each position
    #[command(after_help = examples::LINES)]
    Lines(Change),
    /// Take out positions that the start does not lead to
    #[command(after_help = examples::ISOLATED)]
    Isolated(Change),
    /// Keep only what some moves (--start) lead to
    #[command(after_help = examples::SUBTREE)]
    Subtree(Change),
    /// How far values can be trusted (A to F): of the whole book, or after some moves
    #[command(after_help = examples::ACCURACY)]
    Accuracy(Lookup),
    /// How many discs moves lose: all moves of the book, or those of a game
    #[command(after_help = examples::ERRORS)]
    Errors(Lookup),
    /// All positions as lines of text, or as JSON lines with --json
    #[command(after_help = examples::DUMP)]
    Dump(Input),
    /// What a book says after some moves
    #[command(after_help = examples::LOOKUP)]
    Lookup(Lookup),
    /// Whether a book is sound
    #[command(after_help = examples::CHECK)]
    Check(Check),
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The book
    pub(crate) book: PathBuf,
    /// List what is wrong: the kind, the byte of the record, the board, the move
    #[arg(long)]
    pub(crate) list: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Input {
    /// The book
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// What most commands do with the book that they read.
#[derive(Args, Debug)]
pub(crate) struct Reading {
    /// The level of positions of an .egbk, which has none: 1 to 60; 70 edited by hand, -1 undefined
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = egbk_level, allow_negative_numbers = true)]
    pub(crate) egbk_level: i8,
    /// Make positions of the leaves of an Edax book, as Egaroucid does
    #[arg(long)]
    pub(crate) leaf_positions: bool,
    /// Leave out damaged records, those of side-cars too, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_damaged: bool,
    /// Neither read nor write a side-car, the file beside a book that keeps what its format has no room for
    #[arg(long)]
    pub(crate) no_side_car: bool,
}

/// A level that Egaroucid can have given a position.
fn egbk_level(text: &str) -> Result<i8, String> {
    let level = text.parse().ok();
    let known = level.filter(|level| matches!(level, -1 | 1..=60 | 70));
    known.ok_or_else(|| "1 to 60, 70 or -1 was expected".to_owned())
}

#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// The book
    pub(crate) book: PathBuf,
    /// The book to write: .dat, .egbk3, .egbk2, .egbk; .txt for Edax's text form
    #[arg(required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: yane_cli::OutputOption,
    /// Give all positions this level, 1 to 60
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=60))]
    pub(crate) level: Option<u8>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Only tell what would be written
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// The books, the older first
    #[arg(required = true, num_args = 2..)]
    pub(crate) books: Vec<PathBuf>,
    /// The book to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Only tell what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A book that is read, changed and written.
#[derive(Args, Debug)]
pub(crate) struct Change {
    /// The book
    pub(crate) book: PathBuf,
    /// The book to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Begin behind these moves, or at this position
    #[arg(long, value_name = "MOVES", default_value = "", value_parser = transcript::text(), allow_hyphen_values = true)]
    pub(crate) start: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Only tell what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of the command line"
)]
pub(crate) struct Fix {
    #[command(flatten)]
    pub(crate) change: Change,
    /// As Egaroucid, but leaves count for values too
    #[arg(long, conflicts_with = "edax")]
    pub(crate) leaves: bool,
    /// Values, bounds, games and lines as Edax counts them [default for books of Edax]
    #[arg(long)]
    pub(crate) edax: bool,
    /// Values and lines as Egaroucid counts them: only moves to positions of the book [default for its books]
    #[arg(long, conflicts_with = "edax")]
    pub(crate) egaroucid: bool,
    /// Take out positions that the start does not lead to
    #[arg(long)]
    pub(crate) remove_isolated: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Prune {
    #[command(flatten)]
    pub(crate) change: Change,
    /// Plies from the start
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) depth: u32,
    /// By how many discs a move may be worse than the best
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) error: i32,
    /// By how many all moves of a line together may be
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) sum: i32,
    /// As Edax prunes: keep where one player makes any moves and the other only the best, whichever of the two
    #[arg(long, conflicts_with_all = ["depth", "error", "sum"])]
    pub(crate) edax: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Lookup {
    /// The book
    pub(crate) book: PathBuf,
    /// Moves such as f5d6c3, a position, or a file of them
    #[arg(value_name = "MOVES", default_value = "", value_parser = transcript::text(), allow_hyphen_values = true)]
    pub(crate) transcript: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Args, Debug)]
pub(crate) struct Perft {
    /// How many plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=60))]
    pub(crate) depth: u32,
    /// Begin behind these moves, or at this position
    #[arg(long, value_name = "MOVES", default_value = "", value_parser = transcript::text(), allow_hyphen_values = true)]
    pub(crate) start: String,
    /// What counts
    #[arg(long, value_enum, default_value_t = Counting::Positions)]
    pub(crate) counting: Counting,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Counting {
    /// Positions at the end; a pass is a ply, a finished game counts as one
    Positions,
    /// Moves and passes made at the last ply, as Edax counts
    Moves,
    /// Positions at the end; a pass is no ply
    PassFree,
}
