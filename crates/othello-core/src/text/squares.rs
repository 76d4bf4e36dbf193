//! A board as 64 characters from a1 to h8 and the side to move.

use std::fmt;
use std::str::FromStr;

use crate::{Board, Position, Side, TextError};

/// What a character stands for.
enum Symbol {
    Empty,
    Disc(Side),
    Blank,
    Unknown,
}

impl Symbol {
    fn of(c: char) -> Self {
        match c {
            '-' | '.' => Self::Empty,
            'X' | 'x' | 'B' | 'b' | '0' | '*' => Self::Disc(Side::Black),
            'O' | 'o' | 'W' | 'w' | '1' => Self::Disc(Side::White),
            c if c.is_whitespace() => Self::Blank,
            _ => Self::Unknown,
        }
    }
}

impl Position {
    /// Reads 64 squares and a side. Empty `-` `.`, black `X x B b 0 *`, white `O o W w 1`; blanks and line ends
    /// anywhere. Gives the position and the text behind it.
    ///
    /// # Errors
    ///
    /// A character that stands for nothing, or too few of them.
    pub fn parse_prefix(text: &str) -> Result<(Self, &str), TextError> {
        let (mut black, mut white) = (0u64, 0u64);
        let mut squares = 0;
        for (n, (at, c)) in text.char_indices().enumerate() {
            let wrong = TextError::Character {
                at: n + 1,
                found: c,
            };
            match (Symbol::of(c), squares) {
                (Symbol::Blank, _) => {}
                (Symbol::Unknown, _) | (Symbol::Empty, 64) => return Err(wrong),
                (Symbol::Disc(side), 64) => {
                    let board = match side {
                        Side::Black => Board::of(black, white),
                        Side::White => Board::of(white, black),
                    };
                    return Ok((Self::new(board, side), &text[at + c.len_utf8()..]));
                }
                (Symbol::Empty, _) => squares += 1,
                (Symbol::Disc(side), _) => {
                    match side {
                        Side::Black => black |= 1 << squares,
                        Side::White => white |= 1 << squares,
                    }
                    squares += 1;
                }
            }
        }
        Err(TextError::Short { squares })
    }
}

/// As [`Position::parse_prefix`], with nothing but blanks and `;` behind it.
impl FromStr for Position {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let (position, rest) = Self::parse_prefix(text)?;
        match rest
            .char_indices()
            .find(|(_, c)| !c.is_whitespace() && *c != ';')
        {
            None => Ok(position),
            Some((at, _)) => Err(TextError::Long {
                at: text[..text.len() - rest.len() + at].chars().count() + 1,
            }),
        }
    }
}

/// 64 squares, `X` for black, `O` for white, `-` for empty; a blank; `X` or `O` for the side to move.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mover, opponent) = match self.side() {
            Side::Black => ('X', 'O'),
            Side::White => ('O', 'X'),
        };
        write!(f, "{} {mover}", squares(self.board(), mover, opponent))
    }
}

/// 64 characters, `-` where no disc is.
pub(crate) fn squares(board: Board, mover: char, opponent: char) -> String {
    let square = |n: u32| match (board.mover() >> n & 1, board.opponent() >> n & 1) {
        (1, _) => mover,
        (_, 1) => opponent,
        _ => '-',
    };
    (0..64).map(square).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO---------------------------";

    #[test]
    fn every_spelling_of_a_disc_is_read() {
        for (black, white) in [
            ('X', 'O'),
            ('x', 'o'),
            ('B', 'W'),
            ('b', 'w'),
            ('0', '1'),
            ('*', 'O'),
        ] {
            let squares = START.replace('X', "#").replace('O', &white.to_string());
            let squares = squares.replace('#', &black.to_string());
            let text = format!(
                "{}\n{} {black};",
                &squares[..31],
                &squares[31..].replace('-', ".")
            );
            assert_eq!(text.parse(), Ok(Position::START), "{text}");
        }
        assert_eq!(format!("{START} O").parse(), Ok(Position::START.passed()));
        assert_eq!(Position::START.to_string(), format!("{START} X"));
    }

    #[test]
    fn faults_are_told_with_their_place() {
        let parse = str::parse::<Position>;
        assert_eq!(parse(START), Err(TextError::Short { squares: 64 }));
        assert_eq!(parse(""), Err(TextError::Short { squares: 0 }));
        assert_eq!(
            parse("--é"),
            Err(TextError::Character { at: 3, found: 'é' })
        );
        assert_eq!(
            parse(&format!("{START}-")),
            Err(TextError::Character { at: 65, found: '-' })
        );
        assert_eq!(
            parse(&format!("{START} X x")),
            Err(TextError::Long { at: 68 })
        );
    }
}
