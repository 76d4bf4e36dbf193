//! `cargo xtask match`: plays two USI engines against each other.
//!
//! * `args`: the command line.
//! * `openings`: where games start.
//! * `player`, `usi_player`: what a player is, and a USI engine as one.
//! * `game`, `clock`, `referee`, `adjudication`: one game; the referee trusts neither engine.
//! * `pool`, `seats`: several games at once, each worker with its own two processes.
//! * `log`: JSON lines, to go on after an interruption.
//! * `score`, `sprt`: points, Elo, the sequential test.
//! * `tally`, `report`: what happened in all games, and telling it.
//! * `stress`: load beside the games.

mod adjudication;
mod args;
mod clock;
mod game;
pub(crate) mod log;
pub(crate) mod openings;
pub(crate) mod player;
pub(crate) mod pool;
mod referee;
mod report;
mod score;
pub(crate) mod seats;
mod sprt;
mod stress;
mod tally;
#[cfg(all(test, unix))]
mod tests;
pub(crate) mod usi_player;

use std::collections::HashSet;
use std::ops::ControlFlow;

use anyhow::Result;

use crate::Outcome;
pub(crate) use args::{AdjudicationArgs, Args, EngineArgs};
pub(crate) use game::Rules;
use log::{Entry, Log};
use report::Report;
pub(crate) use score::GameResult;
use seats::Seats;
use stress::Stress;
use tally::Tally;
pub(crate) use tally::result_of_a;

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
            || Seats::new(&engines),
            |seats, game| Entry {
                game,
                played: seats.play(game, &openings.get(game / 2), &rules),
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
    Ok(Outcome::from_found(tally.fouls() > 0))
}
