//! Where moves lead to, found out before they are taken.
//!
//! Finding a position is waiting for memory: a line of the hash, a slot, a record, each of which says where the next
//! is. So moves are looked up many at a time. When the walk comes to a position whose moves it does not know yet, it
//! finds out about those of the next few positions on its way too, as far as it can see where it will go.

use othello_core::Move;

use super::{CALLED_A1, Leads, Left, ORDER, Reached, Walk};
use crate::Edge;
use crate::miner::Dialect;
use crate::miner::moves::edge;
use crate::store::Finding;

/// Positions whose moves are looked up together.
const TOGETHER: usize = 16;

/// A move of a position, and where it leads.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) edge: Edge,
    pub(super) leads: Leads<'a>,
}

/// The moves of the positions that the walk is about to come to.
#[derive(Default)]
pub(super) struct Ahead<'a> {
    /// Those of a position stand side by side.
    targets: Vec<Target<'a>>,
    /// Places of `targets` that are free again, by how many they are.
    free: Vec<Vec<u32>>,
    /// Targets whose moves are not known yet. The last is the one that the walk comes to first.
    open: Vec<Open>,
    /// Room for the moves of one position.
    row: Vec<Target<'a>>,
    /// What is looked up, and which targets these are.
    finding: Finding<'a>,
    asked: Vec<Open>,
}

/// A target whose moves are not known yet.
#[derive(Clone, Copy)]
struct Open {
    target: u32,
    /// How many plies from the start the position behind it is.
    depth: u32,
}

impl<'a> Ahead<'a> {
    /// Only the start, whose place it gives.
    pub(super) fn start(&mut self, start: Reached<'a>) -> usize {
        self.row.push(Target {
            edge: Edge::NO_LEAF,
            leads: Leads::To(Move::Pass, start, None),
        });
        let target = self.put();
        self.open.push(Open { target, depth: 0 });
        target as usize
    }

    /// The move of a position, of those that were left, by number.
    #[inline]
    pub(super) fn target(&self, left: Left, n: usize) -> &Target<'a> {
        &self.targets[left.first as usize + n]
    }

    /// Puts the moves of `row` somewhere.
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

    /// Forgets moves, and those behind them that were found out for nothing.
    pub(super) fn forget(&mut self, left: Left) {
        let count = usize::from(left.count);
        for n in 0..count {
            if let Leads::To(_, _, Some(behind)) = self.target(left, n).leads {
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

impl<'a> Walk<'_, 'a> {
    /// The position that a target leads to, with its moves, which are the walk's from here on.
    pub(super) fn arrive(&mut self, target: usize) -> Option<(Reached<'a>, Left)> {
        if let Leads::To(_, _, None) = self.ahead.targets[target].leads {
            self.look_ahead(target as u32);
        }
        let Leads::To(_, reached, left) = &mut self.ahead.targets[target].leads else {
            return None;
        };
        Some((*reached, left.replace(Left::default())?))
    }

    /// Finds out where the moves of the position behind a target lead to, and those of the next ones.
    fn look_ahead(&mut self, target: u32) {
        // What lies before it was passed over.
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
        let Ahead {
            targets,
            open,
            finding,
            asked,
            ..
        } = &mut self.ahead;
        let found = finding.finish(self.index).iter().rev();
        for (asked, found) in asked.drain(..).rev().zip(found) {
            let leads = &mut targets[asked.target as usize].leads;
            match (leads, found) {
                (Leads::To(_, reached, _), Some(found)) => {
                    reached.found = *found;
                    open.push(asked);
                }
                (leads, _) => {
                    if let Leads::To(mv, reached, _) = leads {
                        *leads = Leads::Nowhere(*mv, reached.board);
                    }
                }
            }
        }
    }

    /// The move of a position that comes after so many: links, then the leaf if there is one.
    #[inline]
    fn next(&self, here: &Reached<'_>, taken: usize) -> Option<Edge> {
        let edge = edge(&here.found.record, taken)?;
        let skipped = self.options.dialect == Dialect::V1
            && taken == here.found.record.link_count()
            && edge.score == 0
            && edge.mv().map(|mv| here.back.apply(mv)) == Some(Move::Place(CALLED_A1));
        (!skipped).then_some(edge)
    }

    /// Notes the moves of a position that are left, to be looked up.
    fn expand(&mut self, open: Open) {
        let Leads::To(_, here, _) = self.ahead.targets[open.target as usize].leads else {
            return;
        };
        let taken = self.index.taken(here.found.slot);
        let depth = open.depth + 1;
        let asked = self.ahead.asked.len();
        if self.options.max_ply.is_none_or(|max| open.depth < max) {
            for n in taken.. {
                let Some(edge) = self.next(&here, n) else {
                    break;
                };
                let mv = edge.mv().map(|mv| here.back.apply(mv));
                let after = mv.and_then(|mv| Some((mv, here.board.after(mv)?)));
                let ahead = &mut self.ahead;
                let leads = after.map_or(Leads::Illegal, |(mv, board)| {
                    let canonical = board.canonical_by(&ORDER);
                    // Found later; the position itself stands in for it.
                    let reached = Reached {
                        board,
                        back: canonical.back(),
                        text: if mv == Move::Pass { 0 } else { 2 },
                        ..here
                    };
                    ahead.finding.ask(self.index, canonical.board);
                    let target = ahead.row.len() as u32;
                    ahead.asked.push(Open { target, depth });
                    Leads::To(mv, reached, None)
                });
                ahead.row.push(Target { edge, leads });
            }
        }
        let count = self.ahead.row.len() as u16;
        let first = if count > 0 { self.ahead.put() } else { 0 };
        for asked in &mut self.ahead.asked[asked..] {
            asked.target += first;
        }
        if let Leads::To(_, _, left) = &mut self.ahead.targets[open.target as usize].leads {
            *left = Some(Left {
                taken: taken as u16,
                first,
                count,
            });
        }
    }
}
