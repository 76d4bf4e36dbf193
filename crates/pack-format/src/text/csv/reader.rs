//! Rows of a stream.

use std::collections::VecDeque;
use std::io::BufRead;

use super::parse::{Columns, InvalidRow, Membership, Owner, Row};
use crate::pack::GameBuilder;
use crate::text::fields::disagrees;
use crate::text::{InvalidLine, Lines, TextLine, TextProblem, TextReadError};
use crate::{EndReason, Sample, TeacherResult};

/// The games and positions of a CSV stream. After a invalid row it goes on with the next one that does
/// not belong to the same game; after an error of the stream or in the header it ends.
///
/// Memory is bounded by the longest game.
#[derive(Debug)]
pub struct CsvReader<R> {
    lines: Lines<R>,
    /// The header, as text and read.
    columns: Option<(String, Columns)>,
    games: RowGames,
    /// Completed games and positions.
    ready: VecDeque<Result<TextLine, TextReadError>>,
    ended: bool,
}

impl<R: BufRead> CsvReader<R> {
    /// Returns a reader.
    pub fn new(stream: R) -> Self {
        Self {
            lines: Lines::new(stream),
            columns: None,
            games: RowGames::default(),
            ready: VecDeque::new(),
            ended: false,
        }
    }

    /// Number of the last line that was read, from 1.
    pub const fn line(&self) -> u64 {
        self.lines.number()
    }

    /// Reads a line and puts what it completes into `ready`.
    fn advance(&mut self) {
        let line = match self.lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => {
                self.ended = true;
                self.ready.extend(self.games.end().map(Ok));
                return;
            }
            Err(error) => {
                // It may have been a row of the game.
                self.games.spoil_open();
                self.ready.push_back(Err(error));
                return;
            }
        };
        let Some((header, columns)) = &self.columns else {
            match Columns::from_header(line) {
                Ok(columns) => self.columns = Some((line.to_owned(), columns)),
                Err(problem) => {
                    self.ended = true;
                    self.fail(problem);
                }
            }
            return;
        };
        if line == header {
            self.turn_to(None);
            return;
        }
        match columns.parse(line) {
            Ok(row) => self.take(row),
            Err(InvalidRow { owner, problem }) => {
                match owner {
                    Owner::Unknown => self.games.spoil_open(),
                    Owner::Nobody => self.turn_to(None),
                    Owner::Game(game) => {
                        self.turn_to(Some(&game));
                        self.games.spoil(Some(game));
                    }
                }
                self.fail(problem);
            }
        }
    }

    fn take(&mut self, row: Row) {
        let game = row.game.as_ref().map(|it| it.game.clone());
        self.turn_to(game.as_deref());
        match self.games.push(row) {
            Ok(line) => self.ready.extend(line.map(Ok)),
            Err(problem) => {
                self.games.spoil(game);
                self.fail(problem);
            }
        }
    }

    fn turn_to(&mut self, game: Option<&str>) {
        self.ready.extend(self.games.turn_to(game).map(Ok));
    }

    fn fail(&mut self, problem: TextProblem) {
        let line = self.lines.number();
        self.ready
            .push_back(Err(InvalidLine { line, problem }.into()));
    }
}

impl<R: BufRead> Iterator for CsvReader<R> {
    type Item = Result<TextLine, TextReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.ended {
            self.advance();
        }
        self.ready.pop_front()
    }
}

// RowGames from the rows of their plies.

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
pub(super) struct RowGames {
    open: Option<Open>,
    /// The game that had a invalid row: what follows of it is left out.
    spoiled: Option<String>,
}

impl RowGames {
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
