//! Whether a move can be made at all: by the pieces, without a look at the safety of the king.
//!
//! It finds what belongs to another position or was damaged, at a fraction of the cost of reading the
//! position for good. Only three things are left to the rules: whether the mover's king is safe
//! afterwards, whether a check is answered, and mate by a dropped pawn.

use shogi_core::Move16;

/// The pieces on the board, and what the side to move has in hand.
pub(super) struct Pieces {
    /// The letter of the piece, [`PROMOTED`] added if it is; 0 for none. In the numbering of
    /// [`shogi_core::Square`]; what is beyond the 81 squares means nothing.
    squares: [u8; 128],
    /// A bit for each kind in the hand of the side to move, by the numbers of [`Move16`].
    hand: u8,
    white: bool,
}

const PROMOTED: u8 = 0x80;

impl Pieces {
    /// An empty board.
    pub(super) const fn new() -> Self {
        Self {
            squares: [0; 128],
            hand: 0,
            white: false,
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
        self.white = sfen.get(board + 1) == Some(&b'w');
        let mut square = FIRST;
        let mut promoted = 0;
        for &byte in &sfen[..board] {
            // What is no piece leaves the square empty, and the next character comes to the same
            // square or passes it; so no branch is needed.
            self.squares[usize::from(square & 127)] = LETTERS[byte as usize] | promoted;
            promoted = u8::from(byte == b'+') << 7;
            square = square.wrapping_sub(STEPS[byte as usize]);
        }
        for &byte in sfen.get(board + 3..).unwrap_or_default() {
            if byte.is_ascii_lowercase() == self.white {
                self.hand |= HAND[byte as usize];
            }
        }
    }

    /// Returns whether the pieces allow the move.
    #[inline]
    pub(super) fn allow(&self, mv: Move16) -> bool {
        let to = usize::from(mv.0 & 0x7f);
        let from = usize::from(mv.0 >> 7 & 0x7f);
        if mv.0 & 1 << 14 != 0 {
            return self.allow_drop(from, to);
        }
        let promotes = mv.0 >> 15 != 0;
        let (piece, target) = (self.squares[from], self.squares[to]);
        if !self.is_own(piece) || self.is_own(target) || !self.reaches(piece, from, to) {
            return false;
        }
        if promotes {
            let can = piece & PROMOTED == 0 && !matches!(piece | 0x20, b'g' | b'k');
            can && (self.edge_distance(from) < 3 || self.edge_distance(to) < 3)
        } else {
            piece & PROMOTED != 0 || self.edge_distance(to) >= dead_ranks(piece | 0x20)
        }
    }

    fn allow_drop(&self, kind: usize, to: usize) -> bool {
        let Some(&letter) = b" plnsbrg".get(kind) else {
            return false;
        };
        let pawn = if self.white { b'p' } else { b'P' };
        let file = to / 9 * 9;
        self.squares[to] == 0
            && self.hand >> kind & 1 != 0
            && self.edge_distance(to) >= dead_ranks(letter)
            && !(letter == b'p' && self.squares[file..file + 9].contains(&pawn))
    }

    fn is_own(&self, piece: u8) -> bool {
        piece != 0 && (piece & 0x20 != 0) == self.white
    }

    /// Ranks between the square and the opponent's edge.
    fn edge_distance(&self, square: usize) -> usize {
        let rank = square % 9;
        if self.white { 8 - rank } else { rank }
    }

    /// Returns whether the piece goes from one square to the other, with nothing in between.
    #[inline]
    fn reaches(&self, piece: u8, from: usize, to: usize) -> bool {
        let across = (to / 9) as isize - (from / 9) as isize;
        let down = (to % 9) as isize - (from % 9) as isize;
        let forward = if self.white { down } else { -down };
        let side = across.abs();
        let king = side.max(forward.abs()) == 1;
        let gold = king && (forward == 1 || side + forward.abs() == 1);
        let free = || {
            let step = across.signum() * 9 + down.signum();
            let mut square = from as isize + step;
            while square != to as isize && self.squares[square as usize] == 0 {
                square += step;
            }
            square == to as isize
        };
        let rook = (side == 0) != (forward == 0);
        let bishop = side == forward.abs() && side != 0;
        match (piece | 0x20, piece & PROMOTED != 0) {
            (letter, true) => match letter & !PROMOTED {
                b'b' => king || bishop && free(),
                b'r' => king || rook && free(),
                _ => gold,
            },
            (b'p', _) => side == 0 && forward == 1,
            (b'l', _) => side == 0 && forward > 0 && free(),
            (b'n', _) => side == 1 && forward == 2,
            (b's', _) => king && (forward == 1 || side + forward.abs() == 2),
            (b'b', _) => bishop && free(),
            (b'r', _) => rook && free(),
            (b'g', _) => gold,
            _ => king,
        }
    }
}

/// The number of ranks at the opponent's edge a piece could not leave any more.
const fn dead_ranks(letter: u8) -> usize {
    match letter {
        b'p' | b'l' => 1,
        b'n' => 2,
        _ => 0,
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

/// A letter stands for itself.
static LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).is_ascii_alphabetic() {
            letters[byte] = byte as u8;
        }
        byte += 1;
    }
    letters
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
    use shogi_core::{HandKind, Position, movegen::LegalAll};

    use super::*;

    /// All 65,536 codes, in positions of random games: what is allowed is what the rules allow but for
    /// the safety of the king.
    #[test]
    fn agrees_with_the_rules() {
        let mut pieces = Pieces::new();
        let mut seed = 7u64;
        for start in [
            Position::STARTPOS_SFEN,
            "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPP2P/2G2K1pr/LN4G1b w BL2Plp 60",
            "8k/9/9/9/4+R4/9/9/9/K8 b 2B17P 300",
        ] {
            let mut position = Position::from_sfen(start).unwrap();
            for _ in 0..100 {
                check(&position, &mut pieces);
                let moves = position.moves::<LegalAll>();
                if moves.is_empty() {
                    break;
                }
                seed = seed.wrapping_mul(0x5851f42d4c957f2d).wrapping_add(1);
                let _ = position.do_move(moves[(seed >> 33) as usize % moves.len()]);
            }
        }
    }

    fn check(position: &Position, pieces: &mut Pieces) {
        pieces.set(position.to_sfen().as_bytes());
        for code in 0..=u16::MAX {
            if Move16(code).decode().is_none() {
                continue;
            }
            let complete = position.move_from_16(Move16(code));
            let allowed = pieces.allow(Move16(code));
            let sfen = position.to_sfen();
            let Some(m) = complete else {
                assert!(!allowed, "{sfen} {:?}", Move16(code));
                continue;
            };
            if m.dropped() == Some(HandKind::Pawn) {
                // It may be mate by a dropped pawn.
                assert!(allowed || !position.is_pseudo_legal(m), "{sfen} {m}");
            } else {
                assert_eq!(allowed, position.is_pseudo_legal(m), "{sfen} {m}");
            }
        }
    }
}
