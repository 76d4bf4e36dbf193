//! Mate in one (一手詰め).

use crate::movegen::{All, Checks, MoveList};
use crate::{Move, Position};

impl Position {
    /// Every legal move that mates at once.
    pub fn mating_moves(&self) -> MoveList {
        let mut position = self.clone();
        let mut list = self.moves::<All<Checks>>();
        list.retain(|m| {
            let undo = position.do_move(*m);
            let mated = position.has_no_legal_move();
            position.undo_move(*m, &undo);
            mated
        });
        list
    }

    /// A move that mates at once, if there is one.
    pub fn mate_in_one(&self) -> Option<Move> {
        self.mating_moves().first().copied()
    }
}
