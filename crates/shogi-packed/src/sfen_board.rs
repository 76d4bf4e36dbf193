//! The board of an SFEN, for checks of moves that need no more than the pieces.

use memchr::memchr;
use shogi_core::{Color, HandKind, MoveText, Piece, hand};

use crate::attack;
use crate::board::Squares;
use crate::legal;

/// The pieces on the board of an SFEN and in the hand of the side to move: enough to tell whether a move is
/// pseudo-legal, at a fraction of the time that a [`Position`](shogi_core::Position) takes to build.
///
/// ```
/// use shogi_core::{MoveText, Position};
/// use shogi_packed::SfenBoard;
/// let mut board = SfenBoard::empty();
/// board.set(Position::STARTPOS_SFEN.as_bytes());
/// let is_pseudo_legal = |usi| board.is_pseudo_legal(MoveText::from_usi(usi).expect("a move"));
/// assert!(is_pseudo_legal("7g7f"));
/// assert!(!is_pseudo_legal("8h2b+"));
/// ```
#[derive(Clone, Debug)]
pub struct SfenBoard {
    squares: Squares,
    /// A bit or more in the field of each kind in hand.
    hand: u32,
    side: Color,
}

impl SfenBoard {
    /// A board without a piece; black to move.
    pub const fn empty() -> Self {
        Self {
            squares: Squares::EMPTY,
            hand: 0,
            side: Color::Black,
        }
    }

    /// Puts up the position of a canonical SFEN. Other text gives some board.
    #[inline]
    pub fn set(&mut self, sfen: &[u8]) {
        self.squares = Squares::EMPTY;
        self.hand = 0;
        self.side = Color::Black;
        let Some(board) = memchr(b' ', sfen) else {
            return;
        };
        if sfen.get(board + 1) == Some(&b'w') {
            self.side = Color::White;
        }
        let mut square = FIRST;
        let mut promoted = 0;
        for &byte in &sfen[..board] {
            // A byte that is no piece leaves the square empty, and the next character comes to the
            // same square or passes it; so no branch is needed.
            self.squares.0[usize::from(square % 128)] = LETTERS[usize::from(byte)] | promoted;
            promoted = u8::from(byte == b'+') << 3;
            square = square.wrapping_sub(STEPS[usize::from(byte)]);
        }
        for &byte in sfen.get(board + 3..).unwrap_or_default() {
            if byte.is_ascii_lowercase() == (self.side == Color::White) {
                self.hand |= IN_HAND[usize::from(byte)];
            }
        }
    }

    /// Returns whether the pieces allow the move. Three things are left to the other rules: whether the mover's king is safe
    /// afterwards, whether a check is answered, and mate by a dropped pawn.
    #[inline]
    pub fn is_pseudo_legal(&self, text: MoveText) -> bool {
        legal::is_pseudo_legal(
            &self.squares,
            self.side,
            self.hand,
            text.into(),
            attack::visible,
            legal::has_on_file,
        )
    }
}

/// Square of file 9, rank a, where an SFEN begins.
const FIRST: u8 = 8 * 9;

/// Distance by which a character moves on, downwards: a file is nine squares, the end of a rank comes back by nine
/// files and goes on by one rank.
static STEPS: [u8; 256] = {
    let mut steps = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let symbol = byte as u8;
        steps[byte] = match symbol {
            b'1'..=b'9' => 9 * (symbol - b'0'),
            b'/' => (9u8 * 9 + 1).wrapping_neg(),
            _ if symbol.is_ascii_alphabetic() => 9,
            _ => 0,
        };
        byte += 1;
    }
    steps
};

/// The numbers of the pieces by letter.
static LETTERS: [u8; 256] = {
    let mut numbers = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(piece) = Piece::from_sfen(byte as u8 as char) {
            numbers[byte] = piece as u8;
        }
        byte += 1;
    }
    numbers
};

/// The field of the kind in a hand by letter.
static IN_HAND: [u32; 256] = {
    let mut fields = [0; 256];
    let mut i = 0;
    while i < HandKind::ALL.len() {
        let (kind, letter) = (HandKind::ALL[i], HandKind::ALL[i].to_usi() as u8);
        fields[letter as usize] = hand::FIELD[kind as usize];
        fields[letter.to_ascii_lowercase() as usize] = hand::FIELD[kind as usize];
        i += 1;
    }
    fields
};

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::Position;
    use shogi_core::movegen::LegalAll;
    use test_support::SplitMix64;

    use crate::tests::{random_positions, texts};

    /// Checks every move that can be named: what is allowed is what the rules allow but for the safety of the king.
    fn check(position: &Position, board: &mut SfenBoard) {
        let sfen = position.to_sfen();
        board.set(sfen.as_bytes());
        for text in texts() {
            let allowed = board.is_pseudo_legal(text);
            let complete = position.complete(text);
            let expected = complete.is_some_and(|m| position.is_pseudo_legal(m));
            let may_mate = complete.is_some_and(|m| m.dropped() == Some(HandKind::Pawn));
            assert!(allowed == expected || may_mate && allowed, "{sfen} {text}");
        }
        for m in position.moves::<LegalAll>() {
            assert!(board.is_pseudo_legal(m.into()), "{sfen} {m}");
        }
    }

    #[test]
    fn agrees_with_the_rules() {
        let mut board = SfenBoard::empty();
        for position in random_positions(4000).iter().step_by(13) {
            check(position, &mut board);
        }
    }

    /// Any text gives a board that can be asked.
    #[test]
    fn bytes_that_are_no_sfen_do_no_harm() {
        let mut board = SfenBoard::empty();
        let mut random = SplitMix64::new(1);
        let letters = b"+123456789/PLNSBRGKplnsbrgk bw-x";
        for _ in 0..300 {
            let len = random.below(120);
            let text: Vec<u8> = (0..len).map(|_| *random.choose(letters)).collect();
            board.set(&text);
            let allowed = texts().filter(|&text| board.is_pseudo_legal(text)).count();
            assert!(allowed < 2000, "{}", text.escape_ascii());
        }
    }
}
