//! The command line of what students of openings ask a book.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::read::ReadArgs;
use crate::book::lookup;

#[derive(Args, Debug)]
pub(crate) struct UmigameArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// Moves such as f5d6c3, or a position
    #[arg(value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) moves: String,
    /// The ply (discs less 4) from which on the book is not asked
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) depth: u32,
    /// Only moves whose value for black is in this range, such as -2..2
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) range: Option<yane_cli::Range<i32>>,
    /// Count worse moves too, as long as a line loses at most so many discs
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..=128))]
    pub(crate) loss: i32,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

#[derive(Args, Debug)]
pub(crate) struct TreeArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// Moves such as f5d6c3, or a position
    #[arg(value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) moves: String,
    /// Moves from there
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) depth: u32,
    /// Greatest loss of a move, in discs
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(i32).range(0..=128))]
    pub(crate) error: i32,
    /// Show leaves too
    #[arg(long)]
    pub(crate) leaves: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DrawsArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// Moves such as f5d6c3, or a position
    #[arg(value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) moves: String,
    /// Most lines to list
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) most: u64,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Players {
    /// Both players
    Both,
    /// Black
    Black,
    /// White
    White,
}

#[derive(Args, Debug)]
pub(crate) struct PracticeArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// The games: moves, or files of them
    #[arg(required = true, value_parser = lookup::record_parser())]
    pub(crate) games: Vec<String>,
    /// Whose moves are looked at
    #[arg(long, value_enum, default_value_t = Players::Both)]
    pub(crate) side: Players,
    /// A move that loses no more than so many discs stays in the book
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..=128))]
    pub(crate) error: i32,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// The first book
    pub(crate) first: PathBuf,
    /// The second book
    pub(crate) second: PathBuf,
    /// List every position that differs
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

pub(crate) const UMIGAME: &str = "\
Umigame's numbers: how many lines a player has to know to play best moves whatever best moves the other one chooses.

Examples:
  othello book umigame book.egbk3
  othello book umigame book.egbk3 f5d6c3d3c4 --depth 30
  othello book umigame book.egbk3 --loss 2 --range -2..2";

pub(crate) const TREE: &str = "\
Examples:
  othello book tree book.egbk3
  othello book tree book.egbk3 f5d6 --depth 12 --error 2 --leaves";

pub(crate) const DRAWS: &str = "\
Examples:
  othello book draws book.egbk3
  othello book draws book.egbk3 f5d6c3 --most 1000";

pub(crate) const PRACTICE: &str = "\
Examples:
  othello book practice book.egbk3 games.txt --side black
  othello book practice book.egbk3 game.ggf --error 2 --json";

pub(crate) const DIFF: &str = "\
Exit code 1 if the books differ.

Examples:
  othello book diff old.egbk3 new.egbk3
  othello book diff book.dat book.egbk3 --list";
