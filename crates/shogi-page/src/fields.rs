//! How things of the game stand in messages.

use std::fmt::Display;
use std::ops::RangeInclusive;

use page_messages::{EventSink, PageFailure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shogi_core::{Color, Game, Move, Position, Square};
use shogi_kifu::MoveNotation;
use shogi_usi::{Score, ScoreBound};

/// Sends an answer.
pub(crate) fn send(sink: &dyn EventSink, name: &str, fields: &impl Serialize) {
    sink.event(name, serde_json::to_value(fields).unwrap_or_default());
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

/// A side, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SideName {
    Black,
    White,
}

impl From<Color> for SideName {
    fn from(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }
}

impl From<SideName> for Color {
    fn from(side: SideName) -> Self {
        match side {
            SideName::Black => Self::Black,
            SideName::White => Self::White,
        }
    }
}

/// Something that each side has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct BothSides<T> {
    pub(crate) black: T,
    pub(crate) white: T,
}

/// The language of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NamesChoice {
    /// Japanese.
    #[default]
    Ja,
    /// English.
    En,
    /// Names are left out.
    None,
}

impl NamesChoice {
    /// The notation; `None` if names are left out.
    pub(crate) const fn notation(self) -> Option<MoveNotation> {
        match self {
            Self::Ja => Some(MoveNotation::Japanese),
            Self::En => Some(MoveNotation::Western),
            Self::None => None,
        }
    }

    /// The name of a legal move; `None` if names are left out.
    pub(crate) fn name(
        self,
        position: &Position,
        m: Move,
        last_to: Option<Square>,
    ) -> Option<String> {
        self.notation().map(|one| one.name(position, m, last_to))
    }

    /// The name of a legal move at the end of a game.
    pub(crate) fn next(self, game: &Game, m: Move) -> Option<String> {
        self.name(game.position(), m, game.last_move().map(Move::to))
    }

    /// The names of a line from the end of a game; empty if names are left out.
    pub(crate) fn line(self, game: &Game, moves: &[Move]) -> Vec<String> {
        self.notation()
            .map(|one| one.line(game, moves))
            .unwrap_or_default()
    }
}

/// Moves as in USI.
pub(crate) fn usi_moves(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

/// A score as it stands in messages.
pub(crate) fn score_value(score: Score) -> Value {
    match score {
        Score::Cp(cp) => json!({ "cp": cp }),
        Score::Mate(plies) => json!({ "mate": plies.get() }),
        Score::MateUnknown => json!({ "mate": 1, "unknown": true }),
        Score::MatedUnknown => json!({ "mate": -1, "unknown": true }),
    }
}

/// The name of a bound.
pub(crate) const fn bound_name(bound: ScoreBound) -> &'static str {
    match bound {
        ScoreBound::Lower => "lower",
        ScoreBound::Upper => "upper",
    }
}
