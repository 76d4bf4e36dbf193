//! What generates moves: the positions' own methods.

use crate::color::{BlackSide, WhiteSide};
use crate::movegen::generator::Generator;
use crate::movegen::{AnyMove, GenKind, LegalAll, MoveCounter, MoveList, MoveSink};
use crate::{Bitboard, Color, MoveClass, Position};

impl Position {
    /// Generates the moves of kind `G` into `sink`, in no particular order.
    #[inline]
    pub fn generate<G: GenKind>(&self, sink: &mut impl MoveSink) {
        self.generate_to::<G>(Bitboard::ALL, sink);
    }

    /// Generates the moves of kind `G` that end on one of `targets`.
    #[inline]
    pub fn generate_to<G: GenKind>(&self, targets: Bitboard, sink: &mut impl MoveSink) {
        match self.side_to_move() {
            Color::Black => Generator::<BlackSide, G>::new(self, targets).run(sink),
            Color::White => Generator::<WhiteSide, G>::new(self, targets).run(sink),
        }
    }

    /// The moves of kind `G` as a list.
    ///
    /// ```
    /// use shogi_core::{Position, movegen::LegalAll};
    /// assert_eq!(Position::startpos().moves::<LegalAll>().len(), 30);
    /// ```
    pub fn moves<G: GenKind>(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate::<G>(&mut list);
        list
    }

    /// Number of moves of kind `G`, counted as sets without writing any down.
    #[inline]
    pub fn count_moves<G: GenKind>(&self) -> usize {
        let mut counter = MoveCounter::default();
        self.generate::<G>(&mut counter);
        counter.0
    }

    /// Returns whether the side to move has no legal move: it has lost.
    pub fn has_no_legal_move(&self) -> bool {
        // Nearly every position has a pawn that may go forward, which is soon seen.
        let us = self.side_to_move();
        let free = self.class_of(us, MoveClass::Pawn) - self.blockers();
        let goes = !self.in_check() && (free.forward(us) - self.color(us)).any();
        if goes {
            return false;
        }
        let mut found = AnyMove::default();
        self.generate::<LegalAll>(&mut found);
        !found.0
    }

    /// Returns whether the side to move is checkmated.
    pub fn is_mated(&self) -> bool {
        self.in_check() && self.has_no_legal_move()
    }
}
