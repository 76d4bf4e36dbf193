//! Reading the values of fields.

use std::fmt;

use shogi_core::{Move, MoveError, MoveText, Position};

use super::TextProblem;
use crate::sample::NO_MOVE;
use crate::{Sample, TeacherResult, TeacherScore};

/// Valid values of the fields, for messages.
pub(super) const SCORE: &str = "a number from -32768 to 32767";
pub(super) const RESULT: &str = "0 (draw), 1 (black) or 2 (white)";
pub(super) const PLY: &str = "a number from 0 to 4294967295";
pub(super) const BYTE: &str = "a number from 0 to 255";

/// The problem of a value that cannot be.
pub(super) fn value(
    field: &'static str,
    found: impl fmt::Debug,
    expected: &'static str,
) -> TextProblem {
    TextProblem::Value {
        field,
        found: excerpt(&format!("{found:?}")),
        expected,
    }
}

/// The problem of a field that says one thing when the others say another.
pub(super) fn disagrees(
    field: &'static str,
    found: impl fmt::Display,
    expected: impl fmt::Display,
) -> TextProblem {
    TextProblem::Disagrees {
        field,
        found: excerpt(&found.to_string()),
        expected: expected.to_string(),
    }
}

/// As much of a text as fits into a message.
fn excerpt(text: &str) -> String {
    const LEN: usize = 200;
    match text.char_indices().nth(LEN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A number that fits its type.
pub(super) fn number<T: TryFrom<i64>>(
    field: &'static str,
    found: i64,
    expected: &'static str,
) -> Result<T, TextProblem> {
    T::try_from(found).map_err(|_| value(field, found, expected))
}

pub(super) fn score(field: &'static str, found: i64) -> Result<TeacherScore, TextProblem> {
    number(field, found, SCORE).map(TeacherScore)
}

pub(super) fn result(field: &'static str, found: i64) -> Result<TeacherResult, TextProblem> {
    u8::try_from(found)
        .ok()
        .and_then(TeacherResult::from_number)
        .ok_or_else(|| value(field, found, RESULT))
}

pub(super) fn sfen(field: &'static str, text: &str) -> Result<Position, TextProblem> {
    Position::from_sfen(text).map_err(|error| TextProblem::Sfen { field, error })
}

/// The move that `text` names, with the piece that makes it. Legality is not checked.
pub(super) fn named_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let parsed = MoveText::from_usi(text).ok_or_else(|| MoveError::Syntax(excerpt(text)))?;
    position
        .complete(parsed)
        .ok_or_else(|| MoveError::Illegal(text.to_owned()))
}

/// The fields of a position, not yet checked.
pub(super) struct RawSample<'a> {
    pub(super) sfen: &'a str,
    pub(super) mv: &'a str,
    pub(super) score: TeacherScore,
    pub(super) result: TeacherResult,
    pub(super) ply: Option<u32>,
}

impl RawSample<'_> {
    /// The sample. The SFEN's own ply number counts only where there is no other.
    pub(super) fn check(self) -> Result<Sample, TextProblem> {
        let position = sfen("sfen", self.sfen)?;
        if let Some(ply) = self.ply
            && self.sfen.split_ascii_whitespace().count() == 4
            && ply != position.ply()
        {
            return Err(disagrees("ply", ply, position.ply()));
        }
        let mv = match self.mv {
            NO_MOVE => None,
            text => Some(
                position
                    .move_from_usi(text)
                    .map_err(|error| TextProblem::Move {
                        field: "move",
                        error,
                    })?,
            ),
        };
        Ok(Sample {
            position: position.with_ply(self.ply.unwrap_or(1)),
            mv,
            score: self.score,
            result: self.result,
            ply: self.ply,
        })
    }
}
