//! Mode 5: what the book says of positions that are given by their numbers.

use std::path::Path;

use othello_book::Edge;
use othello_book::store::{Found, Index};
use othello_core::Board;
use serde_json::{Value, json};
use yane_io::Error;

/// What came of a line of the file.
pub(crate) struct Answer {
    line: usize,
    text: String,
    found: Result<Option<Known>, String>,
}

struct Known {
    value: i16,
    links: Vec<(u8, i8)>,
    leaf: Option<(u8, i8)>,
}

impl Known {
    fn of(found: &Found<'_>) -> Self {
        let record = found.record;
        let leaf = record.leaf();
        Self {
            value: record.value(),
            links: record.links().map(turned).collect(),
            leaf: (leaf.number != Edge::NONE).then(|| turned(leaf)),
        }
    }
}

/// The move as the classic programs number it: a1 = 0 where the board is read with a1 as the highest bit.
const fn turned(edge: Edge) -> (u8, i8) {
    let number = if edge.number < 64 {
        63 - edge.number
    } else {
        edge.number
    };
    (number, edge.score)
}

/// Looks up the positions of a file, as they are: boards in any other direction are other boards.
pub(crate) fn answers(index: &Index<'_>, path: &Path) -> Result<Vec<Answer>, Error> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, text)| !text.trim().is_empty());
    let answers = lines.map(|(n, text)| Answer {
        line: n + 1,
        text: text.trim().to_owned(),
        found: board(text).map(|board| index.find(board).map(|found| Known::of(&found))),
    });
    Ok(answers.collect())
}

/// Two hexadecimal numbers as the file has them, without turning anything.
fn board(text: &str) -> Result<Board, String> {
    let board = Board::from_bitboards(text).map_err(|error| error.to_string())?;
    // The book's own numbers, which read with a1 as the lowest bit are the same board turned by half.
    let [mover, opponent] = board.h8_first();
    Board::new(mover, opponent).map_err(|error| error.to_string())
}

impl Answer {
    pub(crate) const fn is_found(&self) -> bool {
        matches!(self.found, Ok(Some(_)))
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let known = match &self.found {
            Err(error) => return format!("line {}: {error}", self.line),
            Ok(None) => return format!("{}: not in the book", self.text),
            Ok(Some(known)) => known,
        };
        let links: Vec<_> = known.links.iter().copied().map(move_text).collect();
        let leaf = known.leaf.map_or_else(|| "none".to_owned(), move_text);
        format!(
            "{}: value {:+}, links {}, leaf {leaf}",
            self.text,
            known.value,
            if links.is_empty() {
                "none".to_owned()
            } else {
                links.join(" ")
            }
        )
    }

    /// For programs. Moves as [number, value], a1 = 0.
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
