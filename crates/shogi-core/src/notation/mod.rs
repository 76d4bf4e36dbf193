//! Notation: SFEN positions, USI moves and `position` lines, and moves as Japanese game records write them.

mod lenient;
mod sfen;

use std::fmt;

use thiserror::Error;

use crate::{Color, Diagram, File, Game, Move, MoveText, Position, Rank, SetupError, Square};

pub use lenient::{Correction, LenientPosition, Shown};
pub use sfen::SfenError;

// USI notation of moves and of `position` lines.

/// Error of parsing a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MoveError {
    /// Not in the form `7g7f`, `7g7f+` or `P*5e`.
    #[error("{0:?} is not a move")]
    Syntax(String),
    /// Well formed, but not legal in the position.
    #[error("illegal move {0}")]
    Illegal(String),
}

/// Error of parsing a `position` line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionLineError {
    /// Nothing follows the word `position`.
    #[error("no position given")]
    Empty,
    /// The SFEN is wrong.
    #[error("bad SFEN: {0}")]
    Sfen(SfenError),
    /// Something other than `moves` follows the position.
    #[error("expected \"moves\", found {0:?}")]
    ExpectedMoves(String),
    /// One of the moves is wrong.
    #[error("move {number}: {error}")]
    Move {
        /// The number of the move, counted from 1.
        number: usize,
        /// The error in it.
        error: MoveError,
    },
}

impl From<SfenError> for PositionLineError {
    fn from(error: SfenError) -> Self {
        Self::Sfen(error)
    }
}

impl Position {
    /// Reads a move in USI notation and checks that it is legal here.
    ///
    /// # Errors
    /// See [`MoveError`].
    pub fn move_from_usi(&self, text: &str) -> Result<Move, MoveError> {
        let parsed = MoveText::from_usi(text).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
        self.move_from_text(parsed)
            .ok_or_else(|| MoveError::Illegal(text.to_owned()))
    }

    /// The legal move that `text` names here, if it is one.
    pub fn move_from_text(&self, text: MoveText) -> Option<Move> {
        self.complete(text).filter(|&m| self.is_legal(m))
    }
}

/// Reads what follows the word `position`: `startpos` or `[sfen] SFEN`, then optionally `moves` and
/// moves. Gives the final position with the history that repetition needs.
///
/// # Errors
/// See [`PositionLineError`].
pub fn parse_position_line(text: &str) -> Result<Game, PositionLineError> {
    let mut words = text.split_ascii_whitespace().peekable();
    let first = words.next().ok_or(PositionLineError::Empty)?;
    let start = if first == "startpos" {
        Position::startpos()
    } else {
        let mut field = |name| {
            words
                .next_if(|w| *w != "moves")
                .ok_or(SfenError::MissingField(name))
        };
        let board = if first == "sfen" {
            field("board")?
        } else {
            first
        };
        let (side, hands) = (field("side")?, field("hands")?);
        let ply = field("ply").ok();
        Position::from_sfen_fields(board, side, hands, ply)?
    };
    let mut game = Game::new(start);
    match words.next() {
        None => return Ok(game),
        Some("moves") => {}
        Some(other) => return Err(PositionLineError::ExpectedMoves(other.to_owned())),
    }
    for (index, word) in words.enumerate() {
        let m = game
            .position()
            .move_from_usi(word)
            .map_err(|error| PositionLineError::Move {
                number: index + 1,
                error,
            })?;
        game.play_unchecked(m);
    }
    Ok(game)
}

/// As [`parse_position_line`], but whoever is not to move may be in check at the start, as in some mate
/// problems, and nothing is known of repetition.
///
/// # Errors
/// See [`PositionLineError`].
pub fn parse_diagram_line(text: &str) -> Result<Diagram, PositionLineError> {
    use PositionLineError::Sfen;
    match parse_position_line(text) {
        Err(Sfen(SfenError::Setup(SetupError::OpponentInCheck(_)))) => {}
        other => return other.map(|game| game.position().clone().into()),
    }
    let (start, moves) = text.split_once("moves").unwrap_or((text, ""));
    let start = start.trim_ascii();
    let diagram = Diagram::from_sfen(start.strip_prefix("sfen ").unwrap_or(start))?;
    let mut now: Option<Position> = None;
    for (index, word) in moves.split_ascii_whitespace().enumerate() {
        let wrong = |error| PositionLineError::Move {
            number: index + 1,
            error,
        };
        let parsed =
            MoveText::from_usi(word).ok_or_else(|| wrong(MoveError::Syntax(word.to_owned())))?;
        let illegal = || wrong(MoveError::Illegal(word.to_owned()));
        if let Some(position) = &mut now {
            let m = position.move_from_text(parsed).ok_or_else(illegal)?;
            let _undo = position.do_move_unchecked(m);
        } else {
            now = Some(diagram.play(parsed).ok_or_else(illegal)?.1);
        }
    }
    Ok(now.map_or(diagram, Diagram::from))
}

#[cfg(test)]
mod diagram_tests {
    use super::*;

    #[test]
    fn a_check_may_stand_at_the_start() {
        let text = "sfen 9/7k1/7S1/9/9/9/9/9/9 b GP 1";
        assert!(parse_position_line(text).is_err());
        let sfen = |moves: &str| parse_diagram_line(&format!("{text}{moves}"));
        assert_eq!(sfen("").unwrap().position(), None);
        let after = sfen(" moves G*2a 2b2a").unwrap();
        assert!(after.position().is_some());
        assert_eq!(after.pieces().ply(), 3);
        let number = |moves| match sfen(moves) {
            Err(PositionLineError::Move { number, .. }) => number,
            other => panic!("{other:?}"),
        };
        assert_eq!((number(" moves 2c2b"), number(" moves G*2a x")), (1, 2));
        assert!(parse_diagram_line("startpos moves 7g7f").is_ok());
        assert!(parse_diagram_line("4k4 b").is_err());
    }
}

// Moves as Japanese game records write them.

/// A move in the notation of Japanese records: mark of the player, square, piece, and in brackets where the
/// piece comes from, as in the KIF format, so that no move needs 左, 右, 上 or 寄 to be told from others.
///
/// ```
/// use shogi_core::{JapaneseMove, Position};
/// let position = Position::startpos();
/// let m = position.move_from_usi("7g7f")?;
/// assert_eq!(JapaneseMove { m, last_to: None }.to_string(), "☗７六歩(77)");
/// # Ok::<(), shogi_core::MoveError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JapaneseMove {
    /// The move.
    pub m: Move,
    /// The square that the move before went to: a move to the same square is written with 同.
    pub last_to: Option<Square>,
}

impl fmt::Display for JapaneseMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m, last_to } = *self;
        f.write_str(player_mark(m.color()))?;
        if last_to == Some(m.to()) {
            f.write_str("同")?;
        } else {
            let to = m.to();
            write!(f, "{}{}", file_digit(to.file()), rank_kanji(to.rank()))?;
        }
        write!(f, "{}", m.piece_before().kind().to_kanji())?;
        if m.is_promotion() {
            f.write_str("成")?;
        }
        match m.from() {
            None => f.write_str("打"),
            Some(from) => {
                let (file, rank) = (from.file().index() + 1, from.rank().index() + 1);
                write!(f, "({file}{rank})")
            }
        }
    }
}

/// The mark of a player: ☗ for black (先手), ☖ for white (後手).
pub(crate) const fn player_mark(color: Color) -> &'static str {
    match color {
        Color::Black => "☗",
        Color::White => "☖",
    }
}

/// The number of a file as a full-width digit.
pub(crate) const fn file_digit(file: File) -> char {
    ['１', '２', '３', '４', '５', '６', '７', '８', '９'][file.index()]
}

/// The number of a rank in Japanese.
pub(crate) const fn rank_kanji(rank: Rank) -> char {
    ['一', '二', '三', '四', '五', '六', '七', '八', '九'][rank.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Position};

    fn line(start: &str, moves: &str) -> String {
        let mut game = Game::new(Position::from_sfen(start).unwrap());
        let mut text = String::new();
        for usi in moves.split(' ') {
            let m = game.position().move_from_usi(usi).unwrap();
            let last_to = game.last_move().map(Move::to);
            text.push_str(&JapaneseMove { m, last_to }.to_string());
            game.play_unchecked(m);
        }
        text
    }

    #[test]
    fn moves_of_a_game() {
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        assert_eq!(
            line(start, "7g7f 3c3d 8h2b+ 3a2b B*4e"),
            "☗７六歩(77)☖３四歩(33)☗２二角成(88)☖同銀(31)☗４五角打"
        );
    }

    #[test]
    fn promoted_pieces_keep_their_own_name() {
        assert_eq!(line("4k4/9/9/9/9/9/9/9/+R3K4 b - 1", "9i9a"), "☗９一龍(99)");
    }
}
