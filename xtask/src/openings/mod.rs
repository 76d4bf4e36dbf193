//! `cargo xtask openings`: makes a file of balanced openings to start games from.
//!
//! An opening is random play: at each ply one of the moves that an engine finds nearly as good as its
//! best is chosen by chance. It is kept when a longer search finds its last position balanced, and no
//! opening before it ends in the same position. Everything depends on the seed, the settings and the
//! engine, so a file can be made again.
//!
//! * `attempt`: one opening, by one engine process.

mod attempt;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use yane_io::AtomicFile;

use crate::Outcome;
use crate::matches::pool;
use crate::matches::usi_player::{Engine, Setup};
use attempt::{Attempt, Candidate, Maker};

/// Attempts for each opening asked for, after which the settings count as hopeless.
const PATIENCE: usize = 100;

/// Make balanced openings with an engine's help.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A USI engine with the option `MultiPV`.
    #[arg(long, value_name = "PROGRAM")]
    engine: PathBuf,
    /// An option of the engine.
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// Working folder of the engine; where the program is if not given.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Number of openings.
    #[arg(long, default_value_t = 300)]
    count: usize,
    /// Least and greatest number of plies.
    #[arg(long, default_value = "16..24", value_name = "FROM..TO")]
    plies: PlyRange,
    /// Nodes to judge the last position.
    #[arg(long, default_value_t = 50_000)]
    nodes: u64,
    /// Nodes to find the moves that are chosen from.
    #[arg(long, default_value_t = 5_000)]
    move_nodes: u64,
    /// How far from even the last position may be.
    #[arg(long, default_value_t = 80, value_name = "CP")]
    max_cp: i64,
    /// How much worse than the best a move may be.
    #[arg(long, default_value_t = 100, value_name = "CP")]
    spread: i64,
    /// How many moves are chosen from at most.
    #[arg(long, default_value_t = 12)]
    lines: u32,
    /// Seed of the choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of engine processes.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    /// The file to write: a `position` line for each opening, without that word.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Numbers of plies, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlyRange {
    from: u32,
    to: u32,
}

impl FromStr for PlyRange {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (from, to) = text.split_once("..").unwrap_or((text, text));
        let number = |text: &str| {
            text.parse()
                .with_context(|| format!("{text:?} is no number of plies"))
        };
        let range = Self {
            from: number(from)?,
            to: number(to)?,
        };
        ensure!(range.from <= range.to, "{text} holds no number");
        Ok(range)
    }
}

/// Why attempts gave no opening.
#[derive(Clone, Copy, Debug, Default)]
struct Rejected {
    unfinished: usize,
    unbalanced: usize,
    duplicates: usize,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let setup = Setup {
        program: args.engine.clone(),
        options: args.option.clone(),
        folder: args.dir.clone(),
    };
    let engine = Engine::new(setup, Duration::from_secs(60))?;
    let (openings, rejected) = collect(args, &engine)?;
    let mut file = AtomicFile::create(&args.out)?;
    file.put(header(args, &engine).as_bytes())?;
    for opening in &openings {
        file.put(format!("{}\n", opening.line).as_bytes())?;
    }
    file.commit()?;
    println!(
        "{} openings written to {}; rejected: {} unbalanced, {} duplicates, {} that ended early",
        openings.len(),
        args.out.display(),
        rejected.unbalanced,
        rejected.duplicates,
        rejected.unfinished
    );
    Ok(Outcome::Clean)
}

/// What the file says about itself. Lines that start with `#` are no openings.
fn header(args: &Args, engine: &Engine) -> String {
    format!(
        "# {} openings of {} to {} plies, seed {}, by {}: random moves within {} cp of the best of\n\
         # {} lines ({} nodes), ends within {} cp of even ({} nodes)\n",
        args.count,
        args.plies.from,
        args.plies.to,
        args.seed,
        engine.name(),
        args.spread,
        args.lines,
        args.move_nodes,
        args.max_cp,
        args.nodes
    )
}

/// Makes attempts, in the order of their numbers however many engines work on them, until there are
/// enough openings.
fn collect(args: &Args, engine: &Engine) -> Result<(Vec<Candidate>, Rejected)> {
    let mut openings = Vec::new();
    let mut seen = HashSet::new();
    let mut rejected = Rejected::default();
    let mut next = 0;
    while openings.len() < args.count {
        ensure!(
            next < PATIENCE * args.count,
            "only {} openings after {next} attempts ({rejected:?})",
            openings.len()
        );
        let batch = (args.count - openings.len()).max(args.concurrency as usize);
        for attempt in attempts(args, engine, next..next + batch)? {
            match attempt {
                Attempt::Unfinished => rejected.unfinished += 1,
                Attempt::Unbalanced => rejected.unbalanced += 1,
                Attempt::Found(found) if !seen.insert(found.key) => rejected.duplicates += 1,
                Attempt::Found(found) => openings.push(found),
            }
        }
        next += batch;
        eprintln!(
            "{} of {} openings after {next} attempts",
            openings.len().min(args.count),
            args.count
        );
    }
    openings.truncate(args.count);
    Ok((openings, rejected))
}

/// The attempts with these numbers, in order.
fn attempts(args: &Args, engine: &Engine, numbers: std::ops::Range<usize>) -> Result<Vec<Attempt>> {
    let mut attempts = Vec::new();
    pool::run(
        numbers,
        args.concurrency as usize,
        || Maker::start(engine, args),
        |maker, number| match maker {
            Ok(maker) => maker.attempt(number).map(|attempt| (number, attempt)),
            Err(error) => Err(anyhow::anyhow!("{error:#}")),
        },
        |attempt| {
            attempts.push(attempt?);
            Ok(ControlFlow::Continue(()))
        },
    )?;
    attempts.sort_by_key(|&(number, _)| number);
    Ok(attempts.into_iter().map(|(_, attempt)| attempt).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_plies() {
        let range = |from, to| PlyRange { from, to };
        assert_eq!(
            "16..24".parse::<PlyRange>().expect("a range"),
            range(16, 24)
        );
        assert_eq!("7".parse::<PlyRange>().expect("a number"), range(7, 7));
        for wrong in ["", "24..16", "a..b", "1.."] {
            assert!(wrong.parse::<PlyRange>().is_err(), "{wrong}");
        }
    }
}
