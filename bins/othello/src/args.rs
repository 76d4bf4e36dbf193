//! The command line, and the examples of its help.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use othello_book::convert::LeafImport;
use othello_book::files::{BookInput, BookReadOptions};
use othello_book::store::OnDamage;
use othello_engine::PlayLoss;

use crate::book::lookup;
use crate::solve::Moves;

/// An othello engine: console, windows, hints, analysis, exact end games; books; evaluations and their training.
#[derive(Parser, Debug)]
#[command(version, after_help = OTHELLO)]
pub(crate) struct Cli {
    /// Without a command: the console, on a terminal
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten, next_help_heading = "Settings of all commands")]
    pub(crate) settings: yane_cli::Settings,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Books of Edax (.dat, .txt) and Egaroucid (.egbk3, .egbk2, .egbk)
    #[command(subcommand, after_help = BOOK)]
    Book(Book),
    /// Solve positions: exactly, or at a level or depth
    #[command(after_help = SOLVE)]
    Solve(Solve),
    /// Give the engine commands, those of Egaroucid's console or of Edax's
    #[command(after_help = CONSOLE)]
    Console(ConsoleArgs),
    /// Play a game on the terminal
    #[command(after_help = PLAY)]
    Play(Play),
    /// Show the best moves of positions with their values
    #[command(after_help = HINT)]
    Hint(HintArgs),
    /// Analyse games: each move against the best other one
    #[command(after_help = ANALYZE, visible_alias = "analyse")]
    Analyze(Analyze),
    /// Make positions by random play that is not too bad
    #[command(after_help = RANDOM)]
    Random(Random),
    /// Play in a window that speaks the Go Text Protocol (GTP)
    #[command(after_help = GTP)]
    Gtp(Player),
    #[command(about = "Play in NBoard, or another window that speaks its protocol", after_help = NBOARD)]
    Nboard(Player),
    #[command(about = "Play in XBoard or WinBoard (variant reversi, as Edax)", after_help = XBOARD)]
    Xboard(Player),
    /// Answer the program Cassio
    #[command(after_help = CASSIO)]
    Cassio(Player),
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

/// The choice of an evaluation.
#[derive(Args, Debug)]
pub(crate) struct WeightsArgs {
    /// Weights: ours, Edax's eval.dat or Egaroucid's eval.egev2; `untrained` for none [default: those built in]
    #[arg(long = "eval", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
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
    /// Depth of the search that labels, in plies
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) depth: u32,
    /// Solve positions of at most this many empty squares
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(0..=24))]
    pub(crate) exact: u32,
    /// Share of the end of the game in labels of searches, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) outcome: u32,
}

#[derive(Args, Debug)]
pub(crate) struct Train {
    /// Labelled positions
    #[arg(required = true)]
    pub(crate) data: Vec<PathBuf>,
    /// The file of weights to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Patterns
    #[arg(long, value_enum, default_value_t = LayoutName::Yaneura)]
    pub(crate) layout: LayoutName,
    /// Plies of a phase
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=60))]
    pub(crate) phase: u8,
    /// Plies before and behind a phase whose positions are trained with it
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=60))]
    pub(crate) overlap: u8,
    /// How often each position is seen
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) epochs: u32,
    /// The share of an error that is corrected at once, in the first epoch
    #[arg(long, value_name = "X", default_value_t = 0.3)]
    pub(crate) rate: f32,
    /// The same in the last epoch
    #[arg(long, value_name = "X", default_value_t = 0.015)]
    pub(crate) last_rate: f32,
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

#[derive(Subcommand, Debug)]
pub(crate) enum Book {
    /// Show statistics: positions by level, ply and value; leaves; links
    #[command(after_help = INFO)]
    Info(BookArgs),
    /// Convert a book to the format of the output's extension
    #[command(after_help = CONVERT)]
    Convert(Convert),
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
    Lookup(Lookup),
    /// Check a book for problems
    #[command(after_help = CHECK)]
    Check(Check),
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
pub(crate) struct BookArgs {
    /// The book
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// Options of reading books.
#[derive(Args, Debug)]
pub(crate) struct ReadArgs {
    /// Level of the positions of an .egbk, which has none: 1 to 60; 70 edited by hand, -1 undefined
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = egbk_level, allow_negative_numbers = true)]
    pub(crate) egbk_level: i8,
    /// Turn the leaves of an Edax book into positions, as Egaroucid's import does
    #[arg(long)]
    pub(crate) leaf_positions: bool,
    /// Skip damaged records, side-cars included, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_damaged: bool,
    /// Neither read nor write a side-car, the file beside a book with the data that its format cannot hold
    #[arg(long)]
    pub(crate) no_side_car: bool,
}

impl ReadArgs {
    pub(crate) const fn on_damage(&self) -> OnDamage {
        if self.skip_damaged {
            OnDamage::Skip
        } else {
            OnDamage::Stop
        }
    }

    pub(crate) const fn options(&self) -> BookReadOptions {
        BookReadOptions {
            egbk_level: self.egbk_level,
            leaf_import: if self.leaf_positions {
                LeafImport::AsPosition
            } else {
                LeafImport::Keep
            },
            damage: self.on_damage(),
        }
    }

    /// Opens a book, with its side-car unless that is not wanted.
    pub(crate) fn open(&self, path: &Path) -> yane_io::Result<BookInput> {
        let input = BookInput::open(path)?;
        Ok(if self.no_side_car {
            input.alone()
        } else {
            input
        })
    }
}

/// Parses a level of Egaroucid.
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
    /// Greatest depth in plies from the start
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) depth: u32,
    /// Greatest error of a move, in discs
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) error: i32,
    /// Greatest sum of errors of a line, in discs
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) sum: i32,
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
    pub(crate) engine: Engine,
}

/// The engine: its level, evaluation and memory.
#[derive(Args, Debug)]
pub(crate) struct Engine {
    /// Level 0 to 60: how deep and how sure to search by the number of empty squares [default: 21; of solve: exact]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60))]
    pub(crate) level: Option<u32>,
    /// The program whose levels --level means
    #[arg(long, value_enum, default_value_t = Levels::Egaroucid)]
    pub(crate) levels: Levels,
    /// Weights of the evaluation: a file of ours, Edax's eval.dat or Egaroucid's eval.egev2 [default: built in]
    #[arg(long = "eval", value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// Size of the transposition table, such as 64M or 2G [default: 256M]
    #[arg(long, value_name = "SIZE")]
    pub(crate) hash: Option<yane_cli::Size>,
}

/// The engine in a game: book, time, and moves that are not the best.
#[derive(Args, Debug)]
pub(crate) struct Player {
    #[command(flatten)]
    pub(crate) engine: Engine,
    /// Opening book of Edax or Egaroucid
    #[arg(long, value_name = "FILE")]
    pub(crate) book: Option<PathBuf>,
    /// Egaroucid's book variation, 0 to 10: moves of the book that lose up to twice as many discs, worse ones more rarely
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10))]
    pub(crate) book_variation: u32,
    /// Edax's book randomness: any move of the book that loses up to N discs
    #[arg(long, value_name = "N", conflicts_with = "book_variation")]
    pub(crate) book_randomness: Option<u32>,
    /// Play a worse move, by up to so many discs, in so many per cent of the moves
    #[arg(long, value_name = "PERCENT,DISCS")]
    pub(crate) play_loss: Option<Loss>,
    /// Time for each move, in seconds [default: by the level]
    #[arg(long, value_name = "SECONDS", conflicts_with = "game_time")]
    pub(crate) move_time: Option<Seconds>,
    /// Time for a game, in seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) game_time: Option<Seconds>,
    /// Time for each move when that of the game is used up, in seconds
    #[arg(long, value_name = "SECONDS", requires = "game_time")]
    pub(crate) byoyomi: Option<Seconds>,
    /// Think in the other side's time
    #[arg(long)]
    pub(crate) ponder: bool,
    /// Seed of random choices [default: another one each time]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// A time of at least a millisecond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seconds(pub(crate) Duration);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds: Option<f64> = text.parse().ok();
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let range = Duration::from_millis(1)..=Duration::from_secs(10_000_000);
        let time = time.filter(|time| range.contains(time));
        time.map(Self)
            .ok_or_else(|| "a number of seconds such as 0.5 or 900 was expected".to_owned())
    }
}

/// Worse moves on purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss(pub(crate) PlayLoss);

impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(',').and_then(|(percent, most)| {
            let percent = percent
                .trim()
                .parse()
                .ok()
                .filter(|&percent| percent <= 100)?;
            Some(PlayLoss {
                percent,
                most: most.trim().parse().ok().filter(|&most| most <= 128)?,
            })
        });
        numbers
            .map(Self)
            .ok_or_else(|| "per cent and discs such as 20,4 were expected".to_owned())
    }
}

#[derive(Args, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of the command line"
)]
pub(crate) struct ConsoleArgs {
    #[command(flatten)]
    pub(crate) player: Player,
    /// The program whose commands and tables are used
    #[arg(long, value_enum, default_value_t = Levels::Egaroucid)]
    pub(crate) like: Levels,
    /// Who plays. 0: the engine has white, 1: black, 2: both, 3: neither
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=3))]
    pub(crate) mode: u32,
    /// Show no board before the prompt
    #[arg(long)]
    pub(crate) no_board: bool,
    /// Let the player type a forced pass
    #[arg(long)]
    pub(crate) no_auto_pass: bool,
    /// Size of the transposition table as Egaroucid's hash level: 2^N positions of 24 bytes
    #[arg(long, value_name = "N", conflicts_with = "hash", value_parser = clap::value_parser!(u32).range(10..=40))]
    pub(crate) hash_level: Option<u32>,
    /// Use no book
    #[arg(long)]
    pub(crate) no_book: bool,
    /// Search the positions of a file, and leave
    #[arg(long, value_name = "FILE", conflicts_with_all = ["self_play", "level_info"])]
    pub(crate) solve: Option<PathBuf>,
    /// Let the engine play so many games against itself, print them, and leave
    #[arg(long, value_name = "GAMES", conflicts_with = "level_info")]
    pub(crate) self_play: Option<u32>,
    /// Random moves at the beginning of these games
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=50))]
    pub(crate) random_moves: u32,
    /// Show the levels, and leave
    #[arg(long)]
    pub(crate) level_info: bool,
    /// Speak GTP instead
    #[arg(long)]
    pub(crate) gtp: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Play {
    /// Begin after these moves, or at this position
    #[arg(value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) start: String,
    /// The side that the engine plays
    #[arg(long, value_enum, default_value_t = EngineSide::White)]
    pub(crate) engine_side: EngineSide,
    #[command(flatten)]
    pub(crate) player: Player,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineSide {
    /// Black
    Black,
    /// White
    White,
    /// Both: a game against itself
    Both,
}

#[derive(Args, Debug)]
pub(crate) struct HintArgs {
    /// Positions: moves such as f5d6c3, boards, or files of them
    #[arg(value_name = "FILE|BOARD", required = true, value_parser = lookup::record_parser())]
    pub(crate) boards: Vec<String>,
    /// Moves to show, best first: a number, or all
    #[arg(long, value_name = "N", default_value = "3")]
    pub(crate) moves: Moves,
    #[command(flatten)]
    pub(crate) player: Player,
}

#[derive(Args, Debug)]
pub(crate) struct Analyze {
    /// Games: moves such as f5d6c3, or files of games
    #[arg(value_name = "FILE|GAME", required = true, value_parser = lookup::record_parser())]
    pub(crate) games: Vec<String>,
    /// Analyse only the last N moves of each game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) last: Option<u32>,
    #[command(flatten)]
    pub(crate) player: Player,
}

#[derive(Args, Debug)]
pub(crate) struct Random {
    /// Number of positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: u32,
    /// Moves from the start
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=59))]
    pub(crate) moves: u32,
    /// Value for black at the end, in discs, as Egaroucid 7.9 makes positions [default: any, as its manual says]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) value: Option<yane_cli::Range<i32>>,
    #[command(flatten)]
    pub(crate) player: Player,
}

#[derive(Args, Debug)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) engine: Engine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Levels {
    /// Egaroucid 7.9
    Egaroucid,
    /// Edax 4.6
    Edax,
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

pub(crate) const BOOK: &str = "\
Examples:
  othello book info book.egbk3
  othello book lookup book.dat f5d6c3
  othello book merge old.egbk3 new.egbk3 -o both.egbk3
  othello book fix both.egbk3 -o fixed.egbk3
  othello book check fixed.egbk3 --list";

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

pub(crate) const SOLVE: &str = "\
Examples:
  othello solve problems.obf                                all positions of a file
  othello solve problems.obf --json                         one JSON line a position
  othello solve problems.obf --level 21                     as deep and sure as level 21
  othello solve f5d6c3 --depth 12 --probability 93          to a depth
  othello solve --moves all '--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X'

Files of positions with known scores (.obf) are compared: exit code 1 if one differs. With one thread (--threads 1) node
counts are the same each time.";

pub(crate) const GTP: &str = "\
Examples:
  othello gtp --level 15
  printf '1 play black f5\\n2 genmove white\\n' | othello gtp --level 10 --threads 1";

pub(crate) const NBOARD: &str = "\
Examples:
  othello nboard                                            as the command of an engine in NBoard
  othello nboard --threads 2 --hash 1G --book book.dat

The window sets the level (set depth N).";

pub(crate) const CONSOLE: &str = "\
Examples:
  othello console
  othello console --like edax --level 18
  printf 'play f5d6\\nhint 3\\n' | othello console --level 10 --no-board
  othello console -l 15 -b book.egbk3 -hash 25       options as Egaroucid has them

The command help lists the commands. Ctrl-C ends a search and keeps the game.";

pub(crate) const PLAY: &str = "\
Examples:
  othello play --level 5                             you begin
  othello play --engine-side black --game-time 300
  othello play f5d6 --engine-side both --level 12 --json

Type a move such as f5, or undo, hint, quit.";

pub(crate) const HINT: &str = "\
Examples:
  othello hint f5d6c3 --level 18
  othello hint positions.txt --moves all --book book.egbk3 --json
  othello hint '------------------XO------XXX------OXX-----O-------------------- O' --move-time 2";

pub(crate) const ANALYZE: &str = "\
Examples:
  othello analyze f5d6c3d3c4f4c5b3c2 --level 15
  othello analyze games.ggf --last 20 --json

Moves that lose 1 to 3 discs are disagreements, those that lose more are mistakes.";

pub(crate) const RANDOM: &str = "\
Examples:
  othello random --moves 20 --count 10
  othello random --moves 14 --value -2..2 --level 12 --seed 7";

pub(crate) const XBOARD: &str = "\
Examples:
  xboard -fcp 'othello xboard' -variant reversi
  othello xboard --level 15 --ponder";

pub(crate) const CASSIO: &str = "\
Examples:
  othello cassio --threads 2 --hash 1G               as the command of an engine in Cassio";

pub(crate) const BENCH: &str = "\
Examples:
  othello bench --threads 1                          the number of nodes is the same each time
  othello bench --eval eval.dat --json";

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

pub(crate) const SELFPLAY: &str = "\
Examples:
  othello selfplay -o positions.olp
  othello selfplay -o ends.olp --eval untrained --random 44..52 --plies 46..59 --exact 14 --games 100000
  othello selfplay -o xot.olp --random 8..8 --balance 2 --outcome 30

The same command resumes a run that was interrupted.";

pub(crate) const TRAIN: &str = "\
Examples:
  othello train positions.olp -o weights.yev
  othello train a.olp b.olp -o edax.yev --layout edax --phase 2 --overlap 3

The same command resumes a run that was interrupted.";
