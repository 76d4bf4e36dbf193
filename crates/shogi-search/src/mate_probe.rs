//! The solver of short mates that a search asks.

use std::fmt::Debug;

use shogi_core::{Move, Position};
use shogi_mate::{LeafAnswer, LeafSolver};

// The solver of short mates.

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
pub(super) const SOLVER_BYTES: usize = 128 << 10;

/// The probe that a search uses unless it is told otherwise.
pub(crate) fn leaf_solver() -> Box<dyn MateProbe> {
    Box::new(LeafSolver::new(SOLVER_BYTES))
}

/// Makes a probe for a thread.
pub type MakeMateProbe = fn() -> Box<dyn MateProbe>;
