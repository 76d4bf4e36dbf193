//! How things of the game stand in messages.

use std::fmt::Display;
use std::ops::RangeInclusive;

use othello_core::{Game, Move, Position, Side, Square, Squares};
use othello_record::{NamedOpening, OpeningLanguage, OpeningNames};
use page_messages::{EventSink, PageFailure};
use serde::{Deserialize, Serialize};

/// Sends an answer.
pub(crate) fn send(sink: &dyn EventSink, name: &str, fields: &impl Serialize) {
    sink.event(name, serde_json::to_value(fields).unwrap_or_default());
}

/// The name of a move: `f5`, `pass`.
pub(crate) fn move_name(mv: Move) -> String {
    match mv {
        Move::Place(square) => square.to_string(),
        Move::Pass => "pass".to_owned(),
    }
}

/// The move of a name; `None` if it is none.
pub(crate) fn move_of(name: &str) -> Option<Move> {
    match name {
        "pass" => Some(Move::Pass),
        name => name.parse::<Square>().ok().map(Move::Place),
    }
}

/// The names of moves.
pub(crate) fn move_names(moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| move_name(mv)).collect()
}

/// The names of squares.
pub(crate) fn square_names(squares: Squares) -> Vec<String> {
    squares.iter().map(|square| square.to_string()).collect()
}

/// A number of a request that has to lie in a range.
pub(crate) fn within<T: PartialOrd + Display>(
    name: &str,
    number: T,
    range: RangeInclusive<T>,
) -> Result<T, PageFailure> {
    if range.contains(&number) {
        return Ok(number);
    }
    let (least, most) = range.into_inner();
    let text = format!("{name} {number}: {least} to {most} was expected");
    Err(PageFailure::new(text))
}

/// A number of 64 bits.
pub(crate) fn hex(bits: u64) -> String {
    format!("{bits:#018x}")
}

/// A side, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SideName {
    Black,
    White,
}

impl From<Side> for SideName {
    fn from(side: Side) -> Self {
        match side {
            Side::Black => Self::Black,
            Side::White => Self::White,
        }
    }
}

/// The bitboards of a position, h8 = bit 0, as Egaroucid copies them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct BitboardFields {
    mover: String,
    opponent: String,
    black: String,
    white: String,
}

impl BitboardFields {
    pub(crate) fn of(position: Position) -> Self {
        // Here a1 is bit 0.
        let bits = |bits: u64| hex(bits.reverse_bits());
        let board = position.board();
        Self {
            mover: bits(board.mover()),
            opponent: bits(board.opponent()),
            black: bits(position.black()),
            white: bits(position.white()),
        }
    }
}

/// The names of an opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct OpeningFields {
    en: Option<String>,
    ja: Option<String>,
}

impl OpeningFields {
    pub(crate) fn of(opening: &NamedOpening) -> Self {
        let name = |language| opening.name(language).map(ToOwned::to_owned);
        Self {
            en: name(OpeningLanguage::English),
            ja: name(OpeningLanguage::Japanese),
        }
    }

    /// The longest openings, in each language, that a game passes; `None` if there are none.
    pub(crate) fn along(names: &OpeningNames, game: &Game) -> Option<Self> {
        let name = |language| names.name(game, language).map(ToOwned::to_owned);
        let (en, ja) = (
            name(OpeningLanguage::English),
            name(OpeningLanguage::Japanese),
        );
        (en.is_some() || ja.is_some()).then_some(Self { en, ja })
    }
}
