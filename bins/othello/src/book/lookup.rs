//! `book lookup` and `book accuracy`; games and positions of the command line.

use std::process::ExitCode;

use clap::builder::{OsStringValueParser, TypedValueParser};
use othello_book::files;
use othello_book::files::BookLookup;
use othello_book::ops::{Accuracies, Accuracy};
use othello_book::store::{GameCounts, PositionData, PositionLookup as _};
use othello_core::{Board, Game, Move, Position, Side, State};
use othello_engine::OpeningNamer;
use othello_record::{ParsedRecord, RecordItem, argument_text, diagram, read_argument, read_one};
use serde_json::{Value, json};
use yane_cli::print::Printer;
use yane_cli::{Console, FINDINGS, QuietFlag, Settings, UsageError, print};
use yane_io::{Error, Progress as _};

use super::{open_book, temp_folder};
use crate::args::{Lookup, LookupArgs};
use crate::print::{Align, Table, count, counted, counts_json, counts_text, print_counts};

/// A move of a looked-up position.
struct MoveAnswer {
    mv: Move,
    value: i32,
    leaf: bool,
    /// The accuracy of the position behind it.
    accuracy: Option<Accuracy>,
    /// The level of the position behind it, or of the leaf's search.
    level: i8,
    lines: u32,
    /// Games of the book behind the move, for the player who makes it.
    games: GameCounts,
}

impl MoveAnswer {
    fn json(&self, value: i8) -> Value {
        json!({
            "move": self.mv.to_string(),
            "value": self.value,
            "error": i32::from(value) - self.value,
            "leaf": self.leaf,
            "accuracy": self.accuracy.map(|accuracy| accuracy.to_string()),
            "level": self.level,
            "lines": self.lines,
            "games": counts_json(self.games),
        })
    }

    /// The cells of a table, the last of which has games.
    fn row(&self, value: i8) -> [String; 7] {
        let accuracy = self.accuracy.map(|accuracy| accuracy.to_string());
        [
            self.mv.to_string(),
            format!("{:+}", self.value),
            (i32::from(value) - self.value).to_string(),
            accuracy.unwrap_or_else(|| "leaf".to_owned()),
            self.level.to_string(),
            if self.leaf {
                "-".to_owned()
            } else {
                count(self.lines.into())
            },
            if self.games.total() == 0 {
                "-".to_owned()
            } else {
                counts_text(self.games)
            },
        ]
    }
}

/// The moves of a board with their values, best first; then the leaf.
fn moves(
    book: &BookLookup<'_>,
    grades: &mut Accuracies<'_, BookLookup<'_>>,
    board: Board,
    known: &PositionData,
) -> Vec<MoveAnswer> {
    let links = board.legal_moves().iter().filter_map(|square| {
        let child = board.play_unchecked(square);
        let value = i32::from(book.value_of_move(child)?);
        let next = match child.state() {
            State::Pass => child.passed(),
            State::Moves | State::Over => child,
        };
        let behind = book.look_up(next).or_else(|| book.look_up(child));
        // A position before a forced pass is that of the opponent.
        let is_own = next != child && book.look_up(next).is_some();
        let behind = behind.or_else(|| book.look_up(child.passed()));
        let games = behind.as_ref().map_or_else(GameCounts::default, |known| {
            if is_own {
                known.games
            } else {
                known.games.for_opponent()
            }
        });
        Some(MoveAnswer {
            mv: Move::Place(square),
            value,
            leaf: false,
            accuracy: grades.of(child),
            level: behind.as_ref().map_or(-1, |known| known.level),
            lines: behind.map_or(0, |known| known.lines),
            games,
        })
    });
    let mut moves: Vec<_> = links.collect();
    moves.sort_by_key(|answer| -answer.value);
    let canonical = board.canonical();
    let leaf = known.leaf.edge.legal_on(canonical.board);
    let leaf = leaf.filter(|_| known.leaf.is_known());
    let leaf = leaf.map(|mv| MoveAnswer {
        mv: canonical.back().apply(mv),
        value: i32::from(known.leaf.edge.score),
        leaf: true,
        accuracy: None,
        level: known.leaf.level,
        lines: 0,
        games: GameCounts::default(),
    });
    let is_new = |leaf: &MoveAnswer| moves.iter().all(|link| link.mv != leaf.mv);
    let leaf = leaf.filter(is_new);
    moves.extend(leaf);
    moves
}

/// The answers of a book.
struct Answers<'a> {
    book: &'a BookLookup<'a>,
    grades: Accuracies<'a, BookLookup<'a>>,
    json: bool,
    openings: OpeningNamer,
    out: Printer,
}

/// A position of the book.
struct Answer {
    position: Position,
    known: PositionData,
    accuracy: String,
    moves: Vec<MoveAnswer>,
    opening: Option<String>,
    note: Option<&'static str>,
}

impl Answers<'_> {
    /// Finds the first interpretation of a record that is in the book, after a forced pass; returns its note too.
    fn find(&self, item: &RecordItem) -> Option<(Position, PositionData, Option<&'static str>)> {
        let record = item.record.as_ref().ok()?;
        record.interpretations().find_map(|(position, note)| {
            let position = position.after_forced_pass();
            Some((position, self.book.look_up(position.board())?, note))
        })
    }

    fn answer(&mut self, item: &RecordItem) -> Option<Answer> {
        let (position, known, note) = self.find(item)?;
        let board = position.board();
        let accuracy = self.grades.of(board).map(|accuracy| accuracy.to_string());
        let moves = match board.state() {
            State::Over => Vec::new(),
            State::Moves | State::Pass => moves(self.book, &mut self.grades, board, &known),
        };
        let game = item.record.as_ref().ok().map(|record| &record.game);
        let opening = game.and_then(|game| self.openings.name(game));
        Some(Answer {
            position,
            known,
            accuracy: accuracy.unwrap_or_default(),
            moves,
            opening: opening.map(str::to_owned),
            note,
        })
    }

    /// Prints the answer to a record, with its line if there are several; returns whether the book has it.
    fn print(&mut self, item: &RecordItem, is_one_of: bool) -> yane_io::Result<bool> {
        let answer = self.answer(item);
        let is_found = answer.is_some();
        let error = item.record.as_ref().err().map(ToString::to_string);
        if self.json {
            let mut answer = match (&answer, &error) {
                (Some(answer), _) => answer.json(),
                (None, Some(error)) => json!({ "error": error }),
                (None, None) => json!({ "found": false }),
            };
            if is_one_of {
                answer["line"] = json!(item.line);
                answer["text"] = json!(item.text);
            }
            self.out.line(answer.to_string())?;
            return Ok(is_found);
        }
        if is_one_of {
            let text = item.text.lines().next().unwrap_or_default();
            self.out.line(format!("line {}: {text}", item.line))?;
        }
        match (answer, error) {
            (Some(answer), _) => {
                for line in answer.lines() {
                    self.out.line(line)?;
                }
            }
            (None, Some(error)) => self.out.line(error)?,
            (None, None) => self.out.line("not in the book")?,
        }
        if is_one_of {
            self.out.line("")?;
        }
        Ok(is_found)
    }
}

impl Answer {
    /// The bitboards of the stored board, if it has another orientation.
    fn stored_bitboards(&self) -> Option<String> {
        let board = self.position.board();
        let canonical = board.canonical().board;
        let numbers = || {
            format!(
                "0x{:016x} 0x{:016x}",
                canonical.mover(),
                canonical.opponent()
            )
        };
        (canonical != board).then(numbers)
    }

    fn json(&self) -> Value {
        let known = &self.known;
        let moves = self.moves.iter().map(|answer| answer.json(known.value));
        json!({
            "found": true,
            "board": self.position.to_string(),
            "value": known.value,
            "accuracy": self.accuracy,
            "level": known.level,
            "lines": known.lines,
            "games": counts_json(known.games),
            "opening": self.opening,
            "moves": moves.collect::<Vec<_>>(),
            "turned": self.stored_bitboards().is_some(),
            "remark": self.note,
        })
    }

    /// The board, its value, and its moves.
    fn lines(&self) -> Vec<String> {
        let Self {
            position, known, ..
        } = self;
        let discs = u64::from(position.board().discs());
        let mut lines = vec![format!(
            "{}, {}",
            diagram(*position),
            counted(discs, "disc", "discs")
        )];
        lines.push(format!("Board: {position}"));
        if let Some(numbers) = self.stored_bitboards() {
            lines.push(format!("Stored in the book as {numbers}"));
        }
        lines.extend(self.opening.as_ref().map(|name| format!("Opening: {name}")));
        lines.extend(self.note.map(str::to_owned));
        let side = match position.side() {
            Side::Black => "Black",
            Side::White => "White",
        };
        let value = i64::from(known.value);
        lines.push(format!(
            "Value {value:+} {} for {side}, accuracy {}, level {}, {}",
            if value.abs() == 1 { "disc" } else { "discs" },
            self.accuracy,
            known.level,
            counted(known.lines.into(), "line", "lines"),
        ));
        let GameCounts {
            wins,
            draws,
            losses,
        } = known.games;
        // Only books that were made of games have them.
        let has_games = known.games.total() > 0 || self.moves.iter().any(|mv| mv.games.total() > 0);
        if has_games {
            lines.push(format!(
                "{}: {}, {}, {} of {side}",
                counted(known.games.total(), "game", "games"),
                counted(wins.into(), "win", "wins"),
                counted(draws.into(), "draw", "draws"),
                counted(losses.into(), "loss", "losses"),
            ));
        }
        let columns = [
            ("Move", Align::Left),
            ("Value", Align::Right),
            ("Loses", Align::Right),
            ("Accuracy", Align::Left),
            ("Level", Align::Right),
            ("Lines", Align::Right),
            ("Games", Align::Right),
        ];
        let shown = columns.len() - usize::from(!has_games);
        let mut table = Table::new(&columns[..shown]);
        for answer in &self.moves {
            table.row(answer.row(known.value).into_iter().take(shown));
        }
        if table.is_empty() {
            lines.push("No moves in the book.".to_owned());
        } else {
            lines.push(String::new());
            lines.extend(table.lines());
        }
        lines
    }
}

const fn code(is_found: bool) -> u8 {
    if is_found { 0 } else { FINDINGS }
}

pub(super) fn lookup(args: &LookupArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let items = games(&joined(&args.lookup.transcript, &args.more))?;
    let job = settings.job()?;
    let several = items.len() > 1;
    let openings = args.openings.openings()?;
    let args = &args.lookup;
    answer_each(args, &openings, settings, job, &items, |answers, item| {
        answers.print(item, several)
    })
}

/// A position of several words.
fn joined(first: &str, more: &[String]) -> String {
    std::iter::once(first)
        .chain(more.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Opens the book and answers each record; `answer` returns whether the book has it.
fn answer_each(
    args: &Lookup,
    openings: &OpeningNamer,
    settings: &Settings,
    job: yane_io::Job,
    items: &[RecordItem],
    mut answer: impl FnMut(&mut Answers<'_>, &RecordItem) -> yane_io::Result<bool>,
) -> anyhow::Result<ExitCode> {
    let input = args.reading.open(&args.book)?;
    let book = files::open_for_lookup(&input, args.reading.options(), temp_folder(&job), &job)?;
    drop(job);
    let mut answers = Answers {
        book: &book,
        grades: Accuracies::new(&book),
        json: settings.json,
        openings: openings.clone(),
        out: Printer::new(),
    };
    let mut all = true;
    for item in items {
        all &= answer(&mut answers, item)?;
    }
    answers.out.finish()?;
    Ok(ExitCode::from(code(all)))
}

/// Prints the grades of positions, or how many positions of the book have each.
pub(super) fn accuracy(args: &Lookup, settings: &Settings) -> anyhow::Result<ExitCode> {
    let items = games(&args.transcript)?;
    let job = settings.job()?;
    if args.transcript.is_empty() {
        let book = open_book(&args.book, &args.reading, &job)?.book;
        drop(job);
        let counts = Accuracies::new(&book).count().into_iter();
        let counts: Vec<_> = counts
            .map(|(grade, count)| (grade.to_string(), count))
            .collect();
        if settings.json {
            print_counts(&counts, true)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(&[("Accuracy", Align::Left), ("Positions", Align::Right)]);
        for (grade, n) in counts {
            table.row([grade, count(n)]);
        }
        print::lines(table.lines())?;
        return Ok(ExitCode::SUCCESS);
    }
    let several = items.len() > 1;
    let openings = OpeningNamer::default();
    answer_each(args, &openings, settings, job, &items, |answers, item| {
        let found = answers.find(item);
        let accuracy = found.and_then(|(position, ..)| answers.grades.of(position.board()));
        let error = item.record.as_ref().err().map(ToString::to_string);
        let line = if settings.json {
            let mut answer = match (accuracy, &error) {
                (Some(accuracy), _) => {
                    json!({ "found": true, "accuracy": accuracy.to_string() })
                }
                (None, Some(error)) => json!({ "error": error }),
                (None, None) => json!({ "found": false }),
            };
            if several {
                answer["line"] = json!(item.line);
                answer["text"] = json!(item.text);
            }
            answer.to_string()
        } else {
            let answer = match (accuracy, error) {
                (Some(accuracy), _) => format!("accuracy {accuracy}"),
                (None, Some(error)) => error,
                (None, None) => "not in the book".to_owned(),
            };
            if several {
                format!("line {}: {answer}", item.line)
            } else {
                answer
            }
        };
        answers.out.line(line)?;
        Ok(accuracy.is_some())
    })
}

// Games and positions of the command line.

/// A parser of arguments that are games or positions, in any terminal encoding.
pub(crate) fn record_parser() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|argument| argument_text(&argument))
}

/// The records of an argument, or of the file that it names.
pub(crate) fn games(text: &str) -> anyhow::Result<Vec<RecordItem>> {
    let items = read_argument(text)?;
    match items.as_slice() {
        [
            RecordItem {
                record: Err(error), ..
            },
        ] => Err(UsageError(error.to_string()).into()),
        [] => Err(Error::file(
            text,
            "no positions: there is no game or position in this file",
        )
        .into()),
        _ => Ok(items),
    }
}

/// The records of several arguments that are to be searched.
pub(crate) fn records(texts: &[String]) -> anyhow::Result<Vec<RecordItem>> {
    let mut all = Vec::new();
    for text in texts {
        let items = games(text)?;
        if let [item] = items.as_slice() {
            playable(item).map_err(UsageError)?;
        }
        all.extend(items);
    }
    Ok(all)
}

/// The record of an item; the error says why there is none, or that no game leads to its board.
pub(crate) fn playable(item: &RecordItem) -> Result<&ParsedRecord, String> {
    let record = item.record.as_ref().map_err(ToString::to_string)?;
    let start = record.game.start().board();
    start.check().map_err(|error| error.to_string())?;
    Ok(record)
}

/// The game of an option; a position is a game without moves. The interpretation is noted unless `--quiet`.
pub(crate) fn game(text: &str, settings: &Settings) -> Result<Game, UsageError> {
    let record = read_one(text).map_err(|error| UsageError(error.to_string()))?;
    if let Some(note) = record.note() {
        Console::new(QuietFlag(settings.quiet)).note(note);
    }
    Ok(record.game)
}
