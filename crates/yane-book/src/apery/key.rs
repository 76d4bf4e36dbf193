//! Apery's 64-bit position keys.
//!
//! A key is the XOR of a number for each piece on its square, one for each kind of piece in the hand
//! of the side to move by its count, zero counts included, and one if white is to move. The other
//! hand is left out: with a complete set it follows from the rest.

use shogi_core::{Color, Hand, HandKind, Move, Piece, Position, Square};

/// Pieces have the numbers of [`Piece::index`]; number 0, an empty square, was drawn but never used.
const PIECES: usize = 31;
const SQUARES: usize = 81;
const HAND_KINDS: usize = 7;
/// Counts 0 to 18.
const HAND_COUNTS: usize = 19;

/// The random numbers in the order they are drawn: pieces, hands, turn.
static NUMBERS: [u64; PIECES * SQUARES + HAND_KINDS * HAND_COUNTS + 1] = numbers();
const HANDS_START: usize = PIECES * SQUARES;
const TURN: usize = HANDS_START + HAND_KINDS * HAND_COUNTS;

/// Kinds in the order in which the hand numbers are drawn.
const HAND_ORDER: [HandKind; HAND_KINDS] = [
    HandKind::Pawn,
    HandKind::Lance,
    HandKind::Knight,
    HandKind::Silver,
    HandKind::Gold,
    HandKind::Bishop,
    HandKind::Rook,
];

/// The key of a position.
///
/// ```
/// use shogi_core::Position;
/// assert_eq!(yane_book::apery::key(&Position::startpos()), 0xeebe8ee7e1ad7e15);
/// ```
pub fn key(position: &Position) -> u64 {
    let side = position.side_to_move();
    board(position) ^ hand(position.hand(side)) ^ turn(side)
}

/// The parts of a position's key from which those of its successors are made quickly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PositionKey {
    board: u64,
    /// Hand and turn as they will be after any move: the mover's hand changes, the other does not.
    next: u64,
}

impl PositionKey {
    pub(crate) fn of(position: &Position) -> Self {
        let next = position.side_to_move().flip();
        Self {
            board: board(position),
            next: hand(position.hand(next)) ^ turn(next),
        }
    }

    /// The key after the legal move `m` of `position`, whose parts these are.
    #[inline]
    pub(crate) fn after(&self, position: &Position, m: Move) -> u64 {
        let to = m.to();
        let mut board = self.board ^ piece(m.piece_after(), to);
        if let Some(from) = m.from() {
            board ^= piece(m.piece_before(), from);
        }
        if let Some(captured) = position.piece_on(to) {
            board ^= piece(captured, to);
        }
        board ^ self.next
    }
}

fn piece(piece: Piece, square: Square) -> u64 {
    NUMBERS[piece.index() * SQUARES + square.index()]
}

fn board(position: &Position) -> u64 {
    let on_square = |square| position.piece_on(square).map(|found| piece(found, square));
    Square::ALL
        .into_iter()
        .filter_map(on_square)
        .fold(0, |key, number| key ^ number)
}

fn hand(hand: Hand) -> u64 {
    HAND_ORDER
        .iter()
        .enumerate()
        .fold(0, |key, (place, &kind)| {
            key ^ NUMBERS[HANDS_START + place * HAND_COUNTS + usize::from(hand.count(kind))]
        })
}

fn turn(side: Color) -> u64 {
    match side {
        Color::Black => 0,
        Color::White => NUMBERS[TURN],
    }
}

/// Length of the state.
const N: usize = 312;
/// Distance of the words that are combined.
const M: usize = 156;
/// The seed of a default-constructed C++ `std::mt19937_64`.
const SEED: u64 = 5489;

/// The first `COUNT` numbers.
pub(super) const fn numbers<const COUNT: usize>() -> [u64; COUNT] {
    let mut state = [0; N];
    state[0] = SEED;
    let mut i = 1;
    while i < N {
        let last = state[i - 1];
        state[i] = (last ^ last >> 62)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(i as u64);
        i += 1;
    }
    let mut numbers = [0; COUNT];
    let mut drawn = 0;
    while drawn < COUNT {
        // Word by word is the same as all at once: each step needs only words of this round that
        // come before it and of the last round that come after it.
        let at = drawn % N;
        let low_bits = u64::MAX >> 33;
        let joined = (state[at] & !low_bits) | (state[(at + 1) % N] & low_bits);
        let twist = if joined & 1 == 1 {
            0xb5026f5aa96619e9
        } else {
            0
        };
        state[at] = state[(at + M) % N] ^ joined >> 1 ^ twist;
        numbers[drawn] = temper(state[at]);
        drawn += 1;
    }
    numbers
}

const fn temper(mut word: u64) -> u64 {
    word ^= word >> 29 & 0x5555555555555555;
    word ^= word << 17 & 0x71d67fffeda60000;
    word ^= word << 37 & 0xfff7eee000000000;
    word ^ word >> 43
}

#[cfg(test)]
mod tests {
    use shogi_core::movegen::LegalAll;

    use super::*;

    #[test]
    fn keys_of_successors_are_those_of_the_positions() {
        for sfen in [
            Position::STARTPOS_SFEN,
            "4k4/9/9/9/9/9/9/9/4K4 b G3Prb2p 77",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            let parts = PositionKey::of(&position);
            for m in position.moves::<LegalAll>() {
                let mut after = position.clone();
                let _ = after.do_move(m);
                assert_eq!(parts.after(&position, m), key(&after), "{sfen} {m}");
            }
        }
    }

    #[test]
    fn the_ten_thousandth_number_is_the_standards() {
        // C++17, [rand.predef]: the 10000th invocation of a default-constructed mt19937_64.
        let numbers = super::numbers::<10_000>();
        assert_eq!(numbers[9_999], 9981545732273789042);
    }
}
