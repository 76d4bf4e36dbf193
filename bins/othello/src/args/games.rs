//! The command line of game records, openings and boards.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use othello_record::{
    GameWinner, OthelloFilter, OthelloFormat, OthelloRecord, parse_date, read_one,
};
use yane_cli::UsageError;
use yane_io::archive::{RecordDate, RecordSelection};

use super::{Engine, SearchArgs};
use crate::book::lookup;

#[derive(Subcommand, Debug)]
pub(crate) enum Games {
    /// Convert records into another format, each file by itself, or all into one file or one tree
    #[command(after_help = CONVERT)]
    Convert(ConvertGames),
    /// List games: players, date, result, opening, moves
    #[command(after_help = LIST)]
    List(ListGames),
    /// Keep the games of some players, dates, results, openings
    #[command(after_help = FILTER)]
    Filter(Box<FilterGames>),
    /// Count games, players, results, openings
    #[command(after_help = STATS)]
    Stats(StatsGames),
}

#[derive(Args, Debug)]
pub(crate) struct GameInputs {
    /// Records: files, folders, or names with * and ?; - is the standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Names of WTHOR's players and tournaments (.jou, .trn) [default: those beside the .wtb]
    #[arg(long, value_name = "FILE")]
    pub(crate) names: Vec<PathBuf>,
    /// Leave out games that cannot be read: count and list them instead of stopping
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

/// Names of openings.
#[derive(Args, Debug)]
pub(crate) struct OpeningArgs {
    /// Names of openings: lines of moves and a name, or a list of Egaroucid (boards) or Zebra (begins with a count) [default: built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: Option<PathBuf>,
    /// Language of the names; English and Japanese name different lines
    #[arg(long, value_enum, default_value_t = Language::En)]
    pub(crate) language: Language,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// English
    En,
    /// Japanese
    Ja,
}

/// The names of all formats.
fn formats() -> Vec<&'static str> {
    OthelloFormat::all().map(OthelloFormat::name).collect()
}

#[derive(Args, Debug)]
pub(crate) struct GameFormat {
    /// Format of the output [default: by the extension of the output]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    to: Option<String>,
}

impl GameFormat {
    pub(crate) fn format(&self) -> Option<OthelloFormat> {
        self.to.as_deref().and_then(|name| name.parse().ok())
    }
}

#[derive(Args, Debug)]
pub(crate) struct ConvertGames {
    #[command(flatten)]
    pub(crate) inputs: GameInputs,
    /// One file for all games; - is the standard output
    #[arg(short, long, value_name = "OUT", conflicts_with = "out_dir")]
    pub(crate) output: Option<PathBuf>,
    /// Folder for a file for each input, or for each game where a file can hold but one [default: beside the input]
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: GameFormat,
    /// Make one game of all, with variations (SGF)
    #[arg(long, requires = "output")]
    pub(crate) tree: bool,
    #[command(flatten)]
    pub(crate) header: GameHeader,
}

/// What is added to games that are saved.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct GameHeader {
    /// Name of black's player
    #[arg(long, value_name = "NAME")]
    black_name: Option<String>,
    /// Name of white's player
    #[arg(long, value_name = "NAME")]
    white_name: Option<String>,
    /// Tournament or match
    #[arg(long, value_name = "NAME")]
    event_name: Option<String>,
    /// Date, as 2024-01-31, 2024-01 or 2024
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    /// Comment on the game, Egaroucid's memo
    #[arg(long, value_name = "TEXT")]
    memo: Option<String>,
    /// Search the positions without a value at this level of Egaroucid's, and note their values [default: no search]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(crate) level: Option<u32>,
    /// Weights of the evaluation for --level: a file of ours, Edax's eval.dat or Egaroucid's eval.egev2 [default: built in]
    #[arg(long = "eval", value_name = "FILE", requires = "level")]
    pub(crate) weights: Option<PathBuf>,
}

impl GameHeader {
    /// Checks the date.
    pub(crate) fn check(&self) -> Result<(), UsageError> {
        match &self.date {
            Some(date) if parse_date(date).is_none() => Err(UsageError(format!(
                "--date {date}: expected a date such as 2024-01-31"
            ))),
            _ => Ok(()),
        }
    }

    /// Gives a game the names and the memo.
    pub(crate) fn apply(&self, record: &mut OthelloRecord) {
        let info = &mut record.info;
        for (field, text) in [
            (&mut info.black.name, &self.black_name),
            (&mut info.white.name, &self.white_name),
            (&mut info.event, &self.event_name),
            (&mut info.date, &self.date),
            (&mut info.comment, &self.memo),
        ] {
            if let Some(text) = text {
                text.clone_into(field);
            }
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ListGames {
    #[command(flatten)]
    pub(crate) inputs: GameInputs,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
}

#[derive(Args, Debug)]
pub(crate) struct StatsGames {
    #[command(flatten)]
    pub(crate) inputs: GameInputs,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
    /// Players, openings and events that are listed, the most frequent first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
}

#[derive(Args, Debug)]
pub(crate) struct FilterGames {
    #[command(flatten)]
    pub(crate) inputs: GameInputs,
    /// The output; - is the standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) format: GameFormat,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
    /// A player's name has this part
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,
    /// The name of black's player has this part
    #[arg(long, value_name = "NAME")]
    black: Vec<String>,
    /// The name of white's player has this part
    #[arg(long, value_name = "NAME")]
    white: Vec<String>,
    /// The name of the event has this part
    #[arg(long, value_name = "NAME")]
    event: Vec<String>,
    /// Both players have at least this rating
    #[arg(long, value_name = "R")]
    min_rating: Option<f64>,
    /// First day, as 2024-01-31, 2024-01 or 2024
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Last day, as 2024-01-31, 2024-01 or 2024
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Fewest discs placed
    #[arg(long, value_name = "N")]
    min_moves: Option<usize>,
    /// Most discs placed
    #[arg(long, value_name = "N")]
    max_moves: Option<usize>,
    /// Lowest difference of discs for black
    #[arg(long, value_name = "DISCS", allow_negative_numbers = true)]
    min_score: Option<i32>,
    /// Highest difference of discs for black
    #[arg(long, value_name = "DISCS", allow_negative_numbers = true)]
    max_score: Option<i32>,
    /// The game was won by this side, drawn, or the record does not say
    #[arg(long, value_name = "WHO", value_enum)]
    winner: Vec<Winner>,
    /// The game passes the position after these moves, or this board, in any orientation
    #[arg(long, value_name = "MOVES", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    through: Vec<String>,
    /// The game passes the opening of this name, in English or Japanese; othello opening --all lists them
    #[arg(long, value_name = "NAME")]
    opening: Vec<String>,
    /// The game passes an opening whose name begins so: Rose, Rose-Birth and Rose v. Toth with Rose
    #[arg(long, value_name = "TEXT")]
    opening_prefix: Vec<String>,
    /// The game is over
    #[arg(long)]
    finished: bool,
    /// The game begins at the start position
    #[arg(long)]
    from_start: bool,
    /// Each game once, symmetric ones being the same
    #[arg(long)]
    pub(crate) unique: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Winner {
    Black,
    White,
    Draw,
    Unknown,
}

impl FilterGames {
    /// The whole names of openings that are wanted.
    pub(crate) fn opening_names(&self) -> &[String] {
        &self.opening
    }

    /// The selection.
    pub(crate) fn filter(&self) -> Result<OthelloFilter, UsageError> {
        let date = |text: &Option<String>, option: &str| match text {
            None => Ok(None),
            Some(text) => {
                let wrong = || {
                    UsageError(format!(
                        "{option} {text}: expected a date such as 2024-01-31"
                    ))
                };
                parse_date(text).map(Some).ok_or_else(wrong)
            }
        };
        let through = self.through.iter().map(|text| {
            let read = read_one(text).map_err(|error| UsageError(format!("--through: {error}")));
            read.map(|record| record.position())
        });
        let winners = self.winner.iter().map(|winner| match winner {
            Winner::Black => GameWinner::Black,
            Winner::White => GameWinner::White,
            Winner::Draw => GameWinner::Draw,
            Winner::Unknown => GameWinner::Unknown,
        });
        Ok(OthelloFilter {
            events: self.event.clone(),
            min_score: self.min_score,
            max_score: self.max_score,
            through: through.collect::<Result<_, _>>()?,
            openings: self.opening.clone(),
            opening_prefixes: self.opening_prefix.clone(),
            is_finished: self.finished,
            common: RecordSelection {
                players: self.player.clone(),
                black: self.black.clone(),
                white: self.white.clone(),
                min_rating: self.min_rating,
                since: date(&self.since, "--since")?,
                until: date(&self.until, "--until")?.map(RecordDate::last_day),
                min_moves: self.min_moves,
                max_moves: self.max_moves,
                outcomes: winners.collect(),
                is_from_start: self.from_start,
            },
        })
    }
}

#[derive(Args, Debug)]
pub(crate) struct NameOpening {
    /// Games: moves such as f5d6c3, or files of them
    #[arg(value_name = "FILE|MOVES", required_unless_present = "all", value_parser = lookup::record_parser())]
    pub(crate) games: Vec<String>,
    /// All openings that have a name
    #[arg(long, conflicts_with = "games")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
}

#[derive(Args, Debug)]
pub(crate) struct Xot {
    /// Number of openings [default: all that there are]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: Option<u32>,
    /// Number of plies of each
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=30))]
    pub(crate) plies: u32,
    /// Greatest score that either side may have, in discs
    #[arg(long, value_name = "DISCS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) max_score: u32,
    /// Depth of the searches
    #[arg(long, value_name = "PLIES", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=30))]
    pub(crate) depth: u32,
    /// Seed of the random moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The file to write [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ShowBoard {
    /// A game or position
    #[arg(value_name = "FILE|MOVES", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) game: String,
    /// Number of moves made, passes included [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) ply: Option<usize>,
    /// Turn or mirror the board and the moves
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Transform::None)]
    pub(crate) transform: Transform,
    /// Show the discs that no move can flip
    #[arg(long)]
    pub(crate) stable: bool,
    /// Show the number of the move that placed each disc
    #[arg(long, conflicts_with = "stable")]
    pub(crate) numbers: bool,
    /// Only the position in one form: board, ggs, bitboards (mover and opponent), black-white (bitboards), base81, obf
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["stable", "numbers"], value_parser = ["board", "ggs", "bitboards", "black-white", "base81", "obf", "diagram", "transcript"])]
    pub(crate) to: Option<String>,
    /// Also write the board as a picture (SVG); - is the standard output, instead of text
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transform {
    /// As it is
    None,
    /// Left and right exchanged
    Horizontal,
    /// Top and bottom exchanged
    Vertical,
    /// By 180 degrees
    Rotate180,
    /// Mirrored at the diagonal from a1 to h8
    Diagonal,
    /// By 90 degrees, clockwise
    Rotate90,
    /// By 90 degrees, counter-clockwise
    Rotate270,
    /// Mirrored at the diagonal from h1 to a8
    Antidiagonal,
    /// As books keep it
    Canonical,
    /// So that the game begins with f5
    F5,
}

#[derive(Args, Debug)]
pub(crate) struct FromGames {
    #[command(flatten)]
    pub(crate) inputs: GameInputs,
    /// The book to write: .dat, .egbk3, .egbk2, .egbk; .txt for Edax's text form
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Positions of at most so many plies (discs less 4)
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(crate) plies: u32,
    /// Positions that occur in at least so many games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_games: u32,
    #[command(flatten)]
    pub(crate) engine: Engine,
    #[command(flatten)]
    pub(crate) reading: super::ReadArgs,
}

pub(crate) const FROM_GAMES: &str = "\
Examples:
  othello book from_games games/ -o games.egbk3
  othello book from_games WTH_*.wtb -o games.dat --plies 20 --min-games 3
  othello book from_games games.ggf -o games.egbk3 --level 15

Without --level, values are the mean results of the games. With it, the ends of all lines are searched at that level, and the
other values follow from them. A run that was interrupted goes on when the same command is given again (OUT.journal).";

pub(crate) const GAMES: &str = "\
Examples:
  othello games convert game.ggf --to sgf                   writes game.sgf
  othello games convert WTH_2001.wtb -o 2001.txt            tournament games as transcripts
  othello games list games/ --openings names.txt
  othello games filter games/ -o tiger.ggf --opening Tiger --winner white
  othello games stats games/ --json

Formats: transcripts in all spellings, GGF, SGF, PGN, WTHOR (.wtb with .jou and .trn), Othello Quest, Egaroucid's games, .obf,
boards of all kinds; many games in a file or one. What a file is, its content says, not its name.

Exit codes: 0 done; 1 failed, or a game cannot be read; 2 wrong usage; 130 interrupted.";

const CONVERT: &str = "\
Examples:
  othello games convert a.ggf b.sgf --to pgn                writes a.pgn and b.pgn
  othello games convert games/ -o all.ggf --skip-bad
  othello games convert *.ggf -o lines.sgf --tree           one game with variations
  othello games convert games.ggf -o games.wtb              with games.jou and games.trn
  othello games convert games.ggf --to egaroucid --out-dir games
  othello games convert today.txt -o today.sgf --black-name Ada --white-name Bob --memo quick --level 12

What a format cannot hold is told.";

const LIST: &str = "\
Examples:
  othello games list games/
  othello games list WTH_2001.wtb --json --language ja";

const FILTER: &str = "\
Examples:
  othello games filter games/ -o won.sgf --player Tamenori --winner black
  othello games filter games/ -o tiger.txt --through f5d6c3d3c4 --unique
  othello games filter a.ggf -o close.ggf --min-score -4 --max-score 4 --since 2020";

const STATS: &str = "\
Examples:
  othello games stats games/
  othello games stats WTH_*.wtb --top 50 --json";

pub(crate) const OPENING: &str = "\
Examples:
  othello opening f5d6c3d3c4f4
  othello opening games.ggf --language ja
  othello opening f5d6c3 --openings names.txt               names in Egaroucid's form
  othello opening --all";

pub(crate) const XOT: &str = "\
Examples:
  othello xot --count 100 -o xot.txt
  othello xot --plies 6 --max-score 1 --depth 16 --json     all of them

One transcript a line. With --json, one object with the score for the side to move. The same seed gives the same openings.";

pub(crate) const BOARD: &str = "\
Examples:
  othello board f5d6c3d3c4
  othello board game.ggf --ply 30 --stable
  othello board game.ggf --numbers
  othello board game.ggf --ply 20 --svg board.svg           a picture, too
  othello board c4e3f6 --transform f5 --to transcript       f5d6c3
  othello board f5d6c3 --to base81";
