//! SFEN, the text form of positions.
//!
//! `board side hands [ply]`: nine ranks from a to i separated by `/`, files from 9 to 1, digits for
//! empty squares, upper case for black, `+` before promoted pieces; `b` or `w`; the hands (`-` when
//! both are empty); the number of the move to be played, 1 when left out.

use thiserror::Error;

use crate::position::{Setup, SetupError};
use crate::{Color, File, HandKind, Piece, PieceKind, Position, Rank, Square};

/// Error of parsing an SFEN position. Character numbers count from 1 within their field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SfenError {
    /// A field is not there.
    #[error("SFEN ends before its {0} field")]
    MissingField(&'static str),
    /// Text follows the last field.
    #[error("unexpected text {0:?} after the SFEN")]
    TrailingText(String),
    /// A character that cannot stand at this place of the board field.
    #[error("board field, character {at}: unexpected {found:?} in rank {rank}")]
    BoardCharacter {
        /// Number of the character in the field.
        at: usize,
        /// The character.
        found: char,
        /// Letter of the rank it is in.
        rank: char,
    },
    /// A rank that has not nine squares.
    #[error("board field, rank {rank}: {squares} squares instead of 9")]
    RankLength {
        /// Letter of the rank.
        rank: char,
        /// The number of squares that it describes (10 stands for more than 9).
        squares: usize,
    },
    /// The board field has not nine ranks.
    #[error("board field: {0} ranks instead of 9")]
    RankCount(usize),
    /// The side field is neither `b` nor `w`.
    #[error("side field: expected b or w, found {0:?}")]
    Side(String),
    /// A character that cannot stand at this place of the hands field.
    #[error("hands field, character {at}: unexpected {found:?}")]
    HandCharacter {
        /// Number of the character in the field.
        at: usize,
        /// The character.
        found: char,
    },
    /// A count in the hands field that is zero or larger than a set.
    #[error("hands field, character {at}: impossible number of pieces")]
    HandCount {
        /// Number of the character at which the count ends.
        at: usize,
    },
    /// The hands field ends in a number.
    #[error("hands field ends after a number")]
    HandUnfinished,
    /// The ply field is not a number from 0 to 4294967295.
    #[error("ply field: expected a number, found {0:?}")]
    Ply(String),
    /// The text is well formed but not a position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Setup {
    /// Reads an SFEN as [`Position::from_sfen`] does, without asking whether it is a position.
    ///
    /// # Errors
    /// See [`SfenError`]; never [`SfenError::Setup`].
    pub fn from_sfen(text: &str) -> Result<Self, SfenError> {
        let mut fields = text.split_ascii_whitespace();
        let mut field = |name| fields.next().ok_or(SfenError::MissingField(name));
        let (board, side, hands) = (field("board")?, field("side")?, field("hands")?);
        let ply = fields.next();
        if let Some(rest) = fields.next() {
            return Err(SfenError::TrailingText(rest.to_owned()));
        }
        Self::from_sfen_fields(board, side, hands, ply)
    }

    fn from_sfen_fields(
        board: &str,
        side: &str,
        hands: &str,
        ply: Option<&str>,
    ) -> Result<Self, SfenError> {
        let mut setup = Self::default();
        parse_board(board, &mut setup)?;
        setup.side = match side {
            "b" => Color::Black,
            "w" => Color::White,
            other => return Err(SfenError::Side(other.to_owned())),
        };
        parse_hands(hands, &mut setup)?;
        if let Some(ply) = ply {
            if !ply.bytes().all(|b| b.is_ascii_digit()) {
                return Err(SfenError::Ply(ply.to_owned()));
            }
            setup.ply = ply.parse().map_err(|_| SfenError::Ply(ply.to_owned()))?;
        }
        Ok(setup)
    }
}

impl Position {
    /// Reads an SFEN. Blanks separate the fields; the move number may be left out. Nothing else may
    /// follow.
    ///
    /// ```
    /// use shogi_core::Position;
    /// let tsume = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
    /// assert_eq!(tsume.to_sfen(), "4k4/9/4P4/9/9/9/9/9/9 b G 1");
    /// # Ok::<(), shogi_core::SfenError>(())
    /// ```
    ///
    /// # Errors
    /// See [`SfenError`].
    pub fn from_sfen(text: &str) -> Result<Self, SfenError> {
        Ok(Self::from_setup(&Setup::from_sfen(text)?)?)
    }

    pub(super) fn from_sfen_fields(
        board: &str,
        side: &str,
        hands: &str,
        ply: Option<&str>,
    ) -> Result<Self, SfenError> {
        Ok(Self::from_setup(&Setup::from_sfen_fields(
            board, side, hands, ply,
        )?)?)
    }

    /// The SFEN of this position, with its move number.
    pub fn to_sfen(&self) -> String {
        let mut text = self.to_sfen_without_ply();
        text.push(' ');
        text.push_str(&self.ply().to_string());
        text
    }

    /// The first three fields of the SFEN: what two positions share whatever their move number.
    pub fn to_sfen_without_ply(&self) -> String {
        let mut text = Vec::new();
        self.push_sfen_without_ply(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Appends [`to_sfen_without_ply`](Self::to_sfen_without_ply), which is ASCII, to `out`.
    pub fn push_sfen_without_ply(&self, out: &mut Vec<u8>) {
        out.reserve(128);
        for rank in Rank::ALL {
            if rank != Rank::A {
                out.push(b'/');
            }
            let mut empty = b'0';
            for file in File::ALL.into_iter().rev() {
                let Some(piece) = self.piece_on(Square::new(file, rank)) else {
                    empty += 1;
                    continue;
                };
                push_empty(out, &mut empty);
                let letters = piece.kind().to_sfen().as_bytes();
                out.extend(letters.iter().map(|&letter| in_case(letter, piece.color())));
            }
            push_empty(out, &mut empty);
        }
        out.extend([b' ', self.side_to_move().to_sfen() as u8, b' ']);
        push_hands(out, self);
    }
}

#[inline]
fn push_empty(out: &mut Vec<u8>, empty: &mut u8) {
    if *empty > b'0' {
        out.push(*empty);
        *empty = b'0';
    }
}

/// The letter as it is written for a side.
#[inline]
const fn in_case(letter: u8, color: Color) -> u8 {
    match color {
        Color::Black => letter,
        Color::White => letter.to_ascii_lowercase(),
    }
}

fn push_hands(out: &mut Vec<u8>, position: &Position) {
    let before = out.len();
    for color in Color::ALL {
        for kind in HandKind::SFEN_ORDER {
            let count = position.hand(color).count(kind);
            if count > 1 {
                out.extend_from_slice(count.to_string().as_bytes());
            }
            if count > 0 {
                out.push(in_case(kind.to_usi() as u8, color));
            }
        }
    }
    if out.len() == before {
        out.push(b'-');
    }
}

fn parse_board(field: &str, setup: &mut Setup) -> Result<(), SfenError> {
    let rank_count = || SfenError::RankCount(field.split('/').count());
    let mut ranks = Rank::ALL.into_iter();
    let mut row = Row::new(ranks.next().ok_or_else(rank_count)?);
    let mut len = 0;
    for found in field.chars() {
        if found == '/' {
            row.end(len)?;
            row = Row::new(ranks.next().ok_or_else(rank_count)?);
        } else {
            row.push(found, len, setup)?;
        }
        len += 1;
    }
    row.end(len)?;
    match ranks.next() {
        None => Ok(()),
        Some(_) => Err(rank_count()),
    }
}

/// [`Piece::from_sfen`] for every ASCII character.
static LETTERS: [Option<Piece>; 128] = {
    let mut letters = [None; 128];
    let mut code = 0;
    while code < letters.len() {
        letters[code] = Piece::from_sfen(code as u8 as char);
        code += 1;
    }
    letters
};

/// A rank of the board field that is being read.
struct Row {
    rank: Rank,
    /// Squares read so far, at most nine.
    squares: usize,
    /// True if a `+` waits for its piece.
    promoted: bool,
}

impl Row {
    const fn new(rank: Rank) -> Self {
        Self {
            rank,
            squares: 0,
            promoted: false,
        }
    }

    /// Reads a character; `at` is the number of characters of the field before it.
    #[inline]
    fn push(&mut self, found: char, at: usize, setup: &mut Setup) -> Result<(), SfenError> {
        let bad = || SfenError::BoardCharacter {
            at: at + 1,
            found,
            rank: self.rank.to_usi(),
        };
        if found == '+' && !self.promoted {
            self.promoted = true;
            return Ok(());
        }
        let squares = match found {
            '1'..='9' if !self.promoted => found as usize - '0' as usize,
            _ => {
                let letter = LETTERS.get(found as usize).copied().flatten();
                let mut piece = letter.ok_or_else(bad)?;
                if self.promoted {
                    piece = piece.promote().ok_or_else(bad)?;
                    self.promoted = false;
                }
                if self.squares < 9 {
                    let file = File::ALL[8 - self.squares];
                    setup.board[Square::new(file, self.rank).index()] = Some(piece);
                }
                1
            }
        };
        self.squares += squares;
        if self.squares > 9 {
            return Err(SfenError::RankLength {
                rank: self.rank.to_usi(),
                squares: 10,
            });
        }
        Ok(())
    }

    /// Ends the rank; `at` is the number of characters of the field so far.
    fn end(&self, at: usize) -> Result<(), SfenError> {
        let rank = self.rank.to_usi();
        if self.promoted {
            let found = '+';
            return Err(SfenError::BoardCharacter { at, found, rank });
        }
        match self.squares {
            9 => Ok(()),
            squares => Err(SfenError::RankLength { rank, squares }),
        }
    }
}

/// Returns whether `field` can stand where an SFEN has the pieces in hand.
pub(super) fn is_hands_field(field: &str) -> bool {
    parse_hands(field, &mut Setup::default()).is_ok()
}

fn parse_hands(field: &str, setup: &mut Setup) -> Result<(), SfenError> {
    if field == "-" {
        return Ok(());
    }
    let mut count: Option<u32> = None;
    for (index, found) in field.chars().enumerate() {
        let at = index + 1;
        if let Some(digit) = found.to_digit(10) {
            let number = count.unwrap_or(0) * 10 + digit;
            if number == 0 || number > 18 {
                return Err(SfenError::HandCount { at });
            }
            count = Some(number);
            continue;
        }
        let piece = Piece::from_sfen(found).ok_or(SfenError::HandCharacter { at, found })?;
        let kind = HandKind::from_piece_kind(piece.kind());
        let kind = kind.ok_or(SfenError::HandCharacter { at, found })?;
        let hand = &mut setup.hands[piece.color()];
        let total = u32::from(hand.count(kind)) + count.take().unwrap_or(1);
        let found = u8::try_from(total).unwrap_or(u8::MAX);
        *hand = hand
            .with_count(kind, found)
            .ok_or_else(|| SetupError::TooManyPieces {
                kind: PieceKind::from(kind),
                found,
            })?;
    }
    if count.is_some() {
        Err(SfenError::HandUnfinished)
    } else {
        Ok(())
    }
}

impl From<HandKind> for PieceKind {
    fn from(kind: HandKind) -> Self {
        kind.piece_kind()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_position_round_trips() {
        let position = Position::startpos();
        assert_eq!(position.to_sfen(), Position::STARTPOS_SFEN);
        let no_ply = Position::STARTPOS_SFEN.trim_end_matches(" 1");
        assert_eq!(Position::from_sfen(no_ply).unwrap(), position);
    }

    #[test]
    fn errors_say_where() {
        let error = |text: &str| Position::from_sfen(text).unwrap_err().to_string();
        let cases = [
            ("", "SFEN ends before its board field"),
            ("9/9/9/9/9/9/9/9/9", "SFEN ends before its side field"),
            ("9/9/9/9/9/9/9/9/9 b", "SFEN ends before its hands field"),
            (
                "9/9/9/9/9/9/9/9/9 b - 1 x",
                "unexpected text \"x\" after the SFEN",
            ),
            ("9/9/9/9/9/9/9/9 b -", "board field: 8 ranks instead of 9"),
            (
                "9/9/9/9/9/9/9/9/9/9 b -",
                "board field: 10 ranks instead of 9",
            ),
            (
                "9/8/9/9/9/9/9/9/9 b -",
                "board field, rank b: 8 squares instead of 9",
            ),
            (
                "9/9/8PP/9/9/9/9/9/9 b -",
                "board field, rank c: 10 squares instead of 9",
            ),
            (
                "9/9/9/x8/9/9/9/9/9 b -",
                "board field, character 7: unexpected 'x' in rank d",
            ),
            (
                "9/9/9/+G8/9/9/9/9/9 b -",
                "board field, character 8: unexpected 'G' in rank d",
            ),
            (
                "9/9/9/+18/9/9/9/9/9 b -",
                "board field, character 8: unexpected '1' in rank d",
            ),
            (
                "9/9/9/9/9/9/9/9/9+ b -",
                "board field, character 18: unexpected '+' in rank i",
            ),
            (
                "9/9/9/9/9/9/9/9/9 x -",
                "side field: expected b or w, found \"x\"",
            ),
            (
                "9/9/9/9/9/9/9/9/9 b K",
                "hands field, character 1: unexpected 'K'",
            ),
            ("9/9/9/9/9/9/9/9/9 b 2", "hands field ends after a number"),
            (
                "9/9/9/9/9/9/9/9/9 b 19P",
                "hands field, character 2: impossible number of pieces",
            ),
            (
                "9/9/9/9/9/9/9/9/9 b 0P",
                "hands field, character 1: impossible number of pieces",
            ),
            ("9/9/9/9/9/9/9/9/9 b 5G", "5 pieces of kind G (a set has 4)"),
            (
                "9/9/9/9/9/9/9/9/9 b 2R r",
                "ply field: expected a number, found \"r\"",
            ),
            (
                "9/9/9/9/9/9/9/9/9 b - -1",
                "ply field: expected a number, found \"-1\"",
            ),
            (
                "r8/9/9/9/9/9/9/9/9 b 2R",
                "3 pieces of kind R (a set has 2)",
            ),
            ("kk7/9/9/9/9/9/9/9/9 b -", "white has more than one king"),
            (
                "k8/9/9/9/9/9/9/9/R8 b -",
                "white is in check but it is the other side's turn",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(error(text), message, "{text}");
        }
    }
}
