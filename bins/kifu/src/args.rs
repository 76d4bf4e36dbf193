//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use shogi_kifu::{
    Charset, CsaVersion, GameOutcome, KifuFormat, LineEnds, RecordFilter, parse_date,
};
use yane_cli::{Settings, UsageError};
use yane_io::archive::{RecordDate, RecordSelection};

/// Converts, checks, counts, selects and shows shogi game records.
///
/// Formats: KIF, KI2, CSA, JKF, USI lines, BOD boards, in any encoding and with any line ends, many games in a file or one. What a
/// file is, its content says, not its name. A FILE may be a folder (all records in it and below) or have * and ? in its last part.
#[derive(Debug, Parser)]
#[command(name = "kifu", version, long_version = yane_cli::long_version(), max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    _shell: yane_cli::shell::ShellFiles,
    #[command(flatten, next_help_heading = "Settings")]
    pub(crate) settings: Settings,
}

const EXAMPLES: &str = "\
Exit codes: 0 done; 1 failed, or a game cannot be read; 2 wrong usage; 130 interrupted.

Examples:
  kifu convert game.kif --to csa                  # writes game.csa
  kifu convert wdoor2025/ -o wdoor2025.sfen --skip-bad
  kifu check *.csa
  kifu stats games/ --html games.html
  kifu filter games/ -o long.kif --min-moves 150 --player 太郎
  kifu analyze game.kif -o analysed.kif --html game.html
  kifu show game.kif --ply 30";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Convert records into another format, each file by itself or all into one
    #[command(
        after_help = "Examples:\n  kifu convert a.kif b.kif --to jkf\n  kifu convert games/ --to kif --encoding sjis --out-dir kif/\n  kifu convert *.csa -o all.sfen"
    )]
    Convert(ConvertArgs),
    /// Check every move of every game against the rules
    #[command(after_help = "Examples:\n  kifu check games/\n  kifu check --json big.csa")]
    Check(CheckArgs),
    /// Count games, players, openings, lengths and endings
    #[command(after_help = "Examples:\n  kifu stats games/\n  kifu stats games/ --html games.html")]
    Stats(StatsArgs),
    /// Keep the games of some players, ratings, days, lengths, endings
    #[command(
        after_help = "Examples:\n  kifu filter floodgate/ -o strong.csa --min-rating 3800 --skip-bad\n  kifu filter games.kif -o draws.kif --outcome draw\n  kifu filter games/ -o yagura.csa --opening 矢倉"
    )]
    Filter(FilterArgs),
    /// Make files of one or more games each
    #[command(
        after_help = "Examples:\n  kifu split archive.csa --out-dir games/\n  kifu split archive.csa --out-dir parts/ --games 1000 --to kif"
    )]
    Split(SplitArgs),
    /// Analyse games with an engine: what each move loses, the best moves, bad moves by kind
    #[command(after_help = yaneura::analyze::EXAMPLES.replace("yaneura analyze", "kifu analyze"))]
    Analyze(yaneura::analyze::AnalyzeArgs),
    /// Show the board after some moves of a game, as text or as a picture
    #[command(
        after_help = "Examples:\n  kifu show game.kif --ply 30\n  kifu show games.csa --game 3 --svg board.svg"
    )]
    Show(ShowArgs),
}

#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// Records: files, folders, or names with * and ?; - is the standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Leave out games that cannot be read: count and list them instead of stopping
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Writing {
    /// Format of the output: kif, ki2, csa, jkf or usi [default: by the extension of the output]
    #[arg(long, value_name = "FORMAT", value_parser = ["kif", "ki2", "csa", "jkf", "usi"])]
    pub(crate) to: Option<String>,
    /// Encoding of the output
    #[arg(long, value_enum, default_value_t = Encoding::Utf8)]
    pub(crate) encoding: Encoding,
    /// Line ends of the output
    #[arg(long, value_enum, default_value_t = Ends::Lf)]
    pub(crate) line_ends: Ends,
    /// Version of CSA that is written
    #[arg(long, value_enum, default_value_t = Version::V22)]
    pub(crate) csa_version: Version,
}

impl Writing {
    pub(crate) fn format(&self) -> Option<KifuFormat> {
        self.to.as_deref().and_then(|name| name.parse().ok())
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Encoding {
    /// UTF-8
    Utf8,
    /// UTF-8 with a byte order mark
    Utf8Bom,
    /// `Shift_JIS`
    #[value(help = "Shift_JIS")]
    Sjis,
}

impl Encoding {
    pub(crate) const fn charset(self) -> Charset {
        match self {
            Self::Utf8 => Charset::Utf8,
            Self::Utf8Bom => Charset::Utf8Bom,
            Self::Sjis => Charset::ShiftJis,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Ends {
    /// LF
    Lf,
    /// CR LF
    Crlf,
}

impl Ends {
    pub(crate) const fn ends(self) -> LineEnds {
        match self {
            Self::Lf => LineEnds::Lf,
            Self::Crlf => LineEnds::CrLf,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Version {
    /// 2.2
    #[value(name = "2.2")]
    V22,
    /// 3.0
    #[value(name = "3.0", alias = "3")]
    V3,
}

impl Version {
    pub(crate) const fn csa(self) -> CsaVersion {
        match self {
            Self::V22 => CsaVersion::V22,
            Self::V3 => CsaVersion::V3,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// One file for all games; - is the standard output
    #[arg(short, long, value_name = "OUT", conflicts_with = "out_dir")]
    pub(crate) output: Option<PathBuf>,
    /// Folder for a file for each input [default: beside the input]
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

#[derive(Args, Debug)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Players and openings that are listed, the most frequent first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
    /// Write a page with the same figures
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The output; - is the standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) writing: Writing,
    /// A player's name has this part
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,
    /// The name of black's player has this part
    #[arg(long, value_name = "NAME")]
    black: Vec<String>,
    /// The name of white's player has this part
    #[arg(long, value_name = "NAME")]
    white: Vec<String>,
    /// Both players have at least this rating (floodgate's remarks)
    #[arg(long, value_name = "R")]
    min_rating: Option<f64>,
    /// First day, as 2024/01/31, 2024/01 or 2024
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Last day, as 2024/01/31, 2024/01 or 2024
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Fewest moves
    #[arg(long, value_name = "N")]
    min_moves: Option<usize>,
    /// Most moves
    #[arg(long, value_name = "N")]
    max_moves: Option<usize>,
    /// The game ends in this word of KIF or CSA (投了, 千日手, TORYO, KACHI …)
    #[arg(long, value_name = "WORD")]
    ending: Vec<String>,
    /// The game was won by this player, drawn or undecided
    #[arg(long, value_name = "WHO", value_enum)]
    outcome: Vec<Outcome>,
    /// The game has this opening, or a kind of it, by its name in Japanese or English (四間飛車, yagura)
    #[arg(long, value_name = "NAME")]
    opening: Vec<String>,
    /// Only games from the start of the even game
    #[arg(long)]
    even: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Outcome {
    Black,
    White,
    Draw,
    Undecided,
}

impl FilterArgs {
    /// The selection.
    pub(crate) fn filter(&self) -> Result<RecordFilter, UsageError> {
        let date = |text: &Option<String>, option: &str| match text {
            None => Ok(None),
            Some(text) => {
                let wrong = || {
                    UsageError(format!(
                        "{option} {text}: expected a date such as 2024/01/31"
                    ))
                };
                parse_date(text).map(Some).ok_or_else(wrong)
            }
        };
        let endings = self.ending.iter().map(|word| {
            let csa = word.trim_start_matches('%');
            let found = shogi_kifu::GameEnding::from_kif(word)
                .or_else(|| shogi_kifu::GameEnding::from_csa(csa, shogi_core::Color::Black));
            found.ok_or_else(|| {
                UsageError(format!(
                    "--ending {word}: no ending of KIF or CSA (such as 投了, TORYO)"
                ))
            })
        });
        let outcomes = self.outcome.iter().map(|outcome| match outcome {
            Outcome::Black => GameOutcome::Win(shogi_core::Color::Black),
            Outcome::White => GameOutcome::Win(shogi_core::Color::White),
            Outcome::Draw => GameOutcome::Draw,
            Outcome::Undecided => GameOutcome::Undecided,
        });
        if let Some(name) =
            (self.opening.iter()).find(|name| shogi_openings::OpeningName::find(name).is_none())
        {
            return Err(UsageError(format!(
                "--opening {name}: no opening has this name (such as 四間飛車, Yagura); kifu stats --json names those of games"
            )));
        }
        Ok(RecordFilter {
            openings: self.opening.clone(),
            endings: endings.collect::<Result<_, _>>()?,
            common: RecordSelection {
                players: self.player.clone(),
                black: self.black.clone(),
                white: self.white.clone(),
                min_rating: self.min_rating,
                since: date(&self.since, "--since")?,
                until: date(&self.until, "--until")?.map(RecordDate::last_day),
                min_moves: self.min_moves,
                max_moves: self.max_moves,
                outcomes: outcomes.collect(),
                is_from_start: self.even,
            },
        })
    }
}

#[derive(Args, Debug)]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Folder for the files
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: PathBuf,
    /// Games of each file
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) games: u64,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The record; - is the standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Number of the game in the file
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) game: u64,
    /// Number of moves made [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) ply: Option<usize>,
    /// Also write the board as a picture (SVG); - is the standard output, instead of text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(crate) svg: Option<PathBuf>,
}
