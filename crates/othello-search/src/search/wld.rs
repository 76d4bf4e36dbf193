//! Win, loss or draw (WLD): the search to the end that may follow a search of the midgame, in a window that tells no more than
//! who wins.

use std::ops::ControlFlow;

use othello_core::{Move, Square};
use yane_clock::Instant;

use super::Root;
use crate::api::{SearchLine, Selectivity};

/// The window of a search for win, loss or draw.
const WINDOW: [i32; 2] = [-1, 1];

/// The selectivities of the searches before the one that is wanted, which order its moves.
const STEPS: [Selectivity; 2] = [Selectivity::P74, Selectivity::P95];

impl Root<'_, '_> {
    /// Decides the move of a line by searches for win, loss or draw: a move that wins, or else one that draws, takes the place of
    /// the line's; where all lose, the line stays. Its score agrees with the outcome afterwards. `Break` if the search was stopped;
    /// then the last search that ended counts.
    pub(super) fn decide(
        &mut self,
        line: &mut SearchLine,
        wanted: Selectivity,
        moves: Option<&[Square]>,
    ) -> ControlFlow<()> {
        let searched = line.clone();
        let empties = self.board.empty().len();
        let before = STEPS.into_iter().filter(|&step| step < wanted);
        for selectivity in before.chain([wanted]) {
            let enough = self.worker.shared.limits.enough;
            if enough.is_some_and(|enough| Instant::now() >= enough) {
                return ControlFlow::Break(());
            }
            self.worker.selectivity = selectivity;
            let mut children = self.worker.variation_moves(self.board, empties, 0);
            if let Some(moves) = moves {
                children.retain(|child| moves.contains(&child.square));
            }
            let first = line.squares().next();
            if let Some(at) = children
                .iter()
                .position(|child| Some(child.square) == first)
            {
                children[..=at].rotate_right(1);
            }
            let mut pv = Vec::new();
            let (best, score) = self
                .worker
                .best_of(self.board, &children, WINDOW, empties, &mut pv);
            if self.worker.is_stopped() {
                return ControlFlow::Break(());
            }
            let Some(best) = best.map(Move::Place) else {
                return ControlFlow::Continue(());
            };
            *line = match score {
                ..=-1 => searched.clone().at_most(score),
                1.. if best == searched.best => searched.clone().at_least(score),
                _ => SearchLine {
                    best,
                    score,
                    tenths: 10 * score,
                    depth: empties,
                    selectivity,
                    // The score of a win is a lower bound.
                    is_exact: score == 0 && selectivity == Selectivity::Exact,
                    pv,
                },
            };
        }
        let nodes = self.worker.tell_nodes();
        self.observer.line(0, line, nodes, self.start.elapsed());
        ControlFlow::Continue(())
    }
}
