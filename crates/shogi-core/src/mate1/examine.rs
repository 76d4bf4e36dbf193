//! The exact examination of one check: can it be answered?

use super::Mate;
use crate::attacks::{attacks, between, line, pawn_attacks};
use crate::color::Side;
use crate::{Bitboard, HandKind, Move, MoveClass, Square};

/// The board after the checking move.
struct After {
    /// Occupied squares.
    occupied: Bitboard,
    /// The square that the checking piece left; empty for a drop.
    left: Bitboard,
    /// What it attacked from there, seen through the king.
    lost: Bitboard,
    /// Where the checking piece stands.
    to: Square,
    /// The checking move.
    m: Move,
}

impl<S: Side> Mate<'_, S> {
    /// Whether the drop `m` of a piece of `class`, which checks, is mate.
    pub(super) fn drop_mates(&self, m: Move, class: MoveClass) -> bool {
        let after = After {
            occupied: self.occupied | m.to().into(),
            left: Bitboard::EMPTY,
            lost: Bitboard::EMPTY,
            to: m.to(),
            m,
        };
        !self.is_capturable(&after) && !self.has_flight(&after, class) && !self.is_blockable(&after)
    }

    /// Whether the board move `m` from `from`, after which the piece is a `class` and checks, is
    /// mate.
    pub(super) fn move_mates(&self, m: Move, from: Square, class: MoveClass) -> bool {
        let left = Bitboard::from_square(from);
        let before = m.piece_before().kind().move_class();
        let after = After {
            occupied: (self.occupied - left) | m.to().into(),
            left,
            lost: attacks(S::US, before, from, self.occupied - self.king.into()),
            to: m.to(),
            m,
        };
        !self.is_capturable(&after) && !self.has_flight(&after, class) && !self.is_blockable(&after)
    }

    /// Whether a piece other than the king may take the checking piece.
    #[inline(always)]
    fn is_capturable(&self, after: &After) -> bool {
        let takers = self
            .position
            .attackers_of(S::THEM, after.to, after.occupied)
            - self.king.into();
        takers.any() && self.any_may_take(after, takers)
    }

    /// Whether one of `takers` may take the checking piece without uncovering its king: it is not
    /// pinned, or along the very line to the checking piece.
    fn any_may_take(&self, after: &After, takers: Bitboard) -> bool {
        let pinned = self.pinned_after(after);
        (takers - (pinned - line(self.king, after.to))).any()
    }

    /// Pieces of the king's side that are pinned to it after the move.
    fn pinned_after(&self, after: &After) -> Bitboard {
        let snipers = self.position.snipers(S::THEM, self.king) - after.left;
        let mut pinned = Bitboard::EMPTY;
        snipers.for_each(|sniper| {
            let blocking = between(self.king, sniper) & after.occupied;
            if !blocking.has_several() {
                pinned |= blocking;
            }
        });
        pinned
    }

    /// Whether the king has a square to go to.
    #[inline(always)]
    fn has_flight(&self, after: &After, class: MoveClass) -> bool {
        let through_king = after.occupied - self.king.into();
        let attacked = attacks(S::US, class, after.to, through_king);
        let to = Bitboard::from_square(after.to);
        let flights = self.around - (self.position.color(S::THEM) - to) - attacked;
        let opens_a_line = (after.left & self.guards.slides).any();
        let shuts_a_line = self.guards.slides.contains(after.to);
        if !opens_a_line {
            // Free squares stay free, and those that only the moved piece attacked become so.
            let lone = after.lost - self.guards.twice;
            if (flights & ((self.free | lone) - to)).any() {
                return true;
            }
            if !shuts_a_line && (self.guards.twice.contains(after.to) || after.left.is_empty()) {
                return false;
            }
        }
        let mut rest = flights;
        while let Some(square) = rest.pop() {
            let guards = self.position.attackers_of(S::US, square, through_king) - after.left;
            if guards.is_empty() {
                return true;
            }
        }
        false
    }

    /// Whether something can be put between the king and the checking piece.
    #[inline(always)]
    fn is_blockable(&self, after: &After) -> bool {
        // Nothing is between neighbours, nor in the way of a knight.
        let squares = between(self.king, after.to);
        squares.any() && self.any_blocks(after, squares)
    }

    fn any_blocks(&self, after: &After, mut squares: Bitboard) -> bool {
        while let Some(square) = squares.pop() {
            if self.can_drop_on(after, square) {
                return true;
            }
            // The piece that was taken on `to` is still in the position's bitboards.
            let blockers = self.position.attackers_of(S::THEM, square, after.occupied)
                - self.king.into()
                - after.to.into();
            if blockers.any() && (blockers - self.pinned_after(after)).any() {
                return true;
            }
        }
        false
    }

    /// Whether the king's side holds a piece that may be dropped on any square.
    #[inline(always)]
    pub(super) fn blocks_anywhere(&self) -> bool {
        let hand = self.position.hand(S::THEM);
        hand.has(HandKind::Gold)
            || hand.has(HandKind::Silver)
            || hand.has(HandKind::Rook)
            || hand.has(HandKind::Bishop)
    }

    /// Whether the king's side may drop a piece on the empty `square`.
    fn can_drop_on(&self, after: &After, square: Square) -> bool {
        let hand = self.position.hand(S::THEM);
        let edge = square.rank().distance_to_edge(S::THEM);
        self.blocks_anywhere()
            || hand.has(HandKind::Knight) && edge >= 2
            || hand.has(HandKind::Lance) && edge >= 1
            || hand.has(HandKind::Pawn) && edge >= 1 && self.can_drop_pawn_on(after, square)
    }

    fn can_drop_pawn_on(&self, after: &After, square: Square) -> bool {
        let pawns = self.position.class_of(S::THEM, MoveClass::Pawn) - after.to.into();
        if (pawns & Bitboard::file(square.file())).any() {
            return false;
        }
        let checks_back = self
            .position
            .king(S::US)
            .is_some_and(|king| pawn_attacks(S::THEM, square).contains(king));
        // A pawn that answers the check with a check of its own must not be mate.
        !checks_back || {
            let mut position = self.position.clone();
            let _ = position.do_move(after.m);
            !position.drop_pawn_mates(square)
        }
    }
}
