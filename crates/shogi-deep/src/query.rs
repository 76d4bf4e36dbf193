//! A position as evaluators ask for it: planes and labels.

use shogi_core::movegen::LegalAll;
use shogi_core::{PieceKind, Position};

use crate::{InputPlanes, PolicyLabel};

/// A position to be evaluated: what the network sees, and the labels whose logits are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionQuery {
    /// What the network sees.
    pub planes: InputPlanes,
    /// Labels, ascending, each less than [`PolicyLabel::COUNT`].
    pub labels: Vec<u16>,
}

impl PositionQuery {
    /// Most labels of a position: none has more moves.
    pub(crate) const MOST_LABELS: usize = 593;

    /// A position with the labels of all its legal moves. There are none where the side to move could take the king: such pieces are only looked at.
    pub fn new(position: &Position) -> Self {
        Self {
            planes: InputPlanes::new(position),
            labels: labels(position),
        }
    }
}

/// The labels of all legal moves, ascending.
fn labels(position: &Position) -> Vec<u16> {
    let us = position.side_to_move();
    let kings = position.pieces(us.flip(), PieceKind::King);
    if kings
        .into_iter()
        .any(|king| position.is_attacked_by(us, king))
    {
        return Vec::new();
    }
    let moves = position.moves::<LegalAll>();
    let labels = moves.iter().map(|&m| PolicyLabel::new(m).index() as u16);
    let mut labels: Vec<u16> = labels.collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}
