//! Egaroucid's 16 characters: four squares in each, as digits 0 empty, 1 mover, 2 opponent, weighted 1, 3, 9, 32.

use othello_core::{Position, Side};

use crate::base81_read::WEIGHTS;
use crate::base81_read::read;

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
