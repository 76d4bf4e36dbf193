//! `cargo xtask openings`: makes a file of balanced openings to start games from.
//!
//! An opening is random play: at each ply one of the moves that an engine finds nearly as good as its
//! best is chosen by chance. It is kept when a longer search finds its last position balanced, and no
//! opening before it ends in the same position. Everything depends on the seed, the settings and the
//! engine, so a file can be made again.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use shogi_core::{Game, Move, MoveText, Position};
use shogi_usi::client::EngineProcess;
use shogi_usi::{BestMove, GoCommand, Info, PvItem};
use yane_io::AtomicFile;

use crate::Outcome;
use crate::matches::openings::rng;
use crate::matches::player::{Engine, Setup, centipawns};
use crate::matches::pool;

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
    /// Largest score of the last position, in centipawns.
    #[arg(long, default_value_t = 80, value_name = "CP")]
    max_cp: i64,
    /// Centipawns by which a move may be worse than the best.
    #[arg(long, default_value_t = 100, value_name = "CP")]
    spread: i64,
    /// Number of moves to choose from at most.
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

/// Numbers of attempts without an opening, by reason.
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

/// The comment at the head of the file. Lines that start with `#` are no openings.
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

// One opening: random play among the good moves of an engine.

/// The time that an answer may take.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The outcome of an attempt.
#[derive(Debug)]
enum Attempt {
    Found(Candidate),
    /// The game was over before it was long enough, or its last position is a check.
    Unfinished,
    /// One side is ahead.
    Unbalanced,
}

/// An opening that is balanced.
#[derive(Debug)]
struct Candidate {
    /// The rest of a `position` command.
    line: String,
    /// Key of the last position: equal where moves transpose.
    key: u128,
}

/// Makes openings with a process of its own.
struct Maker<'a> {
    process: EngineProcess,
    args: &'a Args,
}

impl<'a> Maker<'a> {
    fn start(engine: &Engine, args: &'a Args) -> Result<Self> {
        let process = engine.start()?;
        ensure!(
            process.has_option("MultiPV"),
            "{} has no option MultiPV",
            process.name()
        );
        Ok(Self { process, args })
    }

    /// Makes the attempt with the given number.
    fn attempt(&mut self, number: usize) -> Result<Attempt> {
        let mut rng = rng(self.args.seed, number);
        let plies = rng.random_range(self.args.plies.from..=self.args.plies.to);
        self.process
            .set_option("MultiPV", &self.args.lines.to_string())?;
        // The engine forgets the last attempt, so that each depends on nothing but its number.
        self.process.get_ready(TIMEOUT)?;
        self.process.new_game()?;
        let mut game = Game::new(Position::startpos());
        let mut line = "startpos".to_owned();
        for ply in 0..plies {
            let Some(m) = self.choose(&game, &line, &mut rng)? else {
                return Ok(Attempt::Unfinished);
            };
            line += if ply == 0 { " moves " } else { " " };
            line += &m.to_string();
            game.play(m);
        }
        self.judge(game.position(), line)
    }

    /// One of the good moves; `None` when the engine plays none.
    fn choose(
        &mut self,
        game: &Game,
        line: &str,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Option<Move>> {
        let mut lines = Lines::default();
        let best = self.think(line, self.args.move_nodes, |info| lines.hear(info))?;
        if !matches!(best, BestMove::Move { .. }) {
            return Ok(None);
        }
        let good = lines.good(self.args.spread);
        Ok(good
            .choose(rng)
            .and_then(|&text| game.position().move_from_text(text)))
    }

    /// Returns whether the position after `line` is balanced.
    fn judge(&mut self, position: &Position, line: String) -> Result<Attempt> {
        if position.in_check() {
            return Ok(Attempt::Unfinished);
        }
        self.process.set_option("MultiPV", "1")?;
        let mut lines = Lines::default();
        self.think(&line, self.args.nodes, |info| lines.hear(info))?;
        let Some(score) = lines.best_score() else {
            return Ok(Attempt::Unfinished);
        };
        if score.abs() > self.args.max_cp {
            return Ok(Attempt::Unbalanced);
        }
        let key = position.key128();
        Ok(Attempt::Found(Candidate { line, key }))
    }

    fn think(&mut self, line: &str, nodes: u64, on_info: impl FnMut(&Info)) -> Result<BestMove> {
        let go = GoCommand {
            nodes: Some(nodes),
            ..GoCommand::default()
        };
        self.process.send_line(&format!("position {line}"))?;
        self.process.start(&go)?;
        Ok(self.process.wait(TIMEOUT, on_info)?.best)
    }
}

/// The lines of a search with several of them, each as it was told last.
#[derive(Debug, Default)]
struct Lines {
    /// Score in centipawns and first move by number of the line.
    lines: BTreeMap<u32, (i64, MoveText)>,
}

impl Lines {
    fn hear(&mut self, info: &Info) {
        let (Some(score), Some(PvItem::Move(first)), None) =
            (info.score, info.pv.first(), info.bound)
        else {
            return;
        };
        let line = (centipawns(score), *first);
        self.lines.insert(info.multi_pv.unwrap_or(1), line);
    }

    fn best_score(&self) -> Option<i64> {
        self.lines.values().map(|&(score, _)| score).max()
    }

    /// The moves at most `spread` worse than the best, each once.
    fn good(&self, spread: i64) -> Vec<MoveText> {
        let best = self.best_score().unwrap_or(0);
        let mut good: Vec<MoveText> = Vec::new();
        for &(score, first) in self.lines.values() {
            // A search that was interrupted may have named a move under two numbers.
            if score >= best - spread && !good.contains(&first) {
                good.push(first);
            }
        }
        good
    }
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

    fn hear(lines: &mut Lines, text: &str) {
        lines.hear(&Info::parse(text));
    }

    #[test]
    fn the_last_word_on_every_line_counts() {
        let mut lines = Lines::default();
        for text in [
            "depth 1 multipv 1 score cp 10 pv 7g7f",
            "depth 1 multipv 2 score cp 9 pv 2g2f",
            "depth 2 multipv 1 score cp 200 lowerbound pv 1g1f",
            "depth 2 multipv 1 score cp 50 pv 2g2f 8c8d",
            "depth 2 multipv 2 score cp -49 pv 7g7f",
            "depth 2 multipv 3 score cp -51 pv 9g9f",
            "depth 2 multipv 4 score cp 3 pv 7g7f",
            "depth 2 currmove 5g5f",
        ] {
            hear(&mut lines, text);
        }
        assert_eq!(lines.best_score(), Some(50));
        let good: Vec<String> = lines.good(100).iter().map(MoveText::to_string).collect();
        assert_eq!(good, ["2g2f", "7g7f"]);
    }

    #[test]
    fn nothing_heard_nothing_good() {
        assert!(Lines::default().good(100).is_empty());
        assert_eq!(Lines::default().best_score(), None);
    }
}
