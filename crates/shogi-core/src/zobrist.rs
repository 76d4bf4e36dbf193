//! Zobrist keys of positions, and of parts of them.
//!
//! The board part is the XOR of one 128-bit number for every piece on its square (and one for white
//! to move); `Position::do_move_unchecked` keeps it up to date with one XOR of a 16-byte value for each change.
//! The hands enter through a mixing function of their 32-bit packed counts when the key is asked
//! for: two multiplications, cheaper than keeping them incrementally. The 64-bit key is the low half
//! of the 128-bit key.
//!
//! The numbers come from [`SplitMix64`] with a fixed seed, so keys are the same on every machine and in
//! every build of this version. They are not part of any file format.

use std::ops::{BitXor, BitXorAssign};

use yane_base::random::{SplitMix64, mix};

use crate::{ByColor, Color, Hand, Piece, Square, zobrist};

/// A 128-bit number as two words, low word first, so that it is kept in one vector register: a `u128`
/// is moved as two halves at some places and as a whole at others, and reading as a whole what was
/// just written in halves stalls the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct BoardKey([u64; 2]);

impl BoardKey {
    /// The number of the side to move.
    #[inline(always)]
    pub(crate) const fn of_side(color: Color) -> Self {
        match color {
            Color::Black => Self([0; 2]),
            Color::White => WHITE_TO_MOVE,
        }
    }

    /// The number of `piece` on `square`.
    #[inline(always)]
    pub(crate) fn of_piece(piece: Piece, square: Square) -> Self {
        PIECES[piece as usize][square as usize]
    }

    /// The low half.
    #[inline(always)]
    pub(crate) const fn low(self) -> u64 {
        self.0[0]
    }

    /// Both halves as one number.
    #[inline(always)]
    pub(crate) const fn wide(self) -> u128 {
        (self.0[1] as u128) << 64 | self.0[0] as u128
    }
}

impl BitXor for BoardKey {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }
}

impl BitXorAssign for BoardKey {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

/// A number for every piece on every square.
static PIECES: [[BoardKey; 81]; Piece::INDEX_LIMIT] = {
    let mut table = [[BoardKey([0; 2]); 81]; Piece::INDEX_LIMIT];
    let mut random = SplitMix64::new(0x79616e65_75726121);
    let mut i = 0;
    while i < Piece::ALL.len() {
        let mut square = 0;
        while square < 81 {
            let low = random.next_u64();
            let high = random.next_u64();
            table[Piece::ALL[i] as usize][square] = BoardKey([low, high]);
            square += 1;
        }
        i += 1;
    }
    table
};

/// White to move.
const WHITE_TO_MOVE: BoardKey = BoardKey([0x2af7398005aaa5c7, 0x9d39247e33776d41]);

/// The 64-bit number of both hands.
#[inline(always)]
pub(crate) const fn hands_key(black: Hand, white: Hand) -> u64 {
    let both = (black.bits() as u64) << 32 | white.bits() as u64;
    mix(both)
}

/// The 128-bit number of both hands; its low half is [`hands_key`].
#[inline(always)]
pub(crate) const fn hands_key_128(black: Hand, white: Hand) -> u128 {
    let low = hands_key(black, white);
    let both = (black.bits() as u64) << 32 | white.bits() as u64;
    let high = mix(both
        .wrapping_mul(0xd1342543de82ef95)
        .wrapping_add(0x2545f4914f6cdd1d));
    (high as u128) << 64 | low as u128
}

// Keys of positions that are not built, and of what one player has.

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
    /// The pieces of each player on the board.
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

    /// The hands of the players.
    #[inline(always)]
    pub const fn set_hands(&mut self, hands: ByColor<Hand>) {
        self.hands = hands;
    }

    /// The `Position::key128` of the position with `side` to move.
    #[inline(always)]
    pub fn position_key(&self, side: Color) -> u128 {
        let board = self.boards.0[0] ^ self.boards.0[1] ^ BoardKey::of_side(side);
        board.wide() ^ zobrist::hands_key_128(self.hands.0[0], self.hands.0[1])
    }

    /// The `Position::player_key` of the position.
    #[inline(always)]
    pub fn player_key(&self, color: Color) -> PlayerKey {
        PlayerKey::new(self.boards[color], self.hands[color])
    }
}

impl PlayerKey {
    #[inline(always)]
    pub(crate) const fn new(board: BoardKey, hand: Hand) -> Self {
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
