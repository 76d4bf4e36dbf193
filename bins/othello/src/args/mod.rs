//! The command line, and the examples of its help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use othello_eval::NetShape;
use yane_cli::WeightedPath;

use crate::args::numbers::Moves;
use crate::book::lookup;

mod acting;
mod book;
mod engine;
mod games;
mod growing;
mod numbers;
mod read;
mod serve;
mod settings;
mod study;
mod weights;

pub(crate) use acting::ACTING;
pub(crate) use book::*;
pub(crate) use engine::*;
pub(crate) use games::*;
pub(crate) use growing::*;
pub(crate) use read::*;
pub(crate) use serve::*;
pub(crate) use settings::*;
pub(crate) use study::*;
pub(crate) use weights::WeightsArgs;

/// An othello engine: console, windows, hints, analysis, exact end games; books; evaluations and their training.
#[derive(Parser, Debug)]
#[command(name = "othello", version, long_version = yane_cli::long_version(), after_help = OTHELLO)]
pub(crate) struct Cli {
    /// Without a command: the console, on a terminal
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    _shell: yane_cli::shell::ShellFiles,
    #[command(flatten, next_help_heading = "Settings")]
    pub(crate) settings: yane_cli::Settings,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Books of Edax (.dat, .txt) and Egaroucid (.egbk3, .egbk2, .egbk)
    #[command(subcommand, after_help = BOOK)]
    Book(Book),
    /// Game records: convert, list, filter, count
    #[command(subcommand, after_help = GAMES)]
    Games(Games),
    /// Name the openings of games
    #[command(after_help = OPENING)]
    Opening(NameOpening),
    /// Make balanced openings by search, as XOT openings are
    #[command(after_help = XOT)]
    Xot(Xot),
    /// Show a board: turned, with move numbers, with stable discs, in other forms
    #[command(after_help = BOARD)]
    Board(ShowBoard),
    /// Solve positions: exactly, or at a level or depth
    #[command(after_help = SOLVE)]
    Solve(Solve),
    /// Give the engine commands, those of Egaroucid's console or of Edax's
    #[command(after_help = CONSOLE)]
    Console(Box<ConsoleArgs>),
    /// Play a game on the terminal
    #[command(after_help = PLAY)]
    Play(Play),
    /// Show the best moves of positions with their values
    #[command(after_help = HINT)]
    Hint(HintArgs),
    /// Analyse games: each move against the best other one
    #[command(after_help = ANALYZE, visible_alias = "analyse")]
    Analyze(Analyze),
    /// Play, analyse and study in the browser
    #[command(after_help = SERVE)]
    Serve(Serve),
    /// Make positions by random play that is not too bad
    #[command(after_help = RANDOM)]
    Random(Random),
    /// Play in a window that speaks the Go Text Protocol (GTP)
    #[command(after_help = GTP)]
    Gtp(PonderingPlayer),
    #[command(about = "Play in NBoard, or another window that speaks its protocol", after_help = NBOARD)]
    Nboard(Player),
    #[command(about = "Play in XBoard or WinBoard (variant reversi, as Edax)", after_help = XBOARD)]
    Xboard(PonderingPlayer),
    /// Answer the program Cassio
    #[command(after_help = CASSIO)]
    Cassio(Searching),
    /// Show the settings of the engine, a book to play from among them, or change them
    #[command(after_help = SETTINGS)]
    Settings(SettingsArgs),
    /// Measure the speed of the search
    #[command(after_help = BENCH)]
    Bench(Bench),
    /// Fit how sure shallow searches are with an evaluation (Multi-ProbCut)
    #[command(name = "probcut", after_help = PROBCUT)]
    ProbCut(ProbCutArgs),
    /// Count the games of a number of plies
    #[command(after_help = PERFT)]
    Perft(Perft),
    /// Weights of evaluations: ours, Edax's eval.dat, Egaroucid's eval.egev2
    #[command(subcommand, after_help = EVAL)]
    Eval(Eval),
    /// Play games of an evaluation against itself, and write their positions with values to train with
    #[command(after_help = SELFPLAY)]
    Selfplay(Selfplay),
    /// Train an evaluation with labelled positions
    #[command(after_help = TRAIN)]
    Train(Train),
}

#[derive(Subcommand, Debug)]
pub(crate) enum Eval {
    /// Show what a file of weights holds
    #[command(after_help = EVAL_INFO)]
    Info(EvalInfo),
    /// Measure the error of weights on labelled positions, by ply
    #[command(after_help = EVAL_MEASURE)]
    Measure(EvalMeasure),
    /// Fit constants for each ply, so that searches of even and odd depths are right on average
    #[command(after_help = EVAL_OFFSET)]
    Offset(EvalOffset),
}

#[derive(Args, Debug)]
pub(crate) struct EvalInfo {
    /// The weights [default: those built in]
    pub(crate) weights: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct EvalMeasure {
    /// Labelled positions
    #[arg(required = true)]
    pub(crate) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) weights: WeightsArgs,
}

#[derive(Args, Debug)]
pub(crate) struct EvalOffset {
    /// Labelled positions of games that both sides played well, with values from the end of the game
    #[arg(required = true)]
    pub(crate) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) weights: WeightsArgs,
    /// Depth of the searches, in plies; each position is also searched one ply deeper
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) depth: u32,
    /// Probability of the searches in per cent, 73 to 100: how sure pruned moves are not better
    #[arg(long, value_name = "PERCENT", default_value_t = 74, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) probability: u32,
    /// The file of weights to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// A note about the origin, kept in the file [default: that of the weights]
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Selfplay {
    /// The file of positions to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) weights: WeightsArgs,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) games: u64,
    /// Seed of all that is random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Random moves at the beginning of a game
    #[arg(long, value_name = "A..B", default_value = "4..30")]
    pub(crate) random: yane_cli::Range<u32>,
    /// Begin only where the value is at most this many discs from 0, as XOT openings do
    #[arg(long, value_name = "DISCS")]
    pub(crate) balance: Option<u32>,
    /// Chance of a random move later, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) noise: u32,
    /// Plies (discs less 4) of the positions that are written
    #[arg(long, value_name = "A..B", default_value = "4..59")]
    pub(crate) plies: yane_cli::Range<u32>,
    /// Depth of the search that labels and chooses moves, in plies
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) depth: u32,
    /// Solve positions of at most this many empty squares
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(0..=24))]
    pub(crate) exact: u32,
    /// Probability of the labels' searches in per cent, 73 to 100: how sure pruned moves are not better
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) probability: u32,
    /// Share of the label behind the best move in the label of a search, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) lambda: u32,
}

#[derive(Args, Debug)]
pub(crate) struct Train {
    /// Labelled positions; DATA*0.5 uses half of the games
    #[arg(required_unless_present = "solved")]
    pub(crate) data: Vec<WeightedPath>,
    /// Labelled positions of which only the solved ones are used; may be repeated
    #[arg(long, value_name = "DATA")]
    pub(crate) solved: Vec<WeightedPath>,
    /// The file of weights to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Train a network on patterns of this architecture, such as p46_64-16-32, instead of pattern tables
    #[arg(long, value_name = "NAME", conflicts_with_all = ["layout", "phase", "parity", "overlap"])]
    pub(crate) arch: Option<NetShape>,
    /// Positions of a step of a network's training
    #[arg(long, value_name = "N", default_value_t = 4096, requires = "arch", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) batch: u32,
    /// The part that rows of a network lose in each step, in units of the rate
    #[arg(long, value_name = "X", default_value_t = 1.0, requires = "arch")]
    pub(crate) weight_decay: f64,
    /// A network of the same architecture to begin with, instead of random numbers
    #[arg(long, value_name = "FILE", requires = "arch")]
    pub(crate) init: Option<PathBuf>,
    /// Patterns of tables
    #[arg(long, value_enum, default_value_t = LayoutName::Yaneura)]
    pub(crate) layout: LayoutName,
    /// Plies of a phase
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=60))]
    pub(crate) phase: u8,
    /// From this ply on even and odd plies have phases of their own, as many of each as --phase says
    #[arg(long, value_name = "PLY", default_value_t = 36, value_parser = clap::value_parser!(u8).range(0..=61))]
    pub(crate) parity: u8,
    /// Plies before and behind a phase whose positions are trained with it, if even or odd as it is
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=60))]
    pub(crate) overlap: u8,
    /// How often each position is seen
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) epochs: u32,
    /// The share of an error that tables correct at once in the first epoch; the learning rate of a network [default: 0.3, 0.002]
    #[arg(long, value_name = "X")]
    pub(crate) rate: Option<f32>,
    /// The same in the last epoch [default: 0.015, 0.00002]
    #[arg(long, value_name = "X")]
    pub(crate) last_rate: Option<f32>,
    /// A weight that n positions saw becomes n / (n + X) of itself
    #[arg(long, value_name = "X", default_value_t = 4.0)]
    pub(crate) rare: f32,
    /// Games held out to measure errors, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=90))]
    pub(crate) held_out: u32,
    /// Seed of the order of positions and of the games held out
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// A note about the origin, kept in the file
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) note: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LayoutName {
    /// Ours: 15 patterns at 64 places
    Yaneura,
    /// Edax's: 12 patterns at 46 places
    Edax,
}

#[derive(Args, Debug)]
pub(crate) struct Solve {
    /// Positions: moves such as f5d6c3, boards, or files of them such as .obf
    #[arg(value_name = "FILE|BOARD", required = true, value_parser = lookup::record_parser())]
    pub(crate) boards: Vec<String>,
    /// Exact scores, which is the default
    #[arg(long, conflicts_with_all = ["level", "depth", "probability"])]
    pub(crate) exact: bool,
    /// Depth in plies [default: to the end]
    #[arg(long, value_name = "N", conflicts_with = "level", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(crate) depth: Option<u32>,
    /// Probability in per cent, 73 to 100, with which pruned moves are not better
    #[arg(long, value_name = "P", conflicts_with = "level", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) probability: Option<u32>,
    /// Moves to give scores of, best first: a number, or all
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) moves: Moves,
    #[command(flatten)]
    pub(crate) engine: Engine,
}

#[derive(Args, Debug)]
pub(crate) struct Perft {
    /// Number of plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=60))]
    pub(crate) depth: u32,
    /// Begin after these moves, or at this position
    #[arg(long, value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) start: String,
    /// Way of counting
    #[arg(long, value_enum, default_value_t = Counting::Positions)]
    pub(crate) counting: Counting,
}

#[derive(Args, Debug)]
pub(crate) struct ProbCutArgs {
    /// Positions to search, from games that begin with random moves
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) positions: u64,
    /// Depth of the deepest searches
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(3..=20))]
    pub(crate) depth: u32,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Counting {
    /// Leaf positions; a pass is a ply, a finished game counts as one
    Positions,
    /// Moves and passes made at the last ply, as Edax counts
    Moves,
    /// Leaf positions; a pass is no ply
    PassFree,
}

// Examples at the end of each `--help`.

pub(crate) const OTHELLO: &str = "\
Examples:
  othello                                            the console, on a terminal
  othello hint f5d6c3 --level 18 --moves 5           the best moves of a position
  othello analyze game.ggf                           what the moves of a game lose
  othello book info book.egbk3                       show statistics
  othello book lookup book.dat f5d6c3                look up a position
  othello book convert book.dat book.egbk3           from Edax to Egaroucid
  othello solve problems.obf                         solve end games exactly
  othello settings --book book.egbk3 --level 21      what the engine plays with from now on
  othello nboard                                     play in NBoard
  othello gtp                                        play in a window that speaks GTP
  othello eval info eval.dat                         show what weights hold
  othello perft 9                                    count positions

Moves and positions can be given in any of these forms, as an argument or as a file:
  f5d6c3, F5 D6 C3, 1. f5 d6 2. c3, f5-d6-c3, with passes (pa, --) or without
  64 squares from a1 to h8 and who moves: X black, O white, - empty (many other signs too), in a row or in rows
  two hexadecimal numbers, the mover's and the opponent's discs, h8 = bit 0; or black ... white ...
  .obf, GGF, SGF, PGN, WTHOR, JSON of Othello Quest; what these commands print

Exit codes: 0 done, 1 it failed or found something, 2 wrong usage, 130 interrupted.";

pub(crate) const SOLVE: &str = "\
Examples:
  othello solve problems.obf                                all positions of a file
  othello solve problems.obf --json                         one JSON line a position
  othello solve problems.obf --level 21                     as deep and sure as level 21
  othello solve f5d6c3 --depth 12 --probability 93          to a depth
  othello solve --moves all '--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X'

Files of positions with known scores (.obf) are compared: exit code 1 if one differs. With one thread (--threads 1) node
counts are the same each time.";

pub(crate) const PROBCUT: &str = "\
Examples:
  othello probcut
  othello probcut --eval new.weights --positions 10000 --depth 9

Prints the parameters of the standard deviation between deep and shallow searches.";

pub(crate) const PERFT: &str = "\
Examples:
  othello perft 9
  othello perft 9 --counting moves                          as Edax counts
  othello perft 5 --start f5d6c3d3c4";

pub(crate) const EVAL: &str = "\
Examples:
  othello eval info                                         the weights built in
  othello eval info eval.dat                                Edax's
  othello eval measure positions.olp --eval eval.egev2      errors on labelled positions";

pub(crate) const EVAL_INFO: &str = "\
Examples:
  othello eval info
  othello eval info eval.egev2 --json";

pub(crate) const EVAL_MEASURE: &str = "\
Examples:
  othello eval measure positions.olp
  othello eval measure positions.olp --eval untrained --json";

pub(crate) const EVAL_OFFSET: &str = "\
Examples:
  othello selfplay -o games.olp --games 2000 --random 8..16 --balance 8 --noise 0 --depth 8 --probability 74 \\
      --exact 18 --lambda 100
  othello eval offset games.olp -o weights.yev
  othello eval offset games.olp --eval mine.yev -o better.yev --depth 10 --json

The same command resumes a run that was interrupted.";

pub(crate) const SELFPLAY: &str = "\
Examples:
  othello selfplay -o positions.olp
  othello selfplay -o ends.olp --eval untrained --random 44..52 --plies 46..59 --exact 14 --games 100000
  othello selfplay -o xot.olp --random 8..8 --balance 2 --depth 8 --probability 74 --lambda 80

The same command resumes a run that was interrupted.";

pub(crate) const TRAIN: &str = "\
Examples:
  othello train positions.olp -o weights.yev
  othello train a.olp b.olp -o edax.yev --layout edax --phase 2 --overlap 3
  othello train a.olp b.olp -o net.yev --arch p46_64-16-32 --epochs 8
  othello train c.olp -o better.yev --arch p46_64-16-32 --init net.yev --rate 0.0005

The same command resumes a run that was interrupted.";
