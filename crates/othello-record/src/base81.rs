//! Egaroucid's 16 characters: four squares in each, as digits 0 empty, 1 mover, 2 opponent, weighted 1, 3, 9, 32.

use othello_core::{Board, Position, Side};

use crate::side;

/// The four squares in the middle, which boards have discs on.
const CENTRE: u64 = 0x0000_0018_1800_0000;

const WEIGHTS: [u8; 4] = [1, 3, 9, 32];

/// The position in 16 characters, and the side to move as `X` or `O`. The first digit is that of h8.
///
/// ```
/// use othello_core::Position;
/// use othello_record::{base81, parse};
///
/// let text = base81(Position::START);
/// assert_eq!(text, "!!!!!!a\"A#!!!!!! X");
/// assert_eq!(parse(&text)?.position(), Position::START);
/// # Ok::<(), othello_record::Error>(())
/// ```
pub fn base81(position: Position) -> String {
    let [mover, opponent] = position.board().h8_first();
    let character = |n: usize| {
        let digit = |(square, weight): (usize, u8)| {
            let (mine, yours) = (mover >> square & 1, opponent >> square & 1);
            weight * (mine as u8 + 2 * yours as u8)
        };
        let code: u8 = (n * 4..n * 4 + 4).zip(WEIGHTS).map(digit).sum();
        char::from(b'!' + code)
    };
    let signs: String = (0..16).map(character).collect();
    let side = if position.side() == Side::Black {
        'X'
    } else {
        'O'
    };
    let text = format!("{signs} {side}");
    // Without its name it may be words.
    let is_clear =
        read(&text).is_some() && crate::parse(&text).is_ok_and(|read| read.position() == position);
    if is_clear {
        text
    } else {
        format!("base81 {text}")
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_read_as_they_are_written() {
        for text in [
            "f5d6c3d3c4",
            "f5",
            "f5d6c3d3c4f4c5b3c2e6c6b4b5d2e3a6c1b6f3e2",
        ] {
            let position = crate::parse(text).unwrap().position();
            let written = base81(position);
            assert_eq!(
                crate::parse(&written).unwrap().position(),
                position,
                "{written}"
            );
        }
        for text in [
            "f5d6c3d3c4f4c5b3",
            "!!!!!!!!!!!!!!!!",
            "!!!!!!a\"A#!!!!!!X",
            "!!!!!!a\"A#!!!!! X",
            "~~~~~~~~~~~~~~~~",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
