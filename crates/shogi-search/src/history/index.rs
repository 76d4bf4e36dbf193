//! Indices of continuation histories, and the update that all histories share.

use shogi_core::{Move, Piece, Square};

/// Pairs of a piece and its destination.
pub(super) const PIECE_TOS: usize = Piece::INDEX_LIMIT * Square::COUNT;

/// Piece-to: the piece after a move and its destination, the index of continuation histories. 0 after a pass and
/// before the start of the game.
pub(crate) type PieceTo = usize;

/// The piece-to of `m`; never 0.
#[inline]
pub(crate) fn piece_to(m: Move) -> PieceTo {
    m.piece_after().index() * Square::COUNT + m.to().index()
}

/// The gravity formula: moves a value towards `±limit` by `change`, the less the nearer it already is.
#[inline]
pub(super) fn gravity_update(value: &mut i16, change: i32, limit: i32) {
    let change = change.clamp(-limit, limit);
    let old = i32::from(*value);
    *value = (old + change - old * change.abs() / limit) as i16;
}

// Updates of the histories after a node: bonus and malus.

/// Scales a change by 1024ths.
pub(super) const fn scaled(change: i32, share: i32) -> i32 {
    change * share / 1024
}
