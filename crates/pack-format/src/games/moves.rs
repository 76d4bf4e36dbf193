//! Moves in the bytes of games.

use std::fmt;

use shogi_core::{AperyMove16, Move, Position};

/// The move of these bits if it is legal.
#[inline]
pub(crate) fn legal_move(position: &Position, code: AperyMove16) -> Option<Move> {
    let mv = position.move_from_apery_16(code)?;
    position.is_legal(mv).then_some(mv)
}

/// A move in USI notation, or a word when the bits are none.
pub(crate) struct MoveName(pub(crate) AperyMove16);

impl fmt::Display for MoveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.decode() {
            Some(text) => text.fmt(f),
            None => f.write_str("no move"),
        }
    }
}
