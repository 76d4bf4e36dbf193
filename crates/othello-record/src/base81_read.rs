//! A board in 81 letters, read.

use othello_core::{Board, Position, Side};

use crate::side;

/// Reads a position of a folded text; `None` if it is none. The side is black without a word.
pub(crate) fn read(text: &str) -> Option<Position> {
    let text = text.trim();
    // A colon behind a blank is a part of the board.
    let named = text.strip_prefix("base81").map(|text| {
        let text = text.strip_prefix([':', '=']).unwrap_or(text);
        text.trim_start()
    });
    let body = named.unwrap_or(text);
    let (signs, rest) = body.split_at_checked(16)?;
    let side = match rest.trim() {
        "" => Side::Black,
        word if rest.starts_with(char::is_whitespace) => side::side(word)?,
        _ => return None,
    };
    // Sixteen letters and digits are words or moves.
    let is_like_words = signs
        .bytes()
        .all(|c| c.is_ascii_alphanumeric() || b",;._-".contains(&c));
    if named.is_none() && is_like_words {
        return None;
    }
    let (mut mover, mut opponent) = (0u64, 0u64);
    for (n, sign) in signs.bytes().enumerate() {
        let mut code = sign.checked_sub(b'!')?;
        // The largest weight first; 3 + 9 · 2 + 2 · 3 + 2 is less than 32.
        for place in (0..4).rev() {
            let digit = (code / WEIGHTS[place]).min(2);
            code -= digit * WEIGHTS[place];
            let bit = 1 << (n * 4 + place);
            match digit {
                1 => mover |= bit,
                2 => opponent |= bit,
                _ => {}
            }
        }
        if code != 0 {
            return None;
        }
    }
    if named.is_none() && (mover | opponent) & CENTRE != CENTRE {
        return None;
    }
    let board = Board::new(mover.reverse_bits(), opponent.reverse_bits()).ok()?;
    Some(Position::new(board, side))
}

/// The four squares in the middle, which boards have discs on.
pub(super) const CENTRE: u64 = 0x0000_0018_1800_0000;

pub(super) const WEIGHTS: [u8; 4] = [1, 3, 9, 32];
