//! Where moves lead to, found out before they are taken.

use othello_core::Move;

use super::{CALLED_A1, Leads, Left, ORDER, Reached, Target, Walk};
use crate::Edge;
use crate::miner::Dialect;
use crate::miner::moves::edge;

impl<'a> Walk<'_, 'a> {
    /// Finds out where the moves behind the moves of a position lead to.
    pub(super) fn look_ahead(&mut self, left: Left) {
        let first = self.targets.len();
        let depth = self.stack.len() as u32 + 1;
        for n in left.first..left.first + left.count {
            if let Leads::To(_, reached, _) = self.targets[n].leads {
                let behind = self.expand(&reached, depth);
                if let Leads::To(_, _, left) = &mut self.targets[n].leads {
                    *left = behind;
                }
            }
        }
        self.look_up(first);
    }

    /// The move of a position that comes after so many: links, then the leaf if there is one.
    #[inline]
    fn next(&self, here: &Reached<'_>, taken: usize) -> Option<Edge> {
        let edge = edge(&here.found.record, taken)?;
        let skipped = self.options.dialect == Dialect::V1
            && taken == here.found.record.link_count()
            && edge.score == 0
            && edge.mv().map(|mv| here.back.turn(mv)) == Some(Move::Place(CALLED_A1));
        (!skipped).then_some(edge)
    }

    /// Appends the moves of a position that are left, not looked up yet.
    pub(super) fn expand(&mut self, here: &Reached<'a>, depth: u32) -> Left {
        let (taken, first) = (self.index.taken(here.found.slot), self.targets.len());
        if self.options.max_ply.is_none_or(|max| depth < max) {
            for n in taken.. {
                let Some(edge) = self.next(here, n) else {
                    break;
                };
                let mv = edge.mv().map(|mv| here.back.turn(mv));
                let after = mv.and_then(|mv| Some((mv, here.board.after(mv)?)));
                let leads = after.map_or(Leads::Illegal, |(mv, board)| {
                    let canonical = board.canonical_by(&ORDER);
                    // Found later; the position itself stands in for it.
                    let reached = Reached {
                        board,
                        back: canonical.back(),
                        text: if mv == Move::Pass { 0 } else { 2 },
                        ..*here
                    };
                    self.boards.push(canonical.board);
                    Leads::To(mv, reached, Left::default())
                });
                self.targets.push(Target { edge, leads });
            }
        }
        Left {
            taken,
            first,
            count: self.targets.len() - first,
        }
    }

    /// Looks up the positions that the moves from `first` on lead to.
    pub(super) fn look_up(&mut self, first: usize) {
        self.found.clear();
        self.index.find_many(&self.boards, &mut self.found);
        self.boards.clear();
        let mut found = self.found.iter();
        for target in &mut self.targets[first..] {
            if let Leads::To(mv, reached, _) = &mut target.leads {
                match found.next() {
                    Some(Some(found)) => reached.found = *found,
                    _ => target.leads = Leads::Nowhere(*mv, reached.board),
                }
            }
        }
    }
}
