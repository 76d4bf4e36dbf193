//! A board as two hexadecimal numbers, in the order of bits that Egaroucid uses: h8 = bit 0.

use crate::{Board, Position, Side, Symmetry, TextError};

impl Board {
    /// The board with h8 = bit 0 and a1 = bit 63, as Egaroucid keeps it: mover, opponent.
    pub const fn h8_first(self) -> [u64; 2] {
        let turned = Symmetry::ROTATION.board(self);
        [turned.mover(), turned.opponent()]
    }

    /// The board of two numbers with h8 = bit 0.
    ///
    /// # Errors
    ///
    /// A square with discs of both.
    pub fn from_h8_first(mover: u64, opponent: u64) -> Result<Self, TextError> {
        Ok(Self::new(mover.reverse_bits(), opponent.reverse_bits())?)
    }

    /// Reads two hexadecimal numbers: the mover's discs and the opponent's, h8 = bit 0. `0x` and leading zeros
    /// may be there or not, case does not matter; blanks or a comma stand between them.
    ///
    /// # Errors
    ///
    /// A text that is not two such numbers, or a square with discs of both.
    pub fn from_bitboards(text: &str) -> Result<Self, TextError> {
        let [mover, opponent] = two_numbers(text)?;
        Self::from_h8_first(mover, opponent)
    }
}

impl Position {
    /// Mover and opponent as `0x%016x`, a tab between them, h8 = bit 0.
    pub fn to_bitboards(self) -> String {
        let [mover, opponent] = self.board().h8_first();
        format!("0x{mover:016x}\t0x{opponent:016x}")
    }

    /// Black and white as `0x%016x`, a tab between them, h8 = bit 0.
    pub fn to_bitboards_black_white(self) -> String {
        let (black, white) = (self.black().reverse_bits(), self.white().reverse_bits());
        format!("0x{black:016x}\t0x{white:016x}")
    }

    /// Reads two hexadecimal numbers as [`Board::from_bitboards`] does, black's discs and white's.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn from_bitboards_black_white(text: &str, side: Side) -> Result<Self, TextError> {
        let black_moves = Board::from_bitboards(text)?;
        Ok(match side {
            Side::Black => Self::new(black_moves, side),
            Side::White => Self::new(black_moves.passed(), side),
        })
    }
}

fn two_numbers(text: &str) -> Result<[u64; 2], TextError> {
    let wrong = || TextError::Bitboards(text.chars().take(80).collect());
    let number = |word: &str| {
        let digits = word
            .strip_prefix("0x")
            .or_else(|| word.strip_prefix("0X"))
            .unwrap_or(word);
        let good = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        // Any number of leading zeros is good, a 17th digit is not.
        good.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
    };
    let mut words = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(first), Some(second), None) => {
            let numbers = number(first).zip(number(second));
            numbers.map(|(a, b)| [a, b]).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    #[test]
    fn the_tiger_opening_is_as_published() {
        let game: Game = "f5d6c3d3c4".parse().unwrap();
        let position = game.position();
        let text = "0x0000100010100000\t0x000020380c000000";
        assert_eq!(position.to_bitboards(), text);
        assert_eq!(Board::from_bitboards(text), Ok(position.board()));
        assert_eq!(
            Board::from_bitboards("100010100000 0X000020380C000000\n"),
            Ok(position.board())
        );
        let swapped = "0x000020380c000000\t0x0000100010100000";
        assert_eq!(position.to_bitboards_black_white(), swapped);
        let read = Position::from_bitboards_black_white(swapped, Side::White);
        assert_eq!(read, Ok(position));
    }

    #[test]
    fn other_texts_are_refused() {
        for bad in [
            "",
            "1",
            "1 2 3",
            "0x 1",
            "g 1",
            "+1 2",
            "10000000000000000 0",
        ] {
            assert!(
                matches!(Board::from_bitboards(bad), Err(TextError::Bitboards(_))),
                "{bad}"
            );
        }
        assert!(matches!(
            Board::from_bitboards("3 1"),
            Err(TextError::Board(_))
        ));
    }
}
