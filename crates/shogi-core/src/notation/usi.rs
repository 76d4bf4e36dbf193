//! USI notation of moves and of `position` lines.

use thiserror::Error;

use super::SfenError;
use crate::{Diagram, Game, Move, MoveText, Position, SetupError};

/// Why a text is not a move that can be played.
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

/// Why a `position` line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionLineError {
    /// Nothing follows the word `position`.
    #[error("no position given")]
    Empty,
    /// The SFEN is wrong.
    #[error("bad SFEN: {0}")]
    Sfen(#[from] SfenError),
    /// Something other than `moves` follows the position.
    #[error("expected \"moves\", found {0:?}")]
    ExpectedMoves(String),
    /// One of the moves is wrong.
    #[error("move {number}: {error}")]
    Move {
        /// Which of the moves, counted from 1.
        number: usize,
        /// What is wrong with it.
        error: MoveError,
    },
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
        game.play(m);
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
            let _undo = position.do_move(m);
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
