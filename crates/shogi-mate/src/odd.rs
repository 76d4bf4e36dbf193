//! Problems that start with the defender in check although the attacker is to move.

use shogi_core::movegen::{All, Checks, MoveList};
use shogi_core::{HandKind, Move, Position};

/// Whether whoever is not to move in `pieces` is in check.
pub(crate) fn is_odd(pieces: &Position) -> bool {
    let side = pieces.side_to_move();
    let checked = |king| pieces.is_attacked_by(side, king);
    pieces.king(side.flip()).is_some_and(checked)
}

/// The attacker's first moves of such a problem: each gives a check of its own.
pub(crate) fn first_checks(pieces: &Position) -> MoveList {
    let mut moves = pieces.moves::<All<Checks>>();
    moves.retain(|m| !is_pawn_mate(pieces, *m));
    moves
}

/// Whether `m` drops a pawn that mates together with a check that stands already.
fn is_pawn_mate(pieces: &Position, m: Move) -> bool {
    let mut after = pieces.clone();
    m.dropped() == Some(HandKind::Pawn) && {
        let _undo = after.do_move_from_diagram(m);
        after.is_mated()
    }
}
