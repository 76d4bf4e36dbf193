//! `book lookup` and `book accuracy`.

use std::process::ExitCode;

use othello_book::files::Asked;
use othello_book::ops::{Accuracies, Accuracy};
use othello_book::store::{Find as _, Known};
use othello_core::{Board, Move, Position, State};
use serde_json::{Value, json};
use yane_cli::{FINDINGS, Settings, print};

use super::tell::tell;
use super::{ask, open, rows};
use crate::args::Lookup;
use crate::transcript::game;

/// What a book says of a move.
struct Told {
    mv: Move,
    value: i32,
    leaf: bool,
    /// Of the position behind it.
    accuracy: Option<Accuracy>,
    /// Likewise; of a leaf, that of its own search.
    level: i8,
    lines: u32,
}

impl Told {
    fn json(&self, value: i8) -> Value {
        json!({
            "move": self.mv.to_string(),
            "value": self.value,
            "error": i32::from(value) - self.value,
            "leaf": self.leaf,
            "accuracy": self.accuracy.map(|accuracy| accuracy.to_string()),
            "level": self.level,
            "lines": self.lines,
        })
    }

    fn line(&self) -> String {
        let Self {
            mv,
            value,
            level,
            lines,
            ..
        } = self;
        match self.accuracy {
            Some(accuracy) => format!("{mv} {value:+}, {accuracy}, level {level}, lines {lines}"),
            None => format!("{mv} {value:+} leaf, level {level}"),
        }
    }
}

/// The moves of a board with their values, best first; then the leaf, turned to the board.
fn moves(
    book: &Asked<'_>,
    grades: &mut Accuracies<'_, Asked<'_>>,
    board: Board,
    known: &Known,
) -> Vec<Told> {
    let links = board.legal_moves().iter().filter_map(|square| {
        let child = board.play_legal(square);
        let value = i32::from(book.value_of_move(child)?);
        let next = match child.state() {
            State::Pass => child.passed(),
            State::Moves | State::Over => child,
        };
        let behind = book.look_up(next).or_else(|| book.look_up(child));
        let behind = behind.or_else(|| book.look_up(child.passed()));
        Some(Told {
            mv: Move::Place(square),
            value,
            leaf: false,
            accuracy: grades.of(child),
            level: behind.as_ref().map_or(-1, |known| known.level),
            lines: behind.map_or(0, |known| known.lines),
        })
    });
    let mut moves: Vec<_> = links.collect();
    moves.sort_by_key(|told| -told.value);
    let canonical = board.canonical();
    let leaf = known.leaf.edge.legal_on(canonical.board);
    let leaf = leaf.filter(|_| known.leaf.is_known());
    let leaf = leaf.map(|mv| Told {
        mv: canonical.back().turn(mv),
        value: i32::from(known.leaf.edge.score),
        leaf: true,
        accuracy: None,
        level: known.leaf.level,
        lines: 0,
    });
    let is_new = |leaf: &Told| moves.iter().all(|link| link.mv != leaf.mv);
    let leaf = leaf.filter(is_new);
    moves.extend(leaf);
    moves
}

/// The position of a transcript, behind a pass that must be.
fn position(args: &Lookup) -> anyhow::Result<Position> {
    Ok(game(&args.transcript)?.position().after_forced_pass())
}

fn not_found(json: bool) -> anyhow::Result<ExitCode> {
    if json {
        print::json(&json!({ "found": false }))?;
    } else {
        print::lines(["not in the book"])?;
    }
    Ok(ExitCode::from(FINDINGS))
}

pub(super) fn lookup(args: &Lookup, settings: &Settings) -> anyhow::Result<ExitCode> {
    let position = position(args)?;
    let job = settings.job()?;
    let input = open(&args.book, &args.reading)?;
    let book = ask(&input, &args.reading, &job)?;
    drop(job);
    let board = position.board();
    let Some(known) = book.look_up(board) else {
        return not_found(settings.json);
    };
    let mut grades = Accuracies::new(&book);
    let accuracy = grades.of(board).map(|accuracy| accuracy.to_string());
    let accuracy = accuracy.unwrap_or_default();
    let moves = match board.state() {
        State::Over => Vec::new(),
        State::Moves | State::Pass => moves(&book, &mut grades, board, &known),
    };
    if settings.json {
        let moves = moves.iter().map(|told| told.json(known.value));
        print::json(&json!({
            "found": true,
            "board": position.to_string(),
            "value": known.value,
            "accuracy": accuracy,
            "level": known.level,
            "lines": known.lines,
            "moves": moves.collect::<Vec<_>>(),
        }))?;
    } else {
        let head = format!(
            "{position}: value {:+}, {accuracy}, level {}, lines {}",
            known.value, known.level, known.lines
        );
        print::lines([head].into_iter().chain(moves.iter().map(Told::line)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The grade of a position if moves are given, else how many positions have each.
pub(super) fn accuracy(args: &Lookup, settings: &Settings) -> anyhow::Result<ExitCode> {
    let position = position(args)?;
    let job = settings.job()?;
    if args.transcript.is_empty() {
        let book = rows(&args.book, None, &args.reading, &job)?.rows;
        drop(job);
        let counts = Accuracies::new(&book).count().into_iter();
        let counts: Vec<_> = counts
            .map(|(grade, count)| (grade.to_string(), count))
            .collect();
        tell(&counts, settings.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let input = open(&args.book, &args.reading)?;
    let book = ask(&input, &args.reading, &job)?;
    drop(job);
    let mut grades = Accuracies::new(&book);
    let Some(accuracy) = grades.of(position.board()) else {
        return not_found(settings.json);
    };
    if settings.json {
        print::json(&json!({ "found": true, "accuracy": accuracy.to_string() }))?;
    } else {
        print::lines([accuracy.to_string()])?;
    }
    Ok(ExitCode::SUCCESS)
}
