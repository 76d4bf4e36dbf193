//! Keys of positions that are not built.

use crate::zobrist::{self, BoardKey};
use crate::{ByColor, Color, Hand, Piece, Square};

/// Collects the parts of a position into its 128-bit key, for large sets of positions of which
/// nothing but the key is wanted.
///
/// Nothing is checked: parts that make no position have a key all the same.
///
/// ```
/// use shogi_core::{ByColor, Color, Hand, KeyBuilder, Piece, Position, Square};
/// let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 w - 1")?;
/// let mut key = KeyBuilder::new(Color::White);
/// key.put(Piece::WhiteKing, Square::S5A);
/// assert_eq!(key.finish(ByColor([Hand::EMPTY; 2])), position.key128());
/// # Ok::<(), shogi_core::SfenError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KeyBuilder(BoardKey);

impl KeyBuilder {
    /// An empty board with `side` to move.
    #[inline(always)]
    pub const fn new(side: Color) -> Self {
        Self(BoardKey::of_side(side))
    }

    /// Puts `piece` on the empty `square`.
    #[inline(always)]
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.0 ^= BoardKey::of_piece(piece, square);
    }

    /// The [`crate::Position::key128`] of the position that has these `hands`.
    #[inline(always)]
    pub const fn finish(self, hands: ByColor<Hand>) -> u128 {
        self.0.wide() ^ zobrist::hands_key_128(hands.0[0], hands.0[1])
    }
}
