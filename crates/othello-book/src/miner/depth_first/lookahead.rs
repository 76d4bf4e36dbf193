//! Lookahead: the targets of edges, resolved in batches.
//!
//! A lookup waits for memory: a cache line of the hash, a slot, a record, each of which locates the next. So edges are
//! resolved many at a time. When the search enters a position whose edges are unresolved, it resolves those of the next
//! few positions on its way too.

use othello_core::Move;

use crate::Edge;
use crate::miner::depth_first::{MoveTarget, Node, RemainingMoves};
use crate::store::BatchLookup;

/// The number of positions whose edges are resolved together.
pub(super) const TOGETHER: usize = 16;

/// An edge of a position, and its target.
#[derive(Clone, Copy)]
pub(super) struct ResolvedMove<'a> {
    pub(super) edge: Edge,
    pub(super) leads: MoveTarget<'a>,
}

/// The edges of the positions ahead of the search.
#[derive(Default)]
pub(super) struct Lookahead<'a> {
    /// Resolved edges; those of a position are adjacent.
    pub(super) targets: Vec<ResolvedMove<'a>>,
    /// Free ranges of `targets`, by length.
    pub(super) free: Vec<Vec<u32>>,
    /// Targets whose edges are unresolved. The last is the one that the search enters first.
    pub(super) open: Vec<PendingNode>,
    /// A buffer for the edges of one position.
    pub(super) row: Vec<ResolvedMove<'a>>,
    /// The pending lookups, and their targets.
    pub(super) lookup: BatchLookup<'a>,
    pub(super) queued: Vec<PendingNode>,
}

/// A target whose edges are unresolved.
#[derive(Clone, Copy)]
pub(super) struct PendingNode {
    pub(super) target: u32,
    /// The depth of the position behind it, from the start.
    pub(super) depth: u32,
}

impl<'a> Lookahead<'a> {
    /// Adds the start position and returns its target.
    pub(super) fn start(&mut self, start: Node<'a>) -> usize {
        self.row.push(ResolvedMove {
            edge: Edge::NO_LEAF,
            leads: MoveTarget::To(Move::Pass, start, None),
        });
        let target = self.put();
        self.open.push(PendingNode { target, depth: 0 });
        target as usize
    }

    /// The remaining edge of a position at an index.
    #[inline]
    pub(super) fn target(&self, left: RemainingMoves, n: usize) -> &ResolvedMove<'a> {
        &self.targets[left.first as usize + n]
    }

    /// Stores the edges of `row`.
    pub(super) fn put(&mut self) -> u32 {
        let count = self.row.len();
        let free = self.free.get_mut(count).and_then(Vec::pop);
        let Some(first) = free else {
            let first = self.targets.len() as u32;
            self.targets.append(&mut self.row);
            return first;
        };
        let place = &mut self.targets[first as usize..][..count];
        place
            .iter_mut()
            .zip(self.row.drain(..))
            .for_each(|(a, b)| *a = b);
        first
    }

    /// Frees edges, and unused ones behind them.
    pub(super) fn forget(&mut self, left: RemainingMoves) {
        let count = usize::from(left.count);
        for n in 0..count {
            if let MoveTarget::To(_, _, Some(behind)) = self.target(left, n).leads {
                self.forget(behind);
            }
        }
        if count > 0 {
            if self.free.len() <= count {
                self.free.resize_with(count + 1, Vec::new);
            }
            self.free[count].push(left.first);
        }
    }
}
