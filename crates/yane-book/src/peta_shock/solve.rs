//! All steps, and what comes out.

use shogi_core::Move16;

use super::PetaShockReport;
use super::arena::Arena;
use super::constant::solve_constant;
use super::loops::{Loops, find_loops};
use super::outcome::{Outcome, PERPETUAL};
use super::sweep::{of_target, solve_cycles};
use crate::graph::NodeId;
use crate::{Job, Result, Unit};

/// A book with the outcome of every position.
#[derive(Debug)]
pub struct Solved {
    arena: Arena,
    outcomes: Vec<Outcome>,
    loops: Loops,
    constant: u64,
}

/// Finds the outcomes of all positions.
///
/// # Errors
/// When the job is cancelled.
pub fn solve(arena: Arena, job: &Job) -> Result<Solved> {
    let positions = arena.len() as u64;
    job.progress
        .stage("solve", Some(positions), Unit::Positions);
    let mut outcomes = vec![Outcome::WORST; arena.len()];
    let constant = solve_constant(&arena, &mut outcomes, job)?;
    let loops = find_loops(&arena, &constant);
    let constants = constant.count();
    if constants < positions {
        solve_cycles(&arena, &constant, &loops, &mut outcomes, job)?;
    }
    Ok(Solved {
        arena,
        outcomes,
        loops,
        constant: constants,
    })
}

impl Solved {
    /// The graph.
    pub const fn arena(&self) -> &Arena {
        &self.arena
    }

    /// What a position is worth to the side that moves into it.
    #[inline]
    pub fn outcome(&self, node: NodeId) -> Outcome {
        self.outcomes[node.index()]
    }

    /// Counts of the kinds of positions.
    pub(super) fn report(&self) -> PetaShockReport {
        PetaShockReport {
            constant: self.constant,
            in_check: self.arena.in_check().count(),
            loops_in_check: self.loops.in_check.count(),
            loops: self.loops.all.count(),
            ..PetaShockReport::default()
        }
    }

    /// The moves of a position, the best first, as they are written: of the moves that are worth as
    /// much as the best but take another number of plies the value is one less, so that a program
    /// that looks at values alone takes the best. With `shrink` only moves as good as the best are
    /// left.
    pub fn moves(&self, node: NodeId, shrink: bool, out: &mut Vec<(Move16, Outcome)>) {
        out.clear();
        out.extend(self.arena.moves(node).map(|(mv, target)| {
            let mut outcome = of_target(&self.outcomes, target);
            if let super::Target::Node(child) = target
                && self.loops.all.has(child)
                && self.arena.is_in_check(child)
            {
                outcome.depth = PERPETUAL;
            }
            (mv, outcome)
        }));
        out.sort_by(|(_, a), (_, b)| b.is_better_than(*a).cmp(&a.is_better_than(*b)));
        let Some(&(_, best)) = out.first() else {
            return;
        };
        if shrink {
            out.retain(|(_, outcome)| outcome.value == best.value);
        }
        for (_, outcome) in out {
            if outcome.value == best.value && outcome.depth != best.depth {
                outcome.value -= 1;
            }
        }
    }
}
