//! A small solver for use inside another search.

use std::sync::Arc;

use shogi_core::{Move, Position};

use crate::dfpn::{ANY_LENGTH, NO_REPETITION, Poll, Searcher, Tables, View};

/// The answer of [`LeafSolver::solve`].
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

/// Solves with few nodes and a small fixed table: for the root and near the leaves of another search.
///
/// After the first calls it allocates nothing.
#[derive(Debug)]
pub struct LeafSolver {
    tables: Arc<Tables>,
    searcher: Searcher,
}

/// Stops at a number of nodes.
struct NodeLimit(u64);

impl Poll for NodeLimit {
    fn poll(&self, view: &View<'_>) -> Option<u64> {
        (view.nodes < self.0).then_some(self.0)
    }
}

impl LeafSolver {
    /// A solver with a table of about `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        let tables = Arc::new(Tables::new(bytes, false));
        Self {
            searcher: Searcher::new(Arc::clone(&tables)),
            tables,
        }
    }

    /// Looks for a mate by the side to move with at most about `max_nodes` moves made.
    pub fn solve(&mut self, position: &Position, max_nodes: u64) -> LeafAnswer {
        let attacker = position.side_to_move();
        if position.king(attacker.flip()).is_none() {
            return LeafAnswer::NoMate;
        }
        if let Some(first) = position.mate_in_one() {
            return LeafAnswer::Mate { first, plies: 1 };
        }
        self.tables.clear();
        self.searcher.set_up(position, attacker, false);
        let outcome = self.searcher.search_anew(ANY_LENGTH, &NodeLimit(max_nodes));
        if outcome.pn == 0 {
            return self
                .searcher
                .first_move(outcome.length)
                .map_or(LeafAnswer::Unknown, |first| LeafAnswer::Mate {
                    first,
                    plies: u32::from(outcome.length),
                });
        }
        if outcome.dn == 0 && outcome.repetition == NO_REPETITION {
            LeafAnswer::NoMate
        } else {
            LeafAnswer::Unknown
        }
    }
}
