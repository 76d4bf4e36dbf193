//! `probcut`: how sure shallow searches are with an evaluation.

use std::process::ExitCode;

use anyhow::Context as _;
use othello_core::{Board, State};
use othello_search::{Control, ProbCut};
use serde_json::json;
use splitmix::SplitMix64;
use yane_cli::{Settings, print};
use yane_io::Unit;

use crate::args::ProbCutArgs;
use crate::protocol::searcher;

pub(crate) fn fit(args: &ProbCutArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let job = settings.job()?;
    let mut searcher = searcher(&args.engine, 1)?;
    let control = Control::with_stop(job.cancelled.clone());
    let mut random = SplitMix64::new(args.seed);
    job.progress
        .stage("searching", Some(args.positions), Unit::Positions);
    let mut samples = Vec::new();
    for n in 0..args.positions {
        // Every stage of the game alike.
        let empties = args.depth + 1 + (n % u64::from(60 - args.depth - 4)) as u32;
        let board = random_board(&mut random, empties);
        searcher.clear();
        samples.extend(searcher.prob_cut_samples(board, args.depth, &control));
        job.check()?;
        job.progress.advance(1);
    }
    let fitted = ProbCut::fit(&samples).context("too few positions to fit four numbers")?;
    drop(job);
    let [constant, empties, depth, probe] = fitted.parameters;
    if settings.json {
        let parameters =
            json!({ "constant": constant, "empties": empties, "depth": depth, "probe": probe });
        print::json(&json!({ "samples": samples.len(), "parameters": parameters }))?;
        return Ok(ExitCode::SUCCESS);
    }
    print::lines([
        format!("{} samples", samples.len()),
        format!(
            "deviation = exp({constant:.4} {empties:+.4} * empties {depth:+.4} * depth {probe:+.4} * probe) discs"
        ),
    ])?;
    Ok(ExitCode::SUCCESS)
}

/// A board of random play with so many empty squares, on which the game is not over.
fn random_board(random: &mut SplitMix64, empties: u32) -> Board {
    loop {
        let mut board = Board::START;
        while board.empty().len() > empties {
            match board.state() {
                State::Moves => {
                    let moves = board.legal_moves();
                    let n = random.next_u64() % u64::from(moves.len());
                    if let Some(square) = moves.iter().nth(n as usize) {
                        board = board.play_legal(square);
                    }
                }
                State::Pass => board = board.passed(),
                State::Over => break,
            }
        }
        if board.empty().len() == empties && board.state() == State::Moves {
            return board;
        }
    }
}
