//! Lookahead: the targets of edges, resolved in batches.
//!
//! A lookup waits for memory: a cache line of the hash, a slot, a record, each of which locates the next. So edges are
//! resolved many at a time. When the search enters a position whose edges are unresolved, it resolves those of the next
//! few positions on its way too.

use othello_core::Move;

use crate::Edge;
use crate::miner::Dialect;
use crate::miner::depth_first::{CALLED_A1, DepthFirst, MoveTarget, Node, ORDER, RemainingMoves};
use crate::miner::judge::edge;
use crate::store::BatchLookup;

/// The number of positions whose edges are resolved together.
const TOGETHER: usize = 16;

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
    targets: Vec<ResolvedMove<'a>>,
    /// Free ranges of `targets`, by length.
    free: Vec<Vec<u32>>,
    /// Targets whose edges are unresolved. The last is the one that the search enters first.
    open: Vec<PendingNode>,
    /// A buffer for the edges of one position.
    row: Vec<ResolvedMove<'a>>,
    /// The pending lookups, and their targets.
    lookup: BatchLookup<'a>,
    queued: Vec<PendingNode>,
}

/// A target whose edges are unresolved.
#[derive(Clone, Copy)]
struct PendingNode {
    target: u32,
    /// The depth of the position behind it, from the start.
    depth: u32,
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
    fn put(&mut self) -> u32 {
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

impl<'a> DepthFirst<'_, 'a> {
    /// Takes the position behind a target, with its remaining edges.
    pub(super) fn arrive(&mut self, target: usize) -> Option<(Node<'a>, RemainingMoves)> {
        if let MoveTarget::To(_, _, None) = self.ahead.targets[target].leads {
            self.look_ahead(target as u32);
        }
        let MoveTarget::To(_, reached, left) = &mut self.ahead.targets[target].leads else {
            return None;
        };
        Some((*reached, left.replace(RemainingMoves::default())?))
    }

    /// Resolves the edges of the position behind a target, and those of the next ones.
    fn look_ahead(&mut self, target: u32) {
        // Those before it were skipped.
        while self
            .ahead
            .open
            .last()
            .is_some_and(|open| open.target != target)
        {
            self.ahead.open.pop();
        }
        let rest = self.ahead.open.len().saturating_sub(TOGETHER);
        for n in (rest..self.ahead.open.len()).rev() {
            let open = self.ahead.open[n];
            self.expand(open);
        }
        self.ahead.open.truncate(rest);
        let Lookahead {
            targets,
            open,
            lookup,
            queued,
            ..
        } = &mut self.ahead;
        let found = lookup.resolve(self.index).iter().rev();
        for (queued, found) in queued.drain(..).rev().zip(found) {
            let leads = &mut targets[queued.target as usize].leads;
            match (leads, found) {
                (MoveTarget::To(_, reached, _), Some(found)) => {
                    reached.found = *found;
                    open.push(queued);
                }
                (leads, _) => {
                    if let MoveTarget::To(mv, reached, _) = leads {
                        *leads = MoveTarget::Nowhere(*mv, reached.board);
                    }
                }
            }
        }
    }

    /// The edge of a position at an index: links, then the leaf if there is one.
    #[inline]
    fn next(&self, here: &Node<'_>, taken: usize) -> Option<Edge> {
        let edge = edge(&here.found.record, taken)?;
        let skipped = self.options.dialect == Dialect::V1
            && taken == here.found.record.link_count()
            && edge.score == 0
            && edge.mv().map(|mv| here.back.apply(mv)) == Some(Move::Place(CALLED_A1));
        (!skipped).then_some(edge)
    }

    /// Queues lookups of the remaining edges of a position.
    fn expand(&mut self, open: PendingNode) {
        let MoveTarget::To(_, here, _) = self.ahead.targets[open.target as usize].leads else {
            return;
        };
        let taken = self.index.taken(here.found.slot);
        let depth = open.depth + 1;
        let queued = self.ahead.queued.len();
        if self.options.max_ply.is_none_or(|max| open.depth < max) {
            for n in taken.. {
                let Some(edge) = self.next(&here, n) else {
                    break;
                };
                let mv = edge.mv().map(|mv| here.back.apply(mv));
                let after = mv.and_then(|mv| Some((mv, here.board.after(mv)?)));
                let ahead = &mut self.ahead;
                let leads = after.map_or(MoveTarget::Illegal, |(mv, board)| {
                    let canonical = board.canonical_by(&ORDER);
                    // Set by the lookup; the position itself is a placeholder.
                    let reached = Node {
                        board,
                        back: canonical.back(),
                        text: if mv == Move::Pass { 0 } else { 2 },
                        ..here
                    };
                    ahead.lookup.push(self.index, canonical.board);
                    let target = ahead.row.len() as u32;
                    ahead.queued.push(PendingNode { target, depth });
                    MoveTarget::To(mv, reached, None)
                });
                ahead.row.push(ResolvedMove { edge, leads });
            }
        }
        let count = self.ahead.row.len() as u16;
        let first = if count > 0 { self.ahead.put() } else { 0 };
        for queued in &mut self.ahead.queued[queued..] {
            queued.target += first;
        }
        if let MoveTarget::To(_, _, left) = &mut self.ahead.targets[open.target as usize].leads {
            *left = Some(RemainingMoves {
                taken: taken as u16,
                first,
                count,
            });
        }
    }
}
