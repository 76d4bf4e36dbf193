//! Keys of positions that are not built, and of what one player has.

use crate::zobrist::{self, BoardKey};
use crate::{ByColor, Color, Hand, Piece, Position, Square};

/// Collects the parts of a position into its 128-bit key, for large sets of positions of which
/// nothing but the key is wanted.
///
/// Nothing is checked: parts that make no position have a key all the same.
///
/// ```
/// use shogi_core::{ByColor, Color, Hand, KeyBuilder, Piece, Position, Square};
/// let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 w - 1")?;
/// let mut key = KeyBuilder::default();
/// key.put(Piece::WhiteKing, Square::S5A);
/// key.set_hands(ByColor([Hand::EMPTY; 2]));
/// assert_eq!(key.position_key(Color::White), position.key128());
/// assert_eq!(key.player_key(Color::White), position.player_key(Color::White));
/// # Ok::<(), shogi_core::SfenError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KeyBuilder {
    /// What each player has on the board.
    boards: ByColor<BoardKey>,
    hands: ByColor<Hand>,
}

/// Hash of all that one player has, on the board and in hand, without the square of anything the
/// other player has.
///
/// A move that captures nothing leaves the other player's as it is, so it tells what the positions
/// after all such moves have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayerKey(u64);

impl Default for KeyBuilder {
    /// An empty board and empty hands.
    fn default() -> Self {
        Self {
            boards: ByColor([BoardKey::of_side(Color::Black); 2]),
            hands: ByColor([Hand::EMPTY; 2]),
        }
    }
}

impl KeyBuilder {
    /// Puts `piece` on the empty `square`.
    #[inline(always)]
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.boards[piece.color()] ^= BoardKey::of_piece(piece, square);
    }

    /// What the players have in hand.
    #[inline(always)]
    pub const fn set_hands(&mut self, hands: ByColor<Hand>) {
        self.hands = hands;
    }

    /// The [`Position::key128`] of the position with `side` to move.
    #[inline(always)]
    pub fn position_key(&self, side: Color) -> u128 {
        let board = self.boards.0[0] ^ self.boards.0[1] ^ BoardKey::of_side(side);
        board.wide() ^ zobrist::hands_key_128(self.hands.0[0], self.hands.0[1])
    }

    /// The [`Position::player_key`] of the position.
    #[inline(always)]
    pub fn player_key(&self, color: Color) -> PlayerKey {
        PlayerKey::new(self.boards[color], self.hands[color])
    }
}

impl PlayerKey {
    #[inline(always)]
    const fn new(board: BoardKey, hand: Hand) -> Self {
        Self(board.low() ^ zobrist::hands_key(hand, Hand::EMPTY))
    }

    /// The key without the player's own `piece` on `square`, which the other player has captured.
    #[inline(always)]
    pub fn without(self, piece: Piece, square: Square) -> Self {
        Self(self.0 ^ BoardKey::of_piece(piece, square).low())
    }

    /// The 64 bits.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }
}

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
