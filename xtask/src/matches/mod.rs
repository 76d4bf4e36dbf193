//! `cargo xtask match`: plays two USI engines against each other.
//!
//! * `openings`: where games start.
//! * `player`: a player, and a USI engine as one.
//! * `game`, `referee`, `adjudication`: one game; the referee keeps the clocks and trusts neither engine.
//! * `pool`: several games at once, each worker with its own two processes; load beside the games.
//! * `log`: JSON lines, to resume after an interruption.
//! * `score`, `sprt`: points, Elo, the count of results and the sequential test.
//! * `report`: the summary of all games.

mod adjudication;
mod game;
pub(crate) mod log;
pub(crate) mod openings;
pub(crate) mod player;
pub(crate) mod pool;
mod referee;
mod report;
mod score;
mod sprt;
#[cfg(all(test, unix))]
mod tests;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::Outcome;

use adjudication::{Adjudication, DrawRule, ResignRule};
use log::{Entry, Header, Log};
use openings::Openings;
use player::{Engine, Limit, Setup};
use pool::{EnginePair, Stress};
use report::Report;
use sprt::{Sprt, Tally};

pub(crate) use game::Rules;
pub(crate) use score::GameResult;
pub(crate) use sprt::result_of_a;

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let (rules, openings, sprt) = (args.rules(), args.openings()?, args.sprt()?);
    let engines = args.engines()?;
    let (mut log, finished) = match args.log() {
        Some(path) => Log::open(path, &args.header())?,
        None => (Log::none(), Vec::new()),
    };
    let done: HashSet<usize> = finished.iter().map(|entry| entry.game).collect();
    let mut tally = Tally::default();
    for entry in &finished {
        tally.add(entry);
    }
    if !done.is_empty() {
        eprintln!("{} games were in the log", done.len());
    }
    let report = Report {
        engines: engines.each_ref().map(|engine| engine.name().to_owned()),
        games: args.games(),
        sprt,
    };
    if !report.is_decided(&tally) {
        let _stress = Stress::start(args.stress());
        let jobs = (0..args.games() as usize).filter(|game| !done.contains(game));
        pool::run(
            jobs,
            args.concurrency(),
            || EnginePair::new(&engines),
            |engine_pair, game| Entry {
                game,
                played: engine_pair.play(game, &openings.get(game / 2), &rules),
            },
            |entry| {
                log.game(&entry)?;
                tally.add(&entry);
                report.print_progress(&tally, &entry);
                Ok(if report.is_decided(&tally) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            },
        )?;
    }
    if args.wants_json() {
        println!("{}", serde_json::to_string_pretty(&report.summary(&tally))?);
    } else {
        report.print_summary(&tally);
    }
    Ok(Outcome::from_found(tally.violations() > 0))
}

// The command line of `cargo xtask match`.

/// Games of a match without `--games`.
const GAMES: u32 = 100;

/// The same when a sequential test ends it.
const GAMES_OF_TEST: u32 = 100_000;

/// Play two USI engines against each other with alternating colours.
///
/// Every opening is played twice with colours exchanged. Exits with 1 if an engine played an illegal
/// move, crashed or overstepped its time.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Engine A: a program. The score is given from its point of view.
    a: PathBuf,
    /// Engine B.
    b: PathBuf,
    /// Number of games: 100 unless given, with --elo1 as many as the test takes, up to 100,000.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    games: Option<u32>,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    starts: OpeningArgs,
    /// Number of games at the same time. Give an even number to have both games of a pair side by
    /// side.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    #[command(flatten)]
    engines: EngineArgs,
    /// Time that an engine may think longer than allowed before it loses on time.
    #[arg(long, default_value_t = 100, value_name = "MS")]
    margin: u64,
    /// Longest silence of an engine where its time is not limited.
    #[arg(long, default_value_t = 60_000, value_name = "MS")]
    hang: u64,
    /// Number of plies after which a game is drawn.
    #[arg(long, default_value_t = 512)]
    max_plies: usize,
    #[command(flatten)]
    adjudication: AdjudicationArgs,
    #[command(flatten)]
    sprt: SprtArgs,
    /// Threads that keep processors busy beside the match, to see what engines do under load.
    #[arg(long, default_value_t = 0, value_name = "THREADS")]
    stress: u32,
    /// Log of the games as JSON lines. If it exists, the match goes on from there.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct EngineArgs {
    /// An option of all engines.
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// An option of engine A.
    #[arg(long, value_name = "NAME=VALUE")]
    option_a: Vec<String>,
    /// An option of engine B.
    #[arg(long, value_name = "NAME=VALUE")]
    option_b: Vec<String>,
    /// Working folder of engine A; where the program is if not given.
    #[arg(long, value_name = "FOLDER")]
    dir_a: Option<PathBuf>,
    /// Working folder of engine B.
    #[arg(long, value_name = "FOLDER")]
    dir_b: Option<PathBuf>,
}

#[derive(clap::Args)]
struct OpeningArgs {
    /// Openings: a `position` line or an SFEN on each line. Random ones if not given.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Number of random moves in an opening that is not from a file.
    #[arg(
        long,
        default_value_t = 8,
        value_name = "PLIES",
        conflicts_with = "openings"
    )]
    random_plies: u32,
    /// Seed of the random openings.
    #[arg(long, default_value_t = 1, conflicts_with = "openings")]
    seed: u64,
}

#[derive(clap::Args)]
#[group(required = true, multiple = true)]
struct LimitArgs {
    /// Milliseconds for each move.
    #[arg(long, value_name = "MS", conflicts_with_all = ["nodes", "depth", "time", "byoyomi"])]
    movetime: Option<u64>,
    /// Nodes for each move.
    #[arg(long, conflicts_with_all = ["depth", "time", "byoyomi"])]
    nodes: Option<u64>,
    /// Depth of every search.
    #[arg(long, value_name = "PLIES", conflicts_with_all = ["time", "byoyomi"])]
    depth: Option<u32>,
    /// Time on the clock for the game.
    #[arg(long, value_name = "MS")]
    time: Option<u64>,
    /// Time that a move adds to the clock.
    #[arg(long, value_name = "MS", requires = "time", conflicts_with = "byoyomi")]
    increment: Option<u64>,
    /// Time for each move when the clock has run out.
    #[arg(long, value_name = "MS")]
    byoyomi: Option<u64>,
}

#[derive(clap::Args)]
pub(crate) struct AdjudicationArgs {
    /// A game is won when both engines say, for as many moves each as --resign-moves, that one of
    /// them is at least this far ahead.
    #[arg(long, value_name = "CP", value_parser = clap::value_parser!(u32).range(1..))]
    resign_score: Option<u32>,
    /// Moves of each side for --resign-score.
    #[arg(long, value_name = "MOVES", default_value_t = 4, requires = "resign_score",
          value_parser = clap::value_parser!(u32).range(1..))]
    resign_moves: u32,
    /// A game is drawn when both engines say, for as many moves each as --draw-moves, that nobody is
    /// further ahead than this.
    #[arg(long, value_name = "CP")]
    draw_score: Option<u32>,
    /// Moves of each side for --draw-score.
    #[arg(long, value_name = "MOVES", default_value_t = 8, requires = "draw_score",
          value_parser = clap::value_parser!(u32).range(1..))]
    draw_moves: u32,
    /// Number of plies before which no game is drawn by --draw-score.
    #[arg(
        long,
        value_name = "PLIES",
        default_value_t = 160,
        requires = "draw_score"
    )]
    draw_after: usize,
}

#[derive(clap::Args)]
struct SprtArgs {
    /// Sequential test: stop when it is decided whether A is rather --elo0 or --elo1 stronger.
    #[arg(
        long,
        value_name = "ELO",
        requires = "elo1",
        allow_negative_numbers = true
    )]
    elo0: Option<f64>,
    /// The greater of the two differences that are tested.
    #[arg(
        long,
        value_name = "ELO",
        requires = "elo0",
        allow_negative_numbers = true
    )]
    elo1: Option<f64>,
    /// Probability that the test decides for elo1 when elo0 is true.
    #[arg(
        long,
        value_name = "PROBABILITY",
        default_value_t = 0.05,
        requires = "elo1"
    )]
    alpha: f64,
    /// Probability that the test decides for elo0 when elo1 is true.
    #[arg(
        long,
        value_name = "PROBABILITY",
        default_value_t = 0.05,
        requires = "elo1"
    )]
    beta: f64,
}

impl EngineArgs {
    /// Engines A and B, which are these programs.
    pub(crate) fn setups(&self, a: &Path, b: &Path) -> [Setup; 2] {
        [
            self.setup(a, &self.option_a, self.dir_a.as_deref()),
            self.setup(b, &self.option_b, self.dir_b.as_deref()),
        ]
    }

    /// An engine with options of its own.
    pub(crate) fn setup(&self, program: &Path, own: &[String], folder: Option<&Path>) -> Setup {
        Setup {
            program: program.to_owned(),
            options: [&self.option, own].concat(),
            folder: folder.map(Path::to_owned),
        }
    }
}

impl LimitArgs {
    fn limit(&self) -> Limit {
        let clock = Limit::Clock {
            time: self.time.unwrap_or(0),
            increment: self.increment.unwrap_or(0),
            byoyomi: self.byoyomi.unwrap_or(0),
        };
        let fixed = [
            self.movetime.map(Limit::MoveTime),
            self.nodes.map(Limit::Nodes),
            self.depth.map(Limit::Depth),
        ];
        fixed.into_iter().flatten().next().unwrap_or(clock)
    }
}

impl AdjudicationArgs {
    pub(crate) fn rules(&self) -> Adjudication {
        Adjudication {
            resign: self.resign_score.map(|score| ResignRule {
                score_cp: i64::from(score),
                moves: self.resign_moves,
            }),
            draw: self.draw_score.map(|score| DrawRule {
                score_cp: i64::from(score),
                moves: self.draw_moves,
                after_plies: self.draw_after,
            }),
        }
    }
}

impl OpeningArgs {
    fn openings(&self) -> Result<Openings> {
        match &self.openings {
            Some(path) => Openings::read(path),
            None => Ok(Openings::Random {
                seed: self.seed,
                plies: self.random_plies,
            }),
        }
    }

    fn describe(&self) -> String {
        let random = || format!("{} random plies, seed {}", self.random_plies, self.seed);
        self.openings
            .as_ref()
            .map_or_else(random, |path| path.display().to_string())
    }
}

impl Args {
    fn rules(&self) -> Rules {
        Rules {
            limit: self.limit.limit(),
            margin: Duration::from_millis(self.margin),
            hang: Duration::from_millis(self.hang),
            max_plies: self.max_plies,
            adjudication: self.adjudication.rules(),
        }
    }

    fn openings(&self) -> Result<Openings> {
        self.starts.openings()
    }

    /// The sequential test, if one is asked for.
    fn sprt(&self) -> Result<Option<Sprt>> {
        let SprtArgs {
            elo0,
            elo1,
            alpha,
            beta,
        } = self.sprt;
        elo0.zip(elo1)
            .map(|(elo0, elo1)| Sprt::new(elo0, elo1, alpha, beta))
            .transpose()
    }

    fn games(&self) -> u32 {
        let default = if self.sprt.elo1.is_some() {
            GAMES_OF_TEST
        } else {
            GAMES
        };
        self.games.unwrap_or(default)
    }

    const fn concurrency(&self) -> usize {
        self.concurrency as usize
    }

    const fn stress(&self) -> u32 {
        self.stress
    }

    const fn wants_json(&self) -> bool {
        self.json
    }

    fn log(&self) -> Option<&PathBuf> {
        self.log.as_ref()
    }

    /// Starts both engines once.
    fn engines(&self) -> Result<[Engine; 2]> {
        let hang = Duration::from_millis(self.hang);
        let [a, b] = self.setups();
        Ok([
            Engine::new(a, hang).context("engine A")?,
            Engine::new(b, hang).context("engine B")?,
        ])
    }

    fn setups(&self) -> [Setup; 2] {
        self.engines.setups(&self.a, &self.b)
    }

    fn header(&self) -> Header {
        let [a, b] = self.setups();
        let rules = self.rules();
        Header {
            engine_a: a.program.display().to_string(),
            engine_b: b.program.display().to_string(),
            options_a: a.options,
            options_b: b.options,
            limit: rules.limit.to_string(),
            margin_ms: self.margin,
            openings: self.starts.describe(),
            max_plies: self.max_plies,
            adjudication: rules.adjudication.to_string(),
        }
    }
}
