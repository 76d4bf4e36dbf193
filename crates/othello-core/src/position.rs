//! Positions: a board and the side to move, their texts, and errors of texts.

use std::fmt;
use std::str::FromStr;

use crate::board::IllegalMove;
use crate::board::squares;
use crate::error::PositionError;
use crate::{Board, Square, State, Symmetry};

/// A side: black, who begins, or white.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Black (`X`), who begins.
    Black,
    /// White (`O`).
    White,
}

impl Side {
    /// The other side.
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// A board and the side to move.
///
/// As text it is 64 squares from a1 to h8 and the side to move, as Egaroucid and Edax write it:
///
/// ```
/// use othello_core::Position;
///
/// let text = "------------------XO------XXX------OXX-----O-------------------- O";
/// let position: Position = text.parse()?;
/// assert_eq!(position.to_string(), text);
/// assert_eq!(position.to_bitboards(), "0x0000100010100000\t0x000020380c000000");
/// # Ok::<(), othello_core::PositionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
    side: Side,
}

impl Position {
    /// The start position.
    pub const START: Self = Self::new(Board::START, Side::Black);

    /// A position of a board from the mover's view and the side to move.
    pub const fn new(board: Board, side: Side) -> Self {
        Self { board, side }
    }

    /// The board from the view of the side to move.
    pub const fn board(self) -> Board {
        self.board
    }

    /// The side to move.
    pub const fn side(self) -> Side {
        self.side
    }

    /// Black's discs.
    pub const fn black(self) -> u64 {
        match self.side {
            Side::Black => self.board.mover(),
            Side::White => self.board.opponent(),
        }
    }

    /// White's discs.
    pub const fn white(self) -> u64 {
        match self.side {
            Side::Black => self.board.opponent(),
            Side::White => self.board.mover(),
        }
    }

    /// The same board with the other side to move.
    pub const fn passed(self) -> Self {
        Self::new(self.board.passed(), self.side.other())
    }

    /// The position after a disc on `square`.
    ///
    /// # Errors
    ///
    /// A move that is not legal.
    pub fn try_play(self, square: Square) -> Result<Self, IllegalMove> {
        let board = self.board.try_play(square)?;
        Ok(Self::new(board, self.side.other()))
    }

    /// This position, or the one after the pass if a pass is forced.
    pub fn after_forced_pass(self) -> Self {
        match self.board.state() {
            State::Pass => self.passed(),
            State::Moves | State::Over => self,
        }
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::START
    }
}

// Positions as text: 64 characters and a side, or two hexadecimal bitboards.
//
// These are the plain notations that programs exchange. `othello-record` reads every other spelling.

/// The meaning of a character in a board of 64 squares.
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

/// Parses 64 squares from a1 to h8 and the side to move: empty `-` `.`, black `X x B b 0 *`, white `O o W w 1`, with
/// blanks and line ends anywhere. Only blanks and `;` may follow.
impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let (position, rest) = parse_prefix(text)?;
        match rest
            .char_indices()
            .find(|(_, c)| !c.is_whitespace() && *c != ';')
        {
            None => Ok(position),
            Some((at, _)) => Err(PositionError::Long {
                at: text[..text.len() - rest.len() + at].chars().count() + 1,
            }),
        }
    }
}

/// Parses 64 squares and a side; returns the position and the text behind it.
fn parse_prefix(text: &str) -> Result<(Position, &str), PositionError> {
    let (mut black, mut white) = (0u64, 0u64);
    let mut squares = 0;
    for (n, (at, c)) in text.char_indices().enumerate() {
        let wrong = PositionError::Character {
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
                return Ok((Position::new(board, side), &text[at + c.len_utf8()..]));
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
    Err(PositionError::Short { squares })
}

/// Writes 64 squares, `X` for black, `O` for white, `-` for empty; a blank; `X` or `O` for the side to move.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mover, opponent) = match self.side() {
            Side::Black => ('X', 'O'),
            Side::White => ('O', 'X'),
        };
        write!(f, "{} {mover}", squares(self.board(), mover, opponent))
    }
}

impl Board {
    /// The bitboards of the mover and the opponent with h8 = bit 0, as Egaroucid keeps them.
    pub const fn h8_first(self) -> [u64; 2] {
        let rotated = Symmetry::ROTATION.board(self);
        [rotated.mover(), rotated.opponent()]
    }

    /// Parses two hexadecimal bitboards with h8 = bit 0: the mover's discs, then the opponent's. `0x` and leading zeros
    /// are optional, case does not matter; blanks or a comma separate the numbers.
    ///
    /// # Errors
    ///
    /// A text that is not two such numbers, or a square with discs of both players.
    pub fn from_bitboards(text: &str) -> Result<Self, PositionError> {
        let [mover, opponent] = two_numbers(text)?;
        Ok(Self::new(mover.reverse_bits(), opponent.reverse_bits())?)
    }
}

impl Position {
    /// The bitboards of mover and opponent as `0x%016x`, separated by a tab, h8 = bit 0.
    pub fn to_bitboards(self) -> String {
        let [mover, opponent] = self.board().h8_first();
        format!("0x{mover:016x}\t0x{opponent:016x}")
    }

    /// The bitboards of black and white as `0x%016x`, separated by a tab, h8 = bit 0.
    pub fn to_bitboards_black_white(self) -> String {
        let (black, white) = (self.black().reverse_bits(), self.white().reverse_bits());
        format!("0x{black:016x}\t0x{white:016x}")
    }
}

fn two_numbers(text: &str) -> Result<[u64; 2], PositionError> {
    let wrong = || PositionError::Bitboards(text.chars().take(80).collect());
    let number = |word: &str| {
        let digits = word
            .strip_prefix("0x")
            .or_else(|| word.strip_prefix("0X"))
            .unwrap_or(word);
        let good = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        // Any number of leading zeros is allowed, a 17th digit is not.
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
    fn errors_name_the_character() {
        let parse = str::parse::<Position>;
        assert_eq!(parse(START), Err(PositionError::Short { squares: 64 }));
        assert_eq!(parse(""), Err(PositionError::Short { squares: 0 }));
        let character = |at, found| Err(PositionError::Character { at, found });
        assert_eq!(parse("--é"), character(3, 'é'));
        assert_eq!(parse(&format!("{START}-")), character(65, '-'));
        assert_eq!(
            parse(&format!("{START} X x")),
            Err(PositionError::Long { at: 68 })
        );
    }

    #[test]
    fn the_tiger_opening_is_as_published() {
        let game: Game = "f5d6c3d3c4".parse().unwrap();
        let position = game.position();
        let text = "0x0000100010100000\t0x000020380c000000";
        assert_eq!(position.to_bitboards(), text);
        for text in [text, "100010100000 0X000020380C000000\n"] {
            assert_eq!(Board::from_bitboards(text), Ok(position.board()));
        }
        let black_white = "0x000020380c000000\t0x0000100010100000";
        assert_eq!(position.to_bitboards_black_white(), black_white);
        for bad in [
            "",
            "1",
            "1 2 3",
            "0x 1",
            "g 1",
            "+1 2",
            "10000000000000000 0",
        ] {
            let error = Board::from_bitboards(bad);
            assert!(
                matches!(error, Err(PositionError::Bitboards(_))),
                "{bad}: {error:?}"
            );
        }
        assert!(matches!(
            Board::from_bitboards("3 1"),
            Err(PositionError::Board(_))
        ));
    }
}
