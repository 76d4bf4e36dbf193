//! Mode 5: lookups of positions.

use std::path::Path;
use std::process::ExitCode;

use othello_book::Edge;
use othello_book::store::{EdaxIndex, IndexHit};
use othello_core::{Board, Position, State, Symmetry};
use othello_record::{BitOrder, LineMode, ParsedRecord, RecordItem, RecordKind, read_file};
use serde_json::{Value, json};
use yane_io::Error;

/// The answer to a position of the file.
pub(crate) struct Answer {
    line: usize,
    text: String,
    found: Result<Option<FoundRecord>, String>,
}

/// The record of a position, with moves in the orientation of the query.
struct FoundRecord {
    value: i16,
    links: Vec<(u8, i8)>,
    leaf: Option<(u8, i8)>,
    /// The bitboards of the stored board, if it has another orientation.
    stored: Option<String>,
    note: Option<&'static str>,
}

impl FoundRecord {
    /// Converts a record; `back` leads from its board to that of the query.
    fn of(found: &IndexHit<'_>, back: Symmetry) -> Self {
        let record = found.record;
        let leaf = record.leaf();
        let transformed = |edge| transformed(edge, back);
        Self {
            value: record.value(),
            links: record.links().map(transformed).collect(),
            leaf: (leaf.number != Edge::NONE).then(|| transformed(leaf)),
            stored: None,
            note: None,
        }
    }
}

/// The move in the orientation of the query, a1 = 0; a pass and "no move" keep their numbers.
fn transformed(edge: Edge, back: Symmetry) -> (u8, i8) {
    let number = match edge.mv() {
        Some(mv) => Edge::new(edge.score, back.apply(mv)).number,
        None => edge.number,
    };
    (number, edge.score)
}

/// Looks up the positions of a file, in any orientation.
pub(crate) fn answers(index: &EdaxIndex<'_>, path: &Path) -> Result<Vec<Answer>, Error> {
    let items = read_file(path, LineMode::PerLine)?;
    if items.is_empty() {
        return Err(Error::file(path, "there are no positions in this file"));
    }
    let answers = items.into_iter().map(|item| Answer {
        line: item.line,
        text: text_of(&item),
        found: match &item.record {
            Ok(record) => Ok(find(index, record)),
            Err(error) => Err(error.to_string()),
        },
    });
    Ok(answers.collect())
}

/// The text of a record; of one over several lines, its game or position on one.
fn text_of(item: &RecordItem) -> String {
    match &item.record {
        Ok(record) if item.text.contains('\n') => {
            let game = &record.game;
            let start = (game.start() != Position::START).then(|| game.start().to_string());
            let moves = (!game.moves().is_empty()).then(|| game.to_string());
            let parts: Vec<_> = start.into_iter().chain(moves).collect();
            if parts.is_empty() {
                game.start().to_string()
            } else {
                parts.join(" ")
            }
        }
        _ => item.text.lines().next().unwrap_or_default().to_owned(),
    }
}

/// Finds the first interpretation of a record that is in the book, then those after a forced pass.
fn find(index: &EdaxIndex<'_>, record: &ParsedRecord) -> Option<FoundRecord> {
    let readings: Vec<_> = record.interpretations().collect();
    let must_pass = |(position, _): &&(Position, _)| position.board().state() == State::Pass;
    let passed = readings.iter().filter(must_pass);
    let passed = passed.map(|(position, note)| (position.passed(), *note));
    let mut all = readings.iter().copied().chain(passed);
    all.find_map(|(position, note)| {
        let known = find_board(index, position.board(), record.kind)?;
        Some(FoundRecord { note, ..known })
    })
}

/// Finds a board as given, else its canonical board.
fn find_board(index: &EdaxIndex<'_>, board: Board, kind: RecordKind) -> Option<FoundRecord> {
    // Bitboards copied from the book itself are rotated by 180 degrees when read with h8 = bit 0.
    let as_it_is = match kind {
        RecordKind::Bitboards(BitOrder::H8) => Symmetry::ROTATION,
        _ => Symmetry::IDENTITY,
    };
    if let Some(found) = index.find(as_it_is.board(board)) {
        return Some(FoundRecord::of(&found, as_it_is.inverse()));
    }
    let canonical = board.canonical();
    let found = index.find(canonical.board)?;
    let [mover, opponent] = [canonical.board.mover(), canonical.board.opponent()];
    Some(FoundRecord {
        stored: Some(format!("0x{mover:016x} 0x{opponent:016x}")),
        ..FoundRecord::of(&found, canonical.back())
    })
}

/// The exit code: whether all were found.
pub(crate) fn code(answers: &[Answer]) -> ExitCode {
    let all = answers
        .iter()
        .all(|answer| matches!(answer.found, Ok(Some(_))));
    ExitCode::from(if all { 0 } else { yane_cli::FINDINGS })
}

impl Answer {
    /// The answer as text.
    pub(crate) fn text(&self) -> String {
        let known = match &self.found {
            Err(error) => return format!("line {}: {error}", self.line),
            Ok(None) => return format!("{}: not in the book", self.text),
            Ok(Some(known)) => known,
        };
        let links: Vec<_> = known.links.iter().copied().map(move_text).collect();
        let leaf = known.leaf.map_or_else(|| "none".to_owned(), move_text);
        let mut text = format!(
            "{}: value {:+}, links {}, leaf {leaf}",
            self.text,
            known.value,
            if links.is_empty() {
                "none".to_owned()
            } else {
                links.join(" ")
            }
        );
        if let Some(numbers) = &known.stored {
            text.push_str("; stored in the book as ");
            text.push_str(numbers);
        }
        if let Some(note) = known.note {
            text.push_str("; ");
            text.push_str(note);
        }
        text
    }

    /// The answer as JSON. Moves are [number, value], a1 = 0.
    pub(crate) fn json(&self) -> Value {
        match &self.found {
            Err(error) => json!({ "line": self.line, "text": self.text, "error": error }),
            Ok(None) => json!({ "line": self.line, "text": self.text, "found": false }),
            Ok(Some(known)) => json!({
                "line": self.line,
                "text": self.text,
                "found": true,
                "value": known.value,
                "links": known.links,
                "leaf": known.leaf,
                "turned": known.stored.is_some(),
                "remark": known.note,
            }),
        }
    }
}

fn move_text((number, score): (u8, i8)) -> String {
    let edge = Edge { score, number };
    match edge.mv() {
        Some(mv) => format!("{mv}:{score:+}"),
        None => format!("{number}:{score:+}"),
    }
}
