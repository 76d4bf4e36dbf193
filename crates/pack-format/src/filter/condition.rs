//! Conditions of the filter.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Serialize, Serializer};

use crate::{EndReason, MoverOutcome, Sample, TeacherError, TeacherFormat, TeacherResult};

/// Condition that a position or a game must meet to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// Position: its score, seen by the player to move.
    Score(RangeInclusive<i16>),
    /// Position: the size of its score, whoever is ahead. Mates are 30,000 and more by custom.
    ScoreSize(RangeInclusive<u16>),
    /// Position: its ply number, 0 where that is not known. Only PSV has one.
    Ply(RangeInclusive<u16>),
    /// Position: whether the player to move is in check.
    InCheck(bool),
    /// Position: one of these results for the player to move.
    Outcome(Vec<MoverOutcome>),
    /// Position: the move played is neither a capture nor a promotion. It may be a drop or give check.
    /// A record without a move does not meet it.
    Quiet,
    /// Position: whether its record has a move.
    HasMove(bool),
    /// Position or game: one of these results.
    Result(Vec<TeacherResult>),
    /// Game of a pack file: one of these end reasons.
    Reason(Vec<EndReason>),
    /// Game of a pack file: the end reason can go with the result.
    Consistent,
    /// Game of a pack file: ply number of the start position.
    StartPly(RangeInclusive<u16>),
    /// Game: plies played.
    Length(RangeInclusive<u32>),
}

/// Properties of a game that conditions test.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameFacts {
    pub(super) result: TeacherResult,
    pub(super) length: u32,
    /// Properties found only in pack files: end reason and ply number of the start position.
    pub(super) pack: Option<(EndReason, u16)>,
}

impl Condition {
    /// Returns true if the condition is meaningful for files of this format.
    pub const fn applies_to(&self, format: TeacherFormat) -> bool {
        match format {
            TeacherFormat::Psv => self.is_of_positions(),
            TeacherFormat::Hcpe => self.is_of_positions() && !matches!(self, Self::Ply(_)),
            TeacherFormat::Pack => self.is_of_games(),
            TeacherFormat::Hcpe3 => matches!(self, Self::Result(_) | Self::Length(_)),
            TeacherFormat::Jsonl | TeacherFormat::Csv => false,
        }
    }

    const fn is_of_positions(&self) -> bool {
        !matches!(
            self,
            Self::Reason(_) | Self::Consistent | Self::StartPly(_) | Self::Length(_)
        )
    }

    const fn is_of_games(&self) -> bool {
        !self.is_of_positions() || matches!(self, Self::Result(_))
    }

    /// Refuses conditions that mean nothing for this format.
    pub(super) fn check(&self, format: TeacherFormat) -> crate::Result<()> {
        if self.applies_to(format) {
            return Ok(());
        }
        let games = matches!(format, TeacherFormat::Pack | TeacherFormat::Hcpe3);
        Err(TeacherError::Option(if games && !self.is_of_games() {
            format!(
                "\"{self}\" is a condition on positions, but {format} files consist of whole \
                 games: convert them to hcpe or psv first"
            )
        } else if !games && !self.is_of_positions() {
            format!("\"{self}\" is a condition on games, of which {format} files know nothing")
        } else {
            format!("\"{self}\" is a condition on something that {format} files do not say")
        }))
    }

    /// Returns true if a position meets the condition.
    pub(super) fn keeps_position(&self, sample: &Sample) -> bool {
        let position = &sample.position;
        match self {
            Self::Score(range) => range.contains(&sample.score.0),
            Self::ScoreSize(range) => range.contains(&sample.score.0.unsigned_abs()),
            Self::Ply(range) => range.contains(&(sample.ply.unwrap_or(0) as u16)),
            Self::InCheck(wanted) => position.in_check() == *wanted,
            Self::Outcome(wanted) => {
                wanted.contains(&sample.result.seen_by(position.side_to_move()))
            }
            Self::Quiet => sample
                .mv
                .is_some_and(|mv| !mv.is_promotion() && position.piece_on(mv.to()).is_none()),
            Self::HasMove(wanted) => sample.mv.is_some() == *wanted,
            Self::Result(wanted) => wanted.contains(&sample.result),
            Self::Reason(_) | Self::Consistent | Self::StartPly(_) | Self::Length(_) => true,
        }
    }

    /// Returns true if a game meets the condition.
    pub(super) fn keeps_game(&self, game: &GameFacts) -> bool {
        match self {
            Self::Result(wanted) => wanted.contains(&game.result),
            Self::Length(range) => range.contains(&game.length),
            Self::Reason(wanted) => game.pack.is_none_or(|(reason, _)| wanted.contains(&reason)),
            Self::Consistent => game
                .pack
                .is_none_or(|(reason, _)| reason.allows(game.result)),
            Self::StartPly(range) => game.pack.is_none_or(|(_, ply)| range.contains(&ply)),
            _ => true,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Score(range) => write_range(f, "score", range),
            Self::ScoreSize(range) => write_range(f, "size of the score", range),
            Self::Ply(range) => write_range(f, "ply", range),
            Self::InCheck(true) => f.write_str("in check"),
            Self::InCheck(false) => f.write_str("not in check"),
            Self::Outcome(wanted) => {
                let names = wanted.iter().map(|outcome| match outcome {
                    MoverOutcome::Win => "win",
                    MoverOutcome::Draw => "draw",
                    MoverOutcome::Loss => "loss",
                });
                write_list(f, "outcome", names)
            }
            Self::Quiet => f.write_str("quiet move"),
            Self::HasMove(true) => f.write_str("has a move"),
            Self::HasMove(false) => f.write_str("has no move"),
            Self::Result(wanted) => {
                write_list(f, "result", wanted.iter().map(|result| result.name()))
            }
            Self::Reason(wanted) => write_list(f, "end reason", wanted.iter()),
            Self::Consistent => f.write_str("end reason goes with the result"),
            Self::StartPly(range) => write_range(f, "ply of the start", range),
            Self::Length(range) => write_range(f, "plies", range),
        }
    }
}

fn write_range<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    range: &RangeInclusive<T>,
) -> fmt::Result {
    write!(f, "{name} {} to {}", range.start(), range.end())
}

fn write_list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    items: impl Iterator<Item = T>,
) -> fmt::Result {
    write!(f, "{name}")?;
    for (index, item) in items.enumerate() {
        let separator = if index == 0 { " " } else { " or " };
        write!(f, "{separator}{item}")?;
    }
    Ok(())
}

impl Serialize for Condition {
    /// Serializes the condition as its text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
