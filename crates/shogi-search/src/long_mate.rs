//! The search for long mates beside the search: a proof-number search from the root between two iterations.
//!
//! A forced mate of many plies hangs on checks alone, which proof-number search follows far deeper than an alpha-beta
//! search of the same time. It begins anew with more and more positions as the search goes on, so that it takes a
//! fixed part of all work, and ends for good once it is proven that checks do not mate.

use std::time::Duration;

use shogi_core::{Move, Position};
use shogi_mate::{Answer, MateLimits, SilentMateObserver, Solver, SolverOptions};

use crate::score::{MATE_IN_MAX_PLY, Score, mate_in};
use crate::{Control, Params};

/// Bytes of the solver's table: enough for the positions that it is given in a few seconds.
const TABLE_BYTES: usize = 8 << 20;

/// Most positions of an attempt, which is the last one then: a few seconds, and more than the table has room for.
const MOST_POSITIONS: u64 = 2_000_000;

/// The solver of the long mates of one search after another.
#[derive(Debug)]
pub(crate) struct LongMateSolver(Solver);

impl LongMateSolver {
    pub(crate) fn new() -> Self {
        Self(Solver::new(SolverOptions {
            hash_bytes: TABLE_BYTES,
            report_interval: None,
            ..SolverOptions::default()
        }))
    }
}

/// What is known about long mates from the root of one search.
#[derive(Debug, Default)]
pub(crate) struct LongMate {
    /// Positions that the last attempt was given.
    given: u64,
    /// It is decided whether there is a mate.
    is_settled: bool,
    /// The mate, from its first move to the last.
    line: Vec<Move>,
}

impl LongMate {
    /// The mate and its score, if one is found.
    pub(crate) fn found(&self) -> Option<(&[Move], Score)> {
        let line = &self.line[..];
        (!line.is_empty()).then(|| (line, mate_in(line.len())))
    }

    /// Tries to mate from `position`, whose side to move is not in check, if the search has visited enough positions
    /// since the last attempt: `nodes` so far. Gives up when `time` is over or the search is stopped.
    pub(crate) fn attempt(
        &mut self,
        solver: &mut Option<Box<LongMateSolver>>,
        position: &Position,
        nodes: u64,
        time: Option<Duration>,
        control: &Control,
        params: &Params,
    ) {
        let given = (nodes / params.mate_long_share as u64).min(MOST_POSITIONS);
        let least = (2 * self.given).max(params.mate_long_nodes as u64);
        if self.is_settled || given < least {
            return;
        }
        self.given = given;
        let limits = MateLimits {
            time,
            nodes: Some(given),
        };
        let LongMateSolver(solver) =
            &mut **solver.get_or_insert_with(|| Box::new(LongMateSolver::new()));
        let solution = solver.solve(
            position,
            &limits,
            control.stop_flag(),
            &mut SilentMateObserver,
        );
        match solution.answer {
            Answer::Mate(mate) => {
                self.is_settled = true;
                if mate_in(mate.moves.len()) >= MATE_IN_MAX_PLY {
                    self.line = mate.moves;
                }
            }
            Answer::NoMate => self.is_settled = true,
            Answer::Unknown(_) => {}
        }
    }
}
