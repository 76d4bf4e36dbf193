//! `probcut`: how sure shallow searches are with an evaluation.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use othello_core::{Board, State};
use othello_eval::Evaluator;
use othello_search::{Control, ProbCut};
use serde_json::json;
use yane_base::random::SplitMix64;
use yane_cli::{Settings, print};
use yane_io::Unit;

use crate::args::ProbCutArgs;
use crate::print::counted;
use crate::protocol::searcher;
use crate::settings::EngineSettings;

pub(crate) fn fit(args: &ProbCutArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let job = settings.job()?;
    let mut searcher = searcher(&args.search, &EngineSettings::default(), 1)?;
    let control = Control::with_stop(job.cancelled.clone());
    let mut random = SplitMix64::new(args.seed);
    job.progress
        .stage("searching", Some(args.positions), Unit::Positions);
    let mut samples = Vec::new();
    for n in 0..args.positions {
        // Every stage of the game alike.
        let empties = args.depth + 1 + (n % u64::from(60 - args.depth - 4)) as u32;
        let weights = Arc::clone(searcher.weights());
        let board = board_of_game(&mut random, weights.main(), empties);
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
        counted(samples.len() as u64, "sample", "samples"),
        format!(
            "deviation = exp({constant:.4} {empties:+.4} * empties {depth:+.4} * depth {probe:+.4} * probe) discs"
        ),
    ])?;
    Ok(ExitCode::SUCCESS)
}

/// A board with so many empty squares from a game, on which somebody can move: first random moves, then mostly the best
/// ones of the evaluation, as searches meet balanced boards and lopsided ones.
fn board_of_game(random: &mut SplitMix64, evaluator: &Evaluator, empties: u32) -> Board {
    loop {
        let mut board = Board::START;
        let random_moves = 1 + random.next_u64() % u64::from(60 - empties);
        let good = 60 - random_moves as u32;
        while board.empty().len() > empties {
            match board.state() {
                State::Moves => {
                    let moves = board.legal_moves();
                    let is_random =
                        board.empty().len() > good || random.next_u64().is_multiple_of(10);
                    let square = if is_random {
                        let n = random.next_u64() % u64::from(moves.len());
                        moves.iter().nth(n as usize)
                    } else {
                        let value = |&square: &_| evaluator.evaluate(board.play_unchecked(square));
                        moves.iter().min_by_key(value)
                    };
                    if let Some(square) = square {
                        board = board.play_unchecked(square);
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
