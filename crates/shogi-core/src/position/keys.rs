//! The keys of positions.

use crate::zobrist::{BoardKey, PlayerKey};
use crate::{Color, Position};

impl Position {
    /// Hash of what `color` has on the board and in hand.
    #[inline]
    pub fn player_key(&self, color: Color) -> PlayerKey {
        let mut board = BoardKey::of_side(Color::Black);
        self.color(color).for_each(|square| {
            if let Some(piece) = self.piece_on(square) {
                board ^= BoardKey::of_piece(piece, square);
            }
        });
        PlayerKey::new(board, self.hand(color))
    }
}
