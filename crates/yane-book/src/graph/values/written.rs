//! The moves of a solved node, for writing.

use shogi_core::movegen::LegalAll;
use shogi_core::{Move16, Position};

use super::{Kind, Solution, Values};
use crate::BookMove;
use crate::graph::order::customary_order;

impl Values {
    /// Puts the moves of `node` in `moves` in the customary order: those that lead on with what
    /// `solution` says of them, the `registered` others with what the book says, depth 0.
    pub(crate) fn moves(
        &self,
        solution: &Solution,
        node: u32,
        position: &Position,
        registered: &[BookMove],
        moves: &mut Vec<BookMove>,
    ) {
        let graph = &self.moves;
        let mut known_moves: Vec<(u32, BookMove)> = Vec::new();
        for m in position.moves::<LegalAll>() {
            let mv = Move16::from(m);
            let row = graph
                .range(node)
                .find(|&at| graph.mv[at] == mv && graph.kind[at] != Kind::Leaf);
            let known = if let Some(at) = row {
                solution.worth(graph, node, at).map(|worth| BookMove {
                    ponder: worth.ponder,
                    eval: worth.value,
                    depth: worth.depth.min(i32::MAX as u32) as i32,
                    ..BookMove::new(Some(mv))
                })
            } else {
                let leaf = registered.iter().find(|known| known.mv == Some(mv));
                leaf.map(|known| BookMove {
                    depth: 0,
                    count: 1,
                    ..*known
                })
            };
            known_moves.extend(known.map(|known| (customary_order(position, m), known)));
        }
        known_moves.sort_unstable_by_key(|&(place, _)| place);
        moves.extend(known_moves.into_iter().map(|(_, known)| known));
    }

    /// The best reply to the move `mv` of `node` if it leads to a position that is solved.
    pub(crate) fn reply(
        &self,
        solution: &Solution,
        node: u32,
        mv: Option<Move16>,
    ) -> Option<Move16> {
        let mut moves = self.moves.range(node);
        let at = moves.find(|&at| Some(self.moves.mv[at]) == mv)?;
        solution.best_move(&self.moves, self.moves.target(at)?)
    }
}
