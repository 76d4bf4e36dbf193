//! The command line of `othello book`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use othello_bookwork::GrowthLimit;

use super::{FROM_GAMES, OpeningArgs};
use crate::args::growing::{
    DEVIATE, DeviateArgs, ENHANCE, EXPORT, EnhanceArgs, ExportArgs, FILL, FillArgs, LEARN, LEAVES,
    LearnArgs, LeavesArgs, LineErrors, PLAY_OUT, PlayOutArgs, RECIPE, RecipeArgs, SET, STORE,
    SetArgs, StoreArgs, WORKER, WorkerCommand,
};
use crate::args::read::{BookArgs, ReadArgs};
use crate::args::study::{
    DIFF, DRAWS, DiffArgs, DrawsArgs, PRACTICE, PracticeArgs, TREE, TreeArgs, UMIGAME, UmigameArgs,
};
use crate::book::lookup;

#[derive(Subcommand, Debug)]
pub(crate) enum Book {
    /// Show statistics: positions by level, ply and value; leaves; links
    #[command(after_help = INFO)]
    Info(BookArgs),
    /// Convert a book to the format of the output's extension
    #[command(after_help = CONVERT)]
    Convert(Convert),
    /// Make a book of the positions of games: counts, results, values of results or by search
    #[command(name = "from_games", alias = "from-games", after_help = FROM_GAMES)]
    FromGames(super::FromGames),
    /// Merge books: the higher level wins, then the later book
    #[command(after_help = MERGE)]
    Merge(Merge),
    /// Recompute values from the leaves, recount lines, delete invalid leaves: books of Edax as Edax does, those of
    /// Egaroucid as Egaroucid does
    #[command(after_help = FIX)]
    Fix(Fix),
    /// Remove positions that are too deep or behind bad moves
    #[command(after_help = PRUNE)]
    Prune(Prune),
    /// Recount the lines of each position
    #[command(after_help = LINES)]
    Lines(Change),
    /// Remove positions that cannot be reached from the start
    #[command(after_help = ISOLATED)]
    Isolated(Change),
    /// Keep only what can be reached from some moves (--start)
    #[command(after_help = SUBTREE)]
    Subtree(Change),
    /// Grade the accuracy of values (A to F): of the whole book, or after some moves
    #[command(after_help = ACCURACY)]
    Accuracy(Lookup),
    /// Show how many discs moves lose: all moves of the book, or those of a game
    #[command(after_help = ERRORS)]
    Errors(Lookup),
    /// Print all positions as lines of text, or as JSON lines with --json
    #[command(after_help = DUMP)]
    Dump(BookArgs),
    /// Look up a position: its value and its moves
    #[command(after_help = LOOKUP)]
    Lookup(LookupArgs),
    /// Check a book for problems
    #[command(after_help = CHECK)]
    Check(Check),
    /// Learn: leaves that are good enough become positions, as in Egaroucid
    #[command(after_help = LEARN)]
    Learn(LearnArgs),
    /// Recalculate leaves
    #[command(after_help = LEAVES)]
    Leaves(LeavesArgs),
    /// Store a line or games with the values of searches
    #[command(after_help = STORE)]
    Store(StoreArgs),
    /// Set the value of a position by hand
    #[command(after_help = SET)]
    Set(SetArgs),
    /// Expand leaves that are nearly as good as the best moves, as in Edax
    #[command(after_help = DEVIATE)]
    Deviate(DeviateArgs),
    /// Expand leaves that may change the bounds of the start, as in Edax
    #[command(after_help = ENHANCE)]
    Enhance(EnhanceArgs),
    /// Add positions between positions of the book, as in Edax
    #[command(after_help = FILL)]
    Fill(FillArgs),
    /// Lengthen lines by their best moves, as in Edax
    #[command(after_help = PLAY_OUT)]
    Play(PlayOutArgs),
    /// Make a book grow by the stages of a recipe
    #[command(after_help = RECIPE)]
    Recipe(RecipeArgs),
    /// Search for books that grow, here or on other machines
    #[command(after_help = WORKER)]
    Worker(WorkerCommand),
    /// Write a book for Edax, after missing leaves were searched if wanted
    #[command(after_help = EXPORT)]
    Export(ExportArgs),
    /// Show Umigame's numbers
    #[command(after_help = UMIGAME)]
    Umigame(UmigameArgs),
    /// Show the lines of a book as a tree
    #[command(after_help = TREE)]
    Tree(TreeArgs),
    /// List drawn lines
    #[command(after_help = DRAWS)]
    Draws(DrawsArgs),
    /// List positions where players of games left the book
    #[command(after_help = PRACTICE)]
    Practice(PracticeArgs),
    /// Compare two books
    #[command(after_help = DIFF)]
    Diff(DiffArgs),
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The book
    pub(crate) book: PathBuf,
    /// List each problem: the kind, the byte of the record, the board, the move
    #[arg(long)]
    pub(crate) list: bool,
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
    /// Set the level of all positions, 1 to 60
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=60))]
    pub(crate) level: Option<u8>,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    /// Only show what would be written
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
    pub(crate) reading: ReadArgs,
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Options of commands that change a book.
#[derive(Args, Debug)]
pub(crate) struct Change {
    /// The book
    pub(crate) book: PathBuf,
    /// The book to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Begin after these moves, or at this position
    #[arg(long, value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) start: String,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    /// Only show what would change
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
    /// Like Egaroucid, but leaves count for values too
    #[arg(long, conflicts_with = "edax")]
    pub(crate) leaves: bool,
    /// Like Edax: values, bounds, games and lines [default for books of Edax]
    #[arg(long)]
    pub(crate) edax: bool,
    /// Like Egaroucid: values of links only, and lines [default for its books]
    #[arg(long, conflicts_with = "edax")]
    pub(crate) egaroucid: bool,
    /// Remove positions that cannot be reached from the start
    #[arg(long)]
    pub(crate) remove_isolated: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Prune {
    #[command(flatten)]
    pub(crate) change: Change,
    /// Greatest depth in plies from the start, or inf
    #[arg(long, value_name = "N", default_value = "inf")]
    pub(crate) depth: GrowthLimit,
    #[command(flatten)]
    pub(crate) errors: LineErrors,
    /// Like Edax: keep what can be reached where one player makes any moves and the other only the best
    #[arg(long, conflicts_with_all = ["depth", "error", "sum"])]
    pub(crate) edax: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Lookup {
    /// The book
    pub(crate) book: PathBuf,
    /// Moves such as f5d6c3, a position, or a file of them
    #[arg(value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) transcript: String,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

#[derive(Args, Debug)]
pub(crate) struct LookupArgs {
    #[command(flatten)]
    pub(crate) lookup: Lookup,
    /// More words of the position, such as the second of two hexadecimal numbers
    #[arg(value_name = "WORDS", value_parser = lookup::record_parser())]
    pub(crate) more: Vec<String>,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
}

pub(crate) const BOOK: &str = "\
Examples:
  othello book info book.egbk3
  othello book lookup book.dat f5d6c3
  othello book merge old.egbk3 new.egbk3 -o both.egbk3
  othello book fix both.egbk3 -o fixed.egbk3
  othello book check fixed.egbk3 --list
  othello book learn book.egbk3 -o more.egbk3 --level 17 --depth 20
  othello book tree more.egbk3 f5d6 --depth 8
  othello book diff book.egbk3 more.egbk3";

pub(crate) const INFO: &str = "\
Examples:
  othello book info book.egbk3
  othello book info book.dat --json";

pub(crate) const CONVERT: &str = "\
Examples:
  othello book convert book.dat book.egbk3                  for Egaroucid, with a side-car
  othello book convert book.egbk3 book.dat --level 21       for Edax, all positions at level 21
  othello book convert book.dat book.egbk3 --leaf-positions as Egaroucid itself imports it
  othello book convert book.dat book.txt                    as Edax's book export writes it
  othello book convert book.dat book.egbk3 --dry-run        only show what would be written";

pub(crate) const MERGE: &str = "\
Examples:
  othello book merge old.egbk3 new.egbk3 -o both.egbk3
  othello book merge a.dat b.egbk3 c.egbk -o all.egbk3 --egbk-level 21";

pub(crate) const FIX: &str = "\
Examples:
  othello book fix book.egbk3 -o fixed.egbk3                as Egaroucid fixes its books
  othello book fix book.dat -o fixed.dat                    as Edax's own fix computes values
  othello book fix book.egbk3 -o fixed.egbk3 --remove-isolated";

pub(crate) const PRUNE: &str = "\
Examples:
  othello book prune book.egbk3 -o small.egbk3 --depth 30 --error 4
  othello book prune book.dat -o small.dat --edax
  othello book prune book.egbk3 -o small.egbk3 --start f5d6 --sum 6";

pub(crate) const LINES: &str = "\
Examples:
  othello book lines book.egbk3 -o counted.egbk3";

pub(crate) const ISOLATED: &str = "\
Examples:
  othello book isolated book.egbk3 -o reached.egbk3
  othello book isolated book.egbk3 -o reached.egbk3 --dry-run";

pub(crate) const SUBTREE: &str = "\
Examples:
  othello book subtree book.egbk3 -o tiger.egbk3 --start f5d6c3d3c4
  othello book subtree book.egbk3 -o rest.egbk3 --start '0x0000100010100000 0x000020380c000000'";

pub(crate) const ACCURACY: &str = "\
Examples:
  othello book accuracy book.egbk3                          how many positions have which grade
  othello book accuracy book.egbk3 f5d6c3                   the grade after some moves
  othello book accuracy book.egbk3 mismatched_positions.txt of all games of a file";

pub(crate) const ERRORS: &str = "\
Examples:
  othello book errors book.egbk3                            of all moves of the book
  othello book errors book.egbk3 f5d6c3d3c4                 of the moves of a game
  othello book errors book.egbk3 game.ggf                   of a game in a file";

pub(crate) const DUMP: &str = "\
Examples:
  othello book dump book.dat | head
  othello book dump book.egbk3 --json > positions.jsonl";

pub(crate) const LOOKUP: &str = "\
Examples:
  othello book lookup book.dat                              the start
  othello book lookup book.dat f5d6c3
  othello book lookup book.dat '1. F5 D6 2. C3'
  othello book lookup book.dat '------------------XO------XXX------OXX-----O-------------------- O'
  othello book lookup book.dat '0x0000100010100000 0x000020380c000000'
  othello book lookup book.dat problems.obf                 all positions of a file";

pub(crate) const CHECK: &str = "\
Examples:
  othello book check book.dat
  othello book check book.egbk3 --list                      each problem with its byte";
