//! `cargo xtask match`: plays two USI engines against each other.
//!
//! * `openings`: where games start.
//! * `player`, `usi_player`: what a player is, and a USI engine as one.
//! * `game`, `referee`: one game; the referee trusts neither engine.
//! * `pool`, `seats`: several games at once, each worker with its own two processes.
//! * `log`: JSON lines, to go on after an interruption.
//! * `score`, `report`: points, Elo, fouls.

mod game;
mod log;
mod openings;
mod player;
mod pool;
mod referee;
mod report;
mod score;
mod seats;
mod usi_player;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::Outcome;
use game::Rules;
use log::{Entry, Header, Log};
use openings::Openings;
use player::Limit;
use report::Report;
use seats::Seats;
use usi_player::Engine;

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
    /// Number of games.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    #[command(flatten)]
    limit: LimitArgs,
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
    /// Number of games at the same time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    /// An option of engine A.
    #[arg(long, value_name = "NAME=VALUE")]
    option_a: Vec<String>,
    /// An option of engine B.
    #[arg(long, value_name = "NAME=VALUE")]
    option_b: Vec<String>,
    /// How much longer than allowed an engine may think before it loses on time.
    #[arg(long, default_value_t = 100, value_name = "MS")]
    margin: u64,
    /// How long an engine may be silent where its time is not limited.
    #[arg(long, default_value_t = 60_000, value_name = "MS")]
    hang: u64,
    /// Number of plies after which a game is drawn.
    #[arg(long, default_value_t = 512)]
    max_plies: usize,
    /// Log of the games as JSON lines. If it exists, the match goes on from there.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
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

impl Args {
    fn rules(&self) -> Rules {
        Rules {
            limit: self.limit.limit(),
            margin: Duration::from_millis(self.margin),
            hang: Duration::from_millis(self.hang),
            max_plies: self.max_plies,
        }
    }

    fn openings(&self) -> Result<Openings> {
        match &self.openings {
            Some(path) => Openings::read(path),
            None => Ok(Openings::Random {
                seed: self.seed,
                plies: self.random_plies,
            }),
        }
    }

    fn header(&self) -> Header {
        let random = || format!("{} random plies, seed {}", self.random_plies, self.seed);
        Header {
            engine_a: self.a.display().to_string(),
            engine_b: self.b.display().to_string(),
            options_a: self.option_a.clone(),
            options_b: self.option_b.clone(),
            limit: self.limit.limit().to_string(),
            openings: self
                .openings
                .as_ref()
                .map_or_else(random, |path| path.display().to_string()),
            max_plies: self.max_plies,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let engines = [
        Engine::new(&args.a, &args.option_a, args.hang).context("engine A")?,
        Engine::new(&args.b, &args.option_b, args.hang).context("engine B")?,
    ];
    let (rules, openings) = (args.rules(), args.openings()?);
    let (mut log, finished) = match &args.json {
        Some(path) => Log::open(path, &args.header())?,
        None => (Log::none(), Vec::new()),
    };
    let mut report = Report::new([engines[0].name(), engines[1].name()], args.games);
    let done: HashSet<usize> = finished.iter().map(|entry| entry.game).collect();
    for entry in &finished {
        report.add(entry);
    }
    if !done.is_empty() {
        eprintln!("{} games were in the log", done.len());
    }
    let jobs = (0..args.games as usize).filter(|game| !done.contains(game));
    pool::run(
        jobs,
        args.concurrency as usize,
        || Seats::new(&engines),
        |seats, game| Entry {
            game,
            played: seats.play(game, &openings, &rules),
        },
        |entry| {
            log.game(&entry)?;
            report.add(&entry);
            report.print_progress(&entry);
            Ok(())
        },
    )?;
    report.print_summary();
    Ok(Outcome::from_found(report.fouls() > 0))
}
