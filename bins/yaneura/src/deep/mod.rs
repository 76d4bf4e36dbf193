//! The programs `yaneura deep …`: `bench` measures settings of the deep engine.

mod cli;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::CommandFactory as _;
use serde_json::json;
use shogi_core::{Game, Position};
use shogi_deep::{DeepModel, NetworkModel, PuctParams, PuctRun, PuctSearch};
use yane_cli::print;

use cli::{BenchArgs, DeepCli, DeepCommand};

/// The first word of the command.
const NAME: &str = "deep";
/// What each setting searches: the even start, and an opening.
const LINES: [&[&str]; 2] = [&[], &["7g7f", "8c8d", "2g2f", "8d8e", "8h7g", "3c3d"]];

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    DeepCli::command().name(NAME)
}

/// Runs the command that the program's arguments are, if it is this one and nothing else; `None` otherwise.
/// Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let cli: DeepCli = crate::parse_alone(words, NAME)?;
    let DeepCommand::Bench(args) = cli.command;
    let done = bench(&args).map(|()| ExitCode::SUCCESS);
    Some(done.unwrap_or_else(|error| yane_cli::fail("yaneura deep bench", &error)))
}

/// What was measured of a setting.
#[derive(Clone, Copy, Debug)]
struct Measured {
    threads: usize,
    batch: usize,
    playouts: f64,
    /// 0 without a queue.
    mean_batch: f64,
}

fn bench(args: &BenchArgs) -> anyhow::Result<()> {
    let mut measured: Vec<Measured> = Vec::new();
    let mut opened: Option<(usize, DeepModel)> = None;
    for (threads, batch) in args.settings() {
        // Settings of one batch have the same sessions.
        let model = match opened.take() {
            Some((of, model)) if of == batch => model,
            _ => {
                let model = open(args, batch)?;
                if !args.json && !args.quiet {
                    print::lines([model.description()])?;
                }
                model
            }
        };
        let here = measure(args, &model, threads, batch);
        opened = Some((batch, model));
        if args.json {
            print::json(&json!({
                "threads": threads,
                "batch": batch,
                "playouts_per_second": here.playouts,
                "mean_batch": here.mean_batch,
            }))?;
        } else if !args.quiet {
            print::lines([line(&here)])?;
        }
        measured.push(here);
    }
    let Some(best) = best(&measured) else {
        return Ok(());
    };
    if args.json {
        return Ok(print::json(
            &json!({ "best": { "threads": best.threads, "batch": best.batch } }),
        )?);
    }
    Ok(print::lines([
        format!("best: setoption name UCT_Threads value {}", best.threads),
        format!("      setoption name DNN_Batch_Size value {}", best.batch),
    ])?)
}

fn open(args: &BenchArgs, batch: usize) -> anyhow::Result<DeepModel> {
    let runtime = args.runtime(batch);
    let Some(path) = &args.model else {
        let bytes = NetworkModel::SMALL.to_vec();
        return Ok(DeepModel::open_bytes(bytes, &runtime)?);
    };
    DeepModel::open(path, &runtime).with_context(|| path.display().to_string())
}

/// Searches for a while with so many threads for each card.
fn measure(args: &BenchArgs, model: &DeepModel, threads: usize, batch: usize) -> Measured {
    let lanes = model.lanes(batch);
    let count = threads * args.cards() * lanes;
    let device = |number: usize| number / (threads * lanes);
    let mut evaluators: Vec<_> = (0..count)
        .map(|number| model.evaluator(batch, device(number)))
        .collect();
    let time = Duration::from_secs_f64(args.seconds / LINES.len() as f64);
    let queue = || {
        model
            .queue()
            .map(|queue| queue.counts())
            .unwrap_or_default()
    };
    let before = queue();
    let (mut playouts, mut elapsed) = (0, Duration::ZERO);
    for moves in LINES {
        let game = game_of(moves);
        let search = PuctSearch::new(game, PuctParams::default(), &mut evaluators[0]);
        let stop = AtomicBool::new(false);
        let run = PuctRun::new(u64::MAX, &stop).with_lanes(lanes);
        let begin = Instant::now();
        search.run_watched(&mut evaluators, &mut [], &run, || {
            if begin.elapsed() >= time {
                stop.store(true, Relaxed);
            }
        });
        playouts += run.playouts();
        elapsed += begin.elapsed();
    }
    let after = queue();
    let batches = after.batches - before.batches;
    Measured {
        threads,
        batch,
        playouts: playouts as f64 / elapsed.as_secs_f64(),
        mean_batch: (after.positions - before.positions) as f64 / batches.max(1) as f64,
    }
}

fn game_of(moves: &[&str]) -> Game {
    let mut game = Game::new(Position::startpos());
    for text in moves {
        if let Ok(m) = game.position().move_from_usi(text) {
            game.play_unchecked(m);
        }
    }
    game
}

fn line(measured: &Measured) -> String {
    let Measured {
        threads,
        batch,
        playouts,
        mean_batch,
    } = measured;
    let of_queue = if *mean_batch > 0.0 {
        format!(", {mean_batch:.1} positions a batch")
    } else {
        String::new()
    };
    format!("threads {threads:>3}, batch {batch:>4}: {playouts:>9.0} playouts/s{of_queue}")
}

/// The fastest; of those within three hundredths of it the one with the fewest playouts on their way.
fn best(measured: &[Measured]) -> Option<Measured> {
    let fastest = measured
        .iter()
        .map(|here| here.playouts)
        .fold(0.0, f64::max);
    let near = measured
        .iter()
        .filter(|here| here.playouts >= 0.97 * fastest);
    near.min_by_key(|here| here.threads * here.batch).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equals_the_one_with_less_on_its_way_is_best() {
        let of = |threads, batch, playouts| Measured {
            threads,
            batch,
            playouts,
            mean_batch: 0.0,
        };
        let found = best(&[of(4, 256, 1000.0), of(4, 128, 980.0), of(1, 1, 300.0)]).unwrap();
        assert_eq!((found.threads, found.batch), (4, 128));
        assert!(best(&[]).is_none());
        assert_eq!(LINES.map(|moves| game_of(moves).len()), [0, 6]);
        let text = line(&of(4, 128, 980.4));
        assert_eq!(text, "threads   4, batch  128:       980 playouts/s");
    }
}
