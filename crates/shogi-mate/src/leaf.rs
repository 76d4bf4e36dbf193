//! A small solver for use inside another search.

use shogi_core::{Move, Position};

/// What [`LeafSolver::solve`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafAnswer {
    /// The side to move mates by force.
    Mate {
        /// The first move.
        first: Move,
        /// The mate takes at most this many plies (odd).
        plies: u32,
    },
    /// It is proven that an unbroken series of checks does not mate.
    NoMate,
    /// Not decided within the limit.
    Unknown,
}

/// Solves with few nodes and no memory of its own but a small fixed table: for the root and near the
/// leaves of another search.
#[derive(Debug, Default)]
pub struct LeafSolver {}

impl LeafSolver {
    /// A solver with a table of about `bytes` bytes.
    pub fn new(_bytes: usize) -> Self {
        Self {}
    }

    /// Looks for a mate by the side to move with at most `max_nodes` moves made. The position is
    /// given back as it was.
    pub fn solve(&mut self, position: &mut Position, _max_nodes: u64) -> LeafAnswer {
        match position.mate_in_one() {
            Some(first) => LeafAnswer::Mate { first, plies: 1 },
            None => LeafAnswer::Unknown,
        }
    }
}
