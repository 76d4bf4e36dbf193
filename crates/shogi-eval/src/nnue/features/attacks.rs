//! How many pieces attack a square, as far as features see it.

use shogi_core::{Color, Position, Square};

use crate::{BonaPiece, seen_by};

/// Pairs of counts: 0, 1, 2 or more of either side.
pub(super) const ATTACK_COUNTS: usize = 9;

/// Three times the perspective's attacks on the piece's square plus the enemy's, each 2 at most. Kings and
/// pinned pieces attack like others; sliders end at the first piece. 0 for pieces in hand.
pub(super) fn attack_counts(position: &Position, piece: BonaPiece, perspective: Color) -> usize {
    let square = piece.square().map(|square| seen_by(perspective, square));
    square.map_or(0, |square| attack_counts_on(position, square, perspective))
}

/// As [`attack_counts`], for the piece on `square`.
pub(super) fn attack_counts_on(position: &Position, square: Square, perspective: Color) -> usize {
    let occupied = position.occupied();
    let count = |color| position.attackers_of(color, square, occupied).len().min(2) as usize;
    3 * count(perspective) + count(perspective.flip())
}

/// The feature of the piece on `square` that is active under the attacks on it, counted from that of
/// no attacks in steps of `FeatureSet::attack_stride`: 0 to 8.
pub(in crate::nnue) fn attack_feature(
    position: &Position,
    square: Square,
    perspective: Color,
) -> u8 {
    attack_counts_on(position, square, perspective) as u8
}
