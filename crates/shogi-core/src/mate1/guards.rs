//! Which neighbours of the king the side to move attacks, and which of them more than once.

use crate::attacks::{bishop_attacks, lance_attacks, rook_attacks, step_attacks};
use crate::color::Side;
use crate::movegen::Reach;
use crate::{Bitboard, MoveClass, Position, Square};

/// Attacks on the neighbours of the king that is to be mated.
pub(super) struct Guards {
    /// Neighbours that the side to move attacks.
    pub(super) once: Bitboard,
    /// Neighbours that it attacks with two pieces or more.
    pub(super) twice: Bitboard,
    /// All that its sliders attack, seen through the king, of those that attack any neighbour. A
    /// piece that leaves one of these squares opens a line, one that arrives shuts one.
    pub(super) slides: Bitboard,
}

impl Guards {
    #[inline(always)]
    pub(super) fn new<S: Side>(position: &Position, king: Square, around: Bitboard) -> Self {
        let class = |class: MoveClass| position.class(class);
        let own = position.color(S::US);
        let reach = Reach::of(king);
        let mut guards = Self {
            once: Bitboard::EMPTY,
            twice: Bitboard::EMPTY,
            slides: Bitboard::EMPTY,
        };

        let only_sliders =
            class(MoveClass::Lance) | class(MoveClass::Bishop) | class(MoveClass::Rook);
        (own & (reach.steps(S::THEM) - only_sliders)).for_each(|from| {
            if let Some(piece) = position.piece_on(from) {
                let attacked = step_attacks(S::US, piece.kind().move_class(), from);
                guards.add(attacked & around);
            }
        });

        let diagonal = (class(MoveClass::Bishop) | class(MoveClass::Horse)) & reach.diagonal();
        let straight = (class(MoveClass::Rook) | class(MoveClass::Dragon)) & reach.straight();
        let lances = class(MoveClass::Lance) & reach.lances(S::THEM);
        if ((diagonal | straight | lances) & own).any() {
            let occupied = position.occupied() - king.into();
            let mut add = |attacked: Bitboard| {
                guards.slides |= attacked;
                guards.add(attacked & around);
            };
            (diagonal & own).for_each(|from| add(bishop_attacks(from, occupied)));
            (straight & own).for_each(|from| add(rook_attacks(from, occupied)));
            (lances & own).for_each(|from| add(lance_attacks(S::US, from, occupied)));
        }
        guards
    }

    #[inline(always)]
    fn add(&mut self, attacked: Bitboard) {
        self.twice |= self.once & attacked;
        self.once |= attacked;
    }
}
