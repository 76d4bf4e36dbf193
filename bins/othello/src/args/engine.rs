//! The command line of what plays and thinks: the engine's own options, the console, the windows, hints and analysis.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use othello_engine::{DepthRange, PlayLoss};
use othello_search::{PlayLevel, Selectivity};

use super::OpeningArgs;
use crate::args::numbers::Moves;
use crate::book::lookup;

/// The search: its evaluation and memory.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Weights of the evaluation: a file of ours, Edax's eval.dat or Egaroucid's eval.egev2; 'untrained' for none [default: built in]
    #[arg(long = "eval", value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// Size of the transposition table, such as 64M or 2G [default: of 'othello settings', or 256M]
    #[arg(long, value_name = "SIZE")]
    pub(crate) hash: Option<yane_cli::Size>,
}

/// The engine: its level, evaluation and memory.
#[derive(Args, Debug)]
pub(crate) struct Engine {
    /// Level 0 to 60: how deep and how sure to search by the number of empty squares [default: of 'othello settings', or 17,
    /// and 21 of other programs; of solve: exact]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60))]
    pub(crate) level: Option<u32>,
    /// The program whose levels --level means [default: own; of books: egaroucid]
    #[arg(long, value_enum)]
    pub(crate) levels: Option<Levels>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

impl Engine {
    /// A level of the program that `--levels` names, or else of our own.
    pub(crate) fn play_level(&self, number: u32) -> PlayLevel {
        self.levels.unwrap_or(Levels::Own).level(number)
    }
}

impl Levels {
    /// A level of the program.
    pub(crate) const fn level(self, number: u32) -> PlayLevel {
        match self {
            Self::Own => PlayLevel::Own(number),
            Self::Egaroucid => PlayLevel::Egaroucid(number),
            Self::Edax => PlayLevel::Edax(number),
        }
    }
}

/// A book to play from.
#[derive(Args, Debug)]
pub(crate) struct BookChoiceArgs {
    /// Opening book of Edax or Egaroucid [default: of 'othello settings', or none]
    #[arg(long, value_name = "FILE")]
    pub(crate) book: Option<PathBuf>,
    /// Use no book, not even that of 'othello settings'
    #[arg(long, conflicts_with = "book")]
    pub(crate) no_book: bool,
}

/// The engine that values moves: book and time.
#[derive(Args, Debug)]
pub(crate) struct Thinker {
    #[command(flatten)]
    pub(crate) engine: Engine,
    #[command(flatten)]
    pub(crate) book: BookChoiceArgs,
    /// Time for each search, in seconds [default: by the level]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) move_time: Option<Seconds>,
}

/// The engine in a game: book, time, and moves that are not the best.
#[derive(Args, Debug)]
pub(crate) struct Player {
    #[command(flatten)]
    pub(crate) engine: Engine,
    #[command(flatten)]
    pub(crate) book: BookChoiceArgs,
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
    /// Seed of random choices [default: another one each time]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// An engine in a game that may think in the other side's time.
#[derive(Args, Debug)]
pub(crate) struct PonderingPlayer {
    #[command(flatten)]
    pub(crate) player: Player,
    /// Think in the other side's time
    #[arg(long)]
    pub(crate) ponder: bool,
}

/// The engine of a window that says itself how to search.
#[derive(Args, Debug)]
pub(crate) struct Searching {
    #[command(flatten)]
    pub(crate) search: SearchArgs,
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
    pub(crate) player: PonderingPlayer,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
    /// The program whose commands and tables are used
    #[arg(long, value_enum, default_value_t = ConsoleStyle::Egaroucid)]
    pub(crate) like: ConsoleStyle,
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
    /// Keep what searches found out when a game begins
    #[arg(long)]
    pub(crate) keep_cache: bool,
    /// With --quiet, which shows moves of the engine alone: show their values too
    #[arg(long)]
    pub(crate) show_value: bool,
    /// Show the lines of searches on standard error
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Append the lines of searches to a file
    #[arg(long, value_name = "FILE", conflicts_with = "log_dir")]
    pub(crate) log_file: Option<PathBuf>,
    /// Write the lines of searches to a new file of a folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) log_dir: Option<PathBuf>,
    /// Search moves number M to N to a depth with a probability in per cent, whatever the level is; may be repeated
    #[arg(long = "depth-range", value_name = "M,N,DEPTH,PERCENT")]
    pub(crate) depth_ranges: Vec<MoveDepths>,
    #[command(flatten)]
    pub(crate) task: Task,
    /// Speak GTP instead
    #[arg(long)]
    pub(crate) gtp: bool,
}

/// What the console does instead of reading commands, as options of Egaroucid.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub(crate) struct Task {
    /// Search the positions of a file, and leave
    #[arg(long, value_name = "FILE")]
    pub(crate) solve: Option<PathBuf>,
    /// Show the values at the end of the transcripts of a file, and leave
    #[arg(long, value_name = "FILE")]
    pub(crate) solve_transcripts: Option<PathBuf>,
    /// Show the values of N boards after so many random moves, and leave
    #[arg(long, value_name = "N,MOVES")]
    pub(crate) solve_random: Option<Numbers<2>>,
    /// Let the engine play N games against itself after so many random moves, and leave
    #[arg(long, value_name = "N,MOVES")]
    pub(crate) self_play: Option<Numbers<2>>,
    /// The same from the openings of a file
    #[arg(long, value_name = "FILE")]
    pub(crate) self_play_lines: Option<PathBuf>,
    /// The same from the boards of a file
    #[arg(long, value_name = "FILE")]
    pub(crate) self_play_boards: Option<PathBuf>,
    /// The same N times from a random board with a value for black in a range after so many moves
    #[arg(long, value_name = "N,LEAST,MOST,MOVES")]
    pub(crate) self_play_random: Option<Numbers<4>>,
    /// Show N such boards as transcripts, and leave
    #[arg(long, value_name = "N,LEAST,MOST,MOVES")]
    pub(crate) random_boards: Option<Numbers<4>>,
    /// Show all lines from the boards of a file to so many discs in which no move loses two discs, and leave
    #[arg(long, num_args = 2, value_names = ["FILE", "DISCS"])]
    pub(crate) lossless_lines: Option<Vec<PathBuf>>,
    /// Count the games of so many plies, a pass as a ply (mode 1) or not (mode 2), and leave
    #[arg(long, value_name = "DEPTH,MODE")]
    pub(crate) perft: Option<Numbers<2>>,
    /// Show the value of the start position by a search of all moves, and leave
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(crate) minimax: Option<u32>,
    /// Show the levels, and leave
    #[arg(long)]
    pub(crate) level_info: bool,
}

/// Numbers with commas between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers<const N: usize>(pub(crate) [i32; N]);

impl<const N: usize> FromStr for Numbers<N> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split(',').map(|word| word.trim().parse().ok());
        let numbers: Option<Vec<i32>> = numbers.collect();
        let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
        numbers
            .map(Self)
            .ok_or_else(|| format!("{N} numbers with commas between them were expected"))
    }
}

/// A depth for some moves of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveDepths(pub(crate) DepthRange);

impl FromStr for MoveDepths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let number = |word: &str| word.parse().ok().filter(|number| (1..=60).contains(number));
        let range = match words.as_slice() {
            [first, last, depth, percent] => {
                let percent: Option<f64> = percent.parse().ok();
                let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
                let selectivity = percent.and_then(|it| Selectivity::at_least(it.ceil() as u32));
                number(first)
                    .zip(number(last))
                    .zip(number(depth).zip(selectivity))
            }
            _ => None,
        };
        match range {
            Some(((first, last), (depth, selectivity))) if first <= last => Ok(Self(DepthRange {
                first,
                last,
                depth,
                selectivity,
            })),
            _ => Err(
                "two numbers of moves, a depth and a probability such as 1,20,14,74 were expected"
                    .to_owned(),
            ),
        }
    }
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
    pub(crate) player: PonderingPlayer,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
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
    pub(crate) thinker: Thinker,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
    /// Also draw the board of one position with the values of the moves shown (SVG); - is the standard output, instead of text
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
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
    pub(crate) thinker: Thinker,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
    /// Also draw values and lost discs of one game by ply (SVG); - is the standard output, instead of text
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
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
    pub(crate) engine: Engine,
    #[command(flatten)]
    pub(crate) book: BookChoiceArgs,
    /// Seed of random choices [default: another one each time]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) engine: Engine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Levels {
    /// This engine: each level is stronger than the one before at no more than twice its time
    Own,
    /// Egaroucid 7.9
    Egaroucid,
    /// Edax 4.6
    Edax,
}

/// The console that is imitated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConsoleStyle {
    /// Egaroucid 7.9
    Egaroucid,
    /// Edax 4.6
    Edax,
}

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
