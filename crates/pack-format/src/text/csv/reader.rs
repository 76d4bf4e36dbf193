//! Rows of a stream.

use std::collections::VecDeque;
use std::io::BufRead;

use super::games::Games;
use super::parse::{Columns, InvalidRow, Owner, Row};
use crate::text::lines::Lines;
use crate::text::{InvalidLine, TextLine, TextProblem, TextReadError};

/// The games and positions of a CSV stream. After a invalid row it goes on with the next one that does
/// not belong to the same game; after an error of the stream or in the header it ends.
///
/// Memory is bounded by the longest game.
#[derive(Debug)]
pub struct CsvReader<R> {
    lines: Lines<R>,
    /// The header, as text and read.
    columns: Option<(String, Columns)>,
    games: Games,
    /// What is complete.
    ready: VecDeque<Result<TextLine, TextReadError>>,
    ended: bool,
}

impl<R: BufRead> CsvReader<R> {
    /// A reader.
    pub fn new(stream: R) -> Self {
        Self {
            lines: Lines::new(stream),
            columns: None,
            games: Games::default(),
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
