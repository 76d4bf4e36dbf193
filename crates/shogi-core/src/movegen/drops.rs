//! Drops, and the drop-pawn mate (打ち歩詰め) that is not allowed.

use super::MoveSink;
use crate::attacks::{king_attacks, line, pawn_attacks};
use crate::color::{BlackSide, Side, WhiteSide};
use crate::{Bitboard, Color, HandKind, MoveClass, PieceKind, Position, Square};

/// All drops on `targets`, which are empty squares; `narrow` gives the squares that are wanted for
/// each way of moving.
#[inline(always)]
pub(super) fn generate<S: Side>(
    position: &Position,
    targets: Bitboard,
    narrow: impl Fn(MoveClass) -> Bitboard,
    sink: &mut impl MoveSink,
) {
    let hand = position.hand(S::US);
    if hand.is_empty() || targets.is_empty() {
        return;
    }
    let dead = const { Bitboard::far_ranks(S::US, PieceKind::Pawn.dead_ranks()) };
    let dead_knight = const { Bitboard::far_ranks(S::US, PieceKind::Knight.dead_ranks()) };
    if hand.has(HandKind::Pawn) {
        let own_files = position.class_of(S::US, MoveClass::Pawn).fill_files();
        let mut set = (targets - dead - own_files) & narrow(MoveClass::Pawn);
        if let Some(king) = position.king(S::THEM) {
            let checking = pawn_attacks(S::THEM, king) & set;
            if checking.any() && is_drop_pawn_mate::<S>(position, king, checking) {
                set = set - checking;
            }
        }
        sink.drops(S::US, HandKind::Pawn, set);
    }
    if !hand.has_except_pawn() {
        return;
    }
    for (kind, dead) in [(HandKind::Lance, dead), (HandKind::Knight, dead_knight)] {
        if hand.has(kind) {
            sink.drops(
                S::US,
                kind,
                (targets - dead) & narrow(kind.piece_kind().move_class()),
            );
        }
    }
    for kind in [
        HandKind::Silver,
        HandKind::Gold,
        HandKind::Bishop,
        HandKind::Rook,
    ] {
        if hand.has(kind) {
            sink.drops(
                S::US,
                kind,
                targets & narrow(kind.piece_kind().move_class()),
            );
        }
    }
}

/// Whether a pawn dropped on the one square of `pawn`, in front of the enemy king, would be mate.
#[cold]
pub(super) fn is_drop_pawn_mate<S: Side>(
    position: &Position,
    king: Square,
    pawn: Bitboard,
) -> bool {
    let Some(square) = pawn.first() else {
        return false;
    };
    let occupied = position.occupied() | pawn;
    // Taken by another piece than the king, one that is not pinned off the line of the pawn?
    let pinned = position.slider_blockers_of(S::THEM, king);
    let takers = position.attackers_of(S::THEM, square, occupied) - position.class(MoveClass::King);
    let mut free_taker = false;
    takers.for_each(|from| {
        free_taker |= !pinned.contains(from) || line(king, from).contains(square);
    });
    if free_taker {
        return false;
    }
    // Does the king get away? The pawn itself attacks only the king's square, and may shut a line
    // on which a flight square was attacked, so the attacks are computed with it on the board.
    let flights = king_attacks(king) - position.color(S::THEM);
    let behind_king = occupied - king.into();
    let mut escapes = false;
    flights.for_each(|to| {
        escapes |= position.attackers_of(S::US, to, behind_king).is_empty();
    });
    !escapes
}

impl Position {
    /// Whether dropping a pawn on `to` is a drop-pawn mate. The drop must otherwise be pseudo-legal.
    pub(crate) fn drop_pawn_mates(&self, to: Square) -> bool {
        let us = self.side_to_move();
        let Some(king) = self.king(us.flip()) else {
            return false;
        };
        let pawn = pawn_attacks(us.flip(), king) & Bitboard::from_square(to);
        pawn.any()
            && match us {
                Color::Black => is_drop_pawn_mate::<BlackSide>(self, king, pawn),
                Color::White => is_drop_pawn_mate::<WhiteSide>(self, king, pawn),
            }
    }
}
