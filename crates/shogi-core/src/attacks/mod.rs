//! Which squares a piece attacks.
//!
//! Steps come from tables; sliders are computed from the occupied squares with a few
//! word operations each; [`between()`] and [`line()`] relate two squares. All tables are constants.

mod rays;
mod sliders;
mod steps;

pub use rays::{between, line};
pub use sliders::{
    bishop_attacks, dragon_attacks, file_attacks, horse_attacks, lance_attacks, rank_attacks,
    rook_attacks,
};
pub use steps::{
    gold_attacks, king_attacks, knight_attacks, pawn_attacks, silver_attacks, step_attacks,
};

pub(crate) use rays::{diagonals, forward_ray, orthogonals};

use crate::{Bitboard, Color, MoveClass, Square};

/// The squares a piece of `color` moving like `class` attacks from `square` when `occupied` are the
/// occupied squares: up to and including the first occupied square of each line.
#[inline]
pub fn attacks(color: Color, class: MoveClass, square: Square, occupied: Bitboard) -> Bitboard {
    // Steps of all classes stand in one table; only sliders branch.
    let steps = step_attacks(color, class, square);
    if matches!(class, MoveClass::Bishop | MoveClass::Horse) {
        steps | bishop_attacks(square, occupied)
    } else if matches!(class, MoveClass::Rook | MoveClass::Dragon) {
        steps | rook_attacks(square, occupied)
    } else if class == MoveClass::Lance {
        lance_attacks(color, square, occupied)
    } else {
        steps
    }
}
