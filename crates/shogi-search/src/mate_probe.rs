//! Where a solver of short mates comes in.

use std::fmt::Debug;

use shogi_core::{Move, Position};
use shogi_eval::Evaluator;
use shogi_mate::{LeafAnswer, LeafSolver};

use crate::worker::{MATE_IN_MAX_PLY, Worker, mate_in};

/// Looks for short mates on behalf of one searching thread: at the root and where nodes are first
/// met. It must not allocate when it is called again and again.
pub trait MateProbe: Debug + Send {
    /// A mate by the side to move, which is not in check, found within about `nodes` positions: its
    /// first move and how many plies it takes at most. Never a mate that is none.
    fn probe(&mut self, position: &Position, nodes: u32) -> Option<(Move, u32)>;
}

impl MateProbe for LeafSolver {
    fn probe(&mut self, position: &Position, nodes: u32) -> Option<(Move, u32)> {
        match self.solve(position, u64::from(nodes)) {
            LeafAnswer::Mate { first, plies } => Some((first, plies)),
            LeafAnswer::NoMate | LeafAnswer::Unknown => None,
        }
    }
}

/// Bytes of a solver's table: small enough to stay in the cache.
const SOLVER_BYTES: usize = 128 << 10;

/// The probe that a search uses unless it is told otherwise.
pub(crate) fn leaf_solver() -> Box<dyn MateProbe> {
    Box::new(LeafSolver::new(SOLVER_BYTES))
}

/// Makes a probe for a thread.
pub type MakeMateProbe = fn() -> Box<dyn MateProbe>;

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The first move and the score of a mate from the node at `ply`, if the probe finds one within
    /// `nodes` positions.
    pub(crate) fn probe_mate(&mut self, ply: usize, nodes: i32) -> Option<(Move, i32)> {
        let probe = self.mate_probe.as_deref_mut()?;
        if nodes <= 0 {
            return None;
        }
        let position = self.game.position();
        let (first, plies) = probe.probe(position, nodes as u32)?;
        debug_assert!(position.is_legal(first));
        let score = mate_in(ply + plies as usize);
        (score >= MATE_IN_MAX_PLY).then_some((first, score))
    }
}
