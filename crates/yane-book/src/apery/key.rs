//! Apery's 64-bit position keys.
//!
//! A key is the XOR of a number for each piece on its square, one for each kind of piece in the hand
//! of the side to move by its count, zero counts included, and one if white is to move. The other
//! hand is left out: with a complete set it follows from the rest.

use shogi_core::{Color, Hand, HandKind, Move, Piece, Position, Square};

use super::twister;

/// Pieces have the numbers of [`Piece::index`]; number 0, an empty square, was drawn but never used.
const PIECES: usize = 31;
const SQUARES: usize = 81;
const HAND_KINDS: usize = 7;
/// Counts 0 to 18.
const HAND_COUNTS: usize = 19;

/// The random numbers in the order they are drawn: pieces, hands, turn.
static NUMBERS: [u64; PIECES * SQUARES + HAND_KINDS * HAND_COUNTS + 1] = twister::numbers();
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
}
