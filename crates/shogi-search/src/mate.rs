//! Short mates at the nodes of the search.

use shogi_core::Move;
use shogi_eval::Evaluator;

use crate::worker::{MATE_IN_MAX_PLY, Worker, mate_in};

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
