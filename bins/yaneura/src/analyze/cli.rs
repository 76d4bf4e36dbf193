//! The arguments of `analyze`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use shogi_engine::ThinkLimits;
use shogi_kifu::KifuFormat;
use shogi_review::{AnnotateOptions, CommentForm, Language};
use yane_cli::UsageError;

/// What is analysed and how, without the settings that all commands share.
#[derive(Args, Clone, Debug)]
pub struct AnalyzeArgs {
    /// Records (KIF, KI2, CSA, JKF, USI): files, folders, or names with * and ?; - is the standard input
    #[arg(value_name = "GAME", required = true)]
    pub(super) games: Vec<PathBuf>,
    /// Leave out games that cannot be read: count and list them instead of stopping
    #[arg(long)]
    pub(super) skip_bad: bool,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
    #[command(flatten)]
    pub(super) results: ResultArgs,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Search")]
pub(super) struct SearchArgs {
    /// Nodes of the search of each position [default: 200000, unless --time or --depth is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Time of the search of each position in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    time: Option<u64>,
    /// Depth of the search of each position
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=9999))]
    depth: Option<u32>,
    /// Best lines to look for in each position
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=600))]
    multipv: u16,
    /// Also analyse the variations of the records
    #[arg(long)]
    pub(super) all_lines: bool,
    /// A book (.db, .ybb, .bin): says of each move whether it is in the book
    #[arg(long, value_name = "FILE")]
    pub(super) book: Option<PathBuf>,
}

/// The time limit of searches that have none: it is never reached, but an engine that has one stops at a proved mate.
const NO_TIME: Duration = Duration::from_secs(24 * 60 * 60);

impl SearchArgs {
    /// The limits, as an engine takes them.
    pub(super) fn limits(&self, engine: LimitStyle) -> ThinkLimits {
        let time = self.time.map(Duration::from_millis);
        let is_free = self.nodes.is_none() && time.is_none() && self.depth.is_none();
        ThinkLimits {
            nodes: self.nodes.or(is_free.then_some(200_000)),
            depth: self.depth,
            time: time.or((engine == LimitStyle::Embedded).then_some(NO_TIME)),
            lines: self.multipv.into(),
            ..ThinkLimits::default()
        }
    }

    /// Returns whether a search ends whatever the engine is: the deep engine may never reach a depth.
    pub(super) const fn is_limited(&self) -> bool {
        self.depth.is_none() || self.nodes.is_some() || self.time.is_some()
    }

    /// The limits as one text.
    pub(super) fn text(&self) -> String {
        let limits = self.limits(LimitStyle::Program);
        let ThinkLimits {
            nodes,
            depth,
            time,
            lines,
            ..
        } = limits;
        format!(
            "nodes {nodes:?} depth {depth:?} time {time:?} lines {lines} all lines {}",
            self.all_lines
        )
    }
}

/// How an engine takes limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitStyle {
    /// The engine in this process.
    Embedded,
    /// A program.
    Program,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub(super) struct EngineArgs {
    /// The engine: a USI program, a command with arguments, `ssh host command`, or `embedded`, which is the one in this program
    #[arg(long, value_name = "COMMAND", default_value = "embedded")]
    pub(super) engine: String,
    /// A USI option of the engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    pub(super) option: Vec<String>,
    /// Size of the transposition table in MiB (`USI_Hash`), for each game that is analysed at the same time
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) hash: u32,
    /// Let an engine work that says of an error while it gets ready (`info string Error! ...`)
    #[arg(long)]
    pub(super) allow_engine_errors: bool,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Results")]
pub(super) struct ResultArgs {
    /// One file for the annotated records; - is the standard output
    #[arg(short, long, value_name = "OUT", conflicts_with = "out_dir")]
    pub(super) output: Option<PathBuf>,
    /// Folder for a file of annotated records for each input
    #[arg(long, value_name = "DIR")]
    pub(super) out_dir: Option<PathBuf>,
    /// Format of annotated records: kif, ki2, csa, jkf or usi [default: by the extension of the output, or that of the input]
    #[arg(long, value_name = "FORMAT", value_parser = ["kif", "ki2", "csa", "jkf", "usi"])]
    to: Option<String>,
    /// Form of evaluations in comments [default: floodgate in CSA, shogihome elsewhere]
    #[arg(long, value_name = "FORM", value_enum)]
    comments: Option<Comments>,
    /// Most moves of the best line that is added as a variation beside a bad move; 0: none
    #[arg(long, value_name = "N", default_value_t = 10)]
    variations: usize,
    /// Also write the graph of the game as a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// Also write a page: the graph, sums and boards of a game, or the table and summary of many
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Also sum up all games: losses by opening, part of the game, and kind
    #[arg(long)]
    pub(super) summary: bool,
    /// Sum up only the games of players with this part in their name
    #[arg(long, value_name = "NAME")]
    pub(super) player: Option<String>,
    /// Language of tables, comments and pages [default: by LANG]
    #[arg(long, value_enum)]
    lang: Option<Lang>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Comments {
    /// As ShogiHome writes them: #評価値=30
    #[value(name = "shogihome", help = "As ShogiHome writes them: #評価値=30")]
    ShogiHome,
    /// As ShogiGUI and 将棋所 write them: 解析 0 候補1 評価値 30
    #[value(
        name = "shogigui",
        help = "As ShogiGUI and 将棋所 write them: 解析 0 候補1 評価値 30"
    )]
    ShogiGui,
    /// As floodgate has them: * 30 -3334FU
    Floodgate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lang {
    /// English
    En,
    /// Japanese
    Ja,
}

impl ResultArgs {
    /// The format that `--to` names.
    pub(super) fn format(&self) -> Option<KifuFormat> {
        self.to.as_deref().and_then(|name| name.parse().ok())
    }

    /// The language of texts.
    pub(super) fn language(&self) -> Language {
        match self.lang {
            Some(Lang::En) => Language::English,
            Some(Lang::Ja) => Language::Japanese,
            None => {
                let mut names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
                let locale = names
                    .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
                Language::of_locale(&locale.unwrap_or_default())
            }
        }
    }

    /// How records of a format are annotated.
    pub(super) fn annotation(&self, format: KifuFormat) -> AnnotateOptions {
        let form = match (self.comments, format) {
            (Some(Comments::Floodgate), _) | (None, KifuFormat::Csa) => CommentForm::Floodgate,
            (Some(Comments::ShogiGui), _) => CommentForm::ShogiGui,
            _ => CommentForm::ShogiHome,
        };
        AnnotateOptions {
            form,
            variation_moves: self.variations,
            language: self.language(),
        }
    }

    /// The files that are written when all is done; the journal is beside the first.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.output, &self.svg, &self.html];
        files
            .into_iter()
            .flatten()
            .filter(|file| !yane_cli::is_standard(file))
    }

    /// Checks what is asked for against the number of games.
    pub(super) fn accept(&self, games: usize) -> Result<(), UsageError> {
        match &self.svg {
            Some(_) if games != 1 => Err(UsageError(format!(
                "--svg: the graph of one game, found {games}; --html takes any number"
            ))),
            _ => Ok(()),
        }
    }
}
