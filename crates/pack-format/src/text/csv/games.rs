//! Games from the rows of their plies.

use super::parse::{Membership, Row};
use crate::pack::GameBuilder;
use crate::text::fields::disagrees;
use crate::text::{TextLine, TextProblem};
use crate::{EndReason, Sample, TeacherResult};

/// A game whose rows are being read.
#[derive(Debug)]
struct Open {
    game: String,
    builder: GameBuilder,
    result: TeacherResult,
    reason: EndReason,
}

impl Open {
    fn play(&mut self, sample: &Sample, reason: EndReason) -> Result<(), TextProblem> {
        let expected = self.builder.position();
        if sample.position != *expected {
            let expected = expected.to_sfen();
            return Err(TextProblem::Successor { expected });
        }
        if sample.result != self.result {
            let (found, expected) = (sample.result.name(), self.result.name());
            return Err(disagrees("result", found, expected));
        }
        if reason != self.reason {
            return Err(disagrees("reason", reason, self.reason));
        }
        let mv = sample.mv.ok_or(TextProblem::Missing("move"))?;
        Ok(self.builder.play(mv, sample.score)?)
    }
}

/// Collects the rows of games.
#[derive(Debug, Default)]
pub(super) struct Games {
    open: Option<Open>,
    /// The game that had a invalid row: what follows of it is left out.
    spoiled: Option<String>,
}

impl Games {
    /// The game whose rows have come to an end, if there is one.
    pub(super) fn end(&mut self) -> Option<TextLine> {
        let open = self.open.take()?;
        let game = open.builder.finish_as_read(open.result, open.reason);
        Some(TextLine::Game(game))
    }

    /// Takes notice of the game that the next row belongs to, whether it can be read or not; gives
    /// the game before it that has come to an end.
    pub(super) fn turn_to(&mut self, game: Option<&str>) -> Option<TextLine> {
        if self.spoiled.as_deref() != game {
            self.spoiled = None;
        }
        match &self.open {
            Some(open) if Some(&*open.game) != game => self.end(),
            _ => None,
        }
    }

    /// Takes a row of the game turned to; gives what is complete with it.
    pub(super) fn push(&mut self, row: Row) -> Result<Option<TextLine>, TextProblem> {
        let Some(Membership { game, reason }) = row.game else {
            return Ok(Some(TextLine::Sample(row.sample)));
        };
        if self.spoiled.as_ref() == Some(&game) {
            return Ok(None);
        }
        if self.open.is_none() {
            self.open = Some(Open {
                builder: GameBuilder::new(row.sample.position.clone())?,
                game,
                result: row.sample.result,
                reason,
            });
        }
        if let Some(open) = &mut self.open {
            open.play(&row.sample, reason)?;
        }
        Ok(None)
    }

    /// Leaves out a game, because one of its rows is invalid.
    pub(super) fn spoil(&mut self, game: Option<String>) {
        self.open = None;
        self.spoiled = game;
    }

    /// Leaves out the game being read, because a row that cannot be read may have been its.
    pub(super) fn spoil_open(&mut self) {
        if let Some(open) = self.open.take() {
            self.spoiled = Some(open.game);
        }
    }
}
