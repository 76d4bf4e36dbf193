//! Whether a move can be one at all: a look at the pieces, without the rules.
//!
//! It finds moves that belong to another position, the usual damage, at a tenth of the cost of reading
//! the position.

use shogi_core::Move16;

/// Who stands where, and what the side to move has in hand.
pub(super) struct Pieces {
    /// [`BLACK`], [`WHITE`] or 0 by square, in the numbering of [`shogi_core::Square`]; what is beyond
    /// the 81 squares means nothing.
    squares: [u8; 128],
    /// A bit for each kind in the hand of the side to move, by the numbers of [`Move16`].
    hand: u8,
    us: u8,
}

const BLACK: u8 = 1;
const WHITE: u8 = 2;

impl Pieces {
    /// An empty board.
    pub(super) const fn new() -> Self {
        Self {
            squares: [0; 128],
            hand: 0,
            us: BLACK,
        }
    }

    /// Puts up the position of a canonical SFEN.
    #[inline]
    pub(super) fn set(&mut self, sfen: &[u8]) {
        self.squares = [0; 128];
        self.hand = 0;
        let Some(board) = memchr::memchr(b' ', sfen) else {
            return;
        };
        let white = sfen.get(board + 1) == Some(&b'w');
        self.us = if white { WHITE } else { BLACK };
        let mut square = FIRST;
        for &byte in &sfen[..board] {
            // What is no piece leaves the square empty, and the next character comes to the same
            // square or passes it; so no branch is needed.
            self.squares[usize::from(square & 127)] = COLORS[byte as usize];
            square = square.wrapping_sub(STEPS[byte as usize]);
        }
        for &byte in sfen.get(board + 3..).unwrap_or_default() {
            if COLORS[byte as usize] == self.us {
                self.hand |= HAND[byte as usize];
            }
        }
    }

    /// Whether the move takes a piece that is there to where it may stand.
    #[inline]
    pub(super) fn allow(&self, mv: Move16) -> bool {
        let to = self.squares[usize::from(mv.0 & 0x7f)];
        let from = mv.0 >> 7 & 0x7f;
        if mv.0 & 1 << 14 != 0 {
            return to == 0 && self.hand >> (from & 7) & 1 != 0;
        }
        to != self.us && self.squares[usize::from(from)] == self.us
    }
}

/// Square of file 9, rank a, where an SFEN begins.
const FIRST: u8 = 8 * 9;

/// How far a character moves on, downwards: a file is nine squares, the end of a rank comes back by nine
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

/// Whose piece a letter is.
static COLORS: [u8; 256] = {
    let mut colors = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let symbol = byte as u8;
        if symbol.is_ascii_alphabetic() {
            colors[byte] = if symbol.is_ascii_lowercase() {
                WHITE
            } else {
                BLACK
            };
        }
        byte += 1;
    }
    colors
};

/// The bit of a letter in the hands field.
static HAND: [u8; 256] = {
    let mut bits = [0; 256];
    let letters = *b"PLNSBRG";
    let mut kind = 0;
    while kind < letters.len() {
        bits[letters[kind] as usize] = 2 << kind;
        bits[letters[kind].to_ascii_lowercase() as usize] = 2 << kind;
        kind += 1;
    }
    bits
};

#[cfg(test)]
mod tests {
    use shogi_core::{Position, movegen::LegalAll};

    use super::*;

    /// Every legal move is allowed; of all 65,536 codes exactly those are that have the right pieces.
    #[test]
    fn agrees_with_the_board() {
        for sfen in [
            Position::STARTPOS_SFEN,
            "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPP2P/2G2K1pr/LN4G1b w BL2Plp 60",
            "8k/9/9/9/4+R4/9/9/9/K8 b 2B17P 300",
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            let mut pieces = Pieces::new();
            pieces.set(sfen.as_bytes());
            for &m in &position.moves::<LegalAll>() {
                assert!(pieces.allow(m.into()), "{sfen} {m}");
            }
            for code in 0..=u16::MAX {
                let Some(text) = Move16(code).decode() else {
                    continue;
                };
                let us = position.side_to_move();
                let on = |square| position.piece_on(square).map(|piece| piece.color() == us);
                let expected = match text.origin {
                    shogi_core::Origin::Board(from) => {
                        on(from) == Some(true) && on(text.to) != Some(true)
                    }
                    shogi_core::Origin::Hand(kind) => {
                        on(text.to).is_none() && position.hand(us).count(kind) > 0
                    }
                };
                assert_eq!(pieces.allow(Move16(code)), expected, "{sfen} {text}");
            }
        }
    }
}
