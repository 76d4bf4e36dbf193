//! Books as text: a line a position, for people and for comparing; and Edax's own text form.

use std::fmt::Write as _;

use othello_core::{Position, Side};

use crate::Edge;
use crate::edax::{Header, Record};
use crate::egaroucid::Entry;

/// What the lines of [`edax_line`] hold, with the header of the book, as two lines that begin with `#`.
pub fn edax_head(header: &Header) -> String {
    format!(
        "# version 4.{} level {} n_empties {} midgame_error {} endcut_error {} verbosity {} n_nodes {}\n\
         # player opponent (a1 = bit 0) | wins draws losses lines | value lower upper | level | links \
         score:square... in file order | leaf score:square (65 = none, 64 = pass)\n",
        header.release,
        header.level,
        header.n_empties,
        header.midgame_error,
        header.endcut_error,
        header.verbosity,
        header.n_nodes
    )
}

/// A position of an Edax book as a line, all fields.
pub fn edax_line(record: &Record) -> String {
    let mut line = format!(
        "{:016x} {:016x} | {} {} {} {} | {} {} {} | {} |",
        record.board.mover(),
        record.board.opponent(),
        record.wins,
        record.draws,
        record.losses,
        record.lines,
        record.value,
        record.lower,
        record.upper,
        record.level
    );
    for link in &record.links {
        // Writing to a string does not fail.
        let _ = write!(line, " {}:{}", link.score, link.number);
    }
    if record.links.is_empty() {
        line.push_str(" -");
    }
    let leaf = record.leaf;
    let _ = writeln!(line, " | {}:{}", leaf.score, leaf.number);
    line
}

/// What the lines of [`egaroucid_line`] hold, as two lines that begin with `#`.
pub fn egaroucid_head(count: usize) -> String {
    format!(
        "# boards {count}\n\
         # player opponent (h8 = bit 0; canonical pair is the same number as in the a1 = bit 0 view) | value level \
         n_lines | leaf value move level (move = h8-based bit index, 65 none, 125 undefined)\n"
    )
}

/// A position of an Egaroucid book as a line, all fields but an `.egbk2`'s moves.
pub fn egaroucid_line(entry: &Entry) -> String {
    format!(
        "{:016x} {:016x} | {} {} {} | {} {} {}\n",
        entry.board.mover(),
        entry.board.opponent(),
        entry.value,
        entry.level,
        entry.lines,
        entry.leaf.edge.score,
        entry.leaf.edge.number,
        entry.leaf.level
    )
}

/// A position as Edax's `book export` writes it: the board from the mover's view, level, leaf. Links and values are not
/// part of this form.
pub fn edax_export_line(record: &Record) -> String {
    let leaf = match (record.leaf.number, record.leaf.mv()) {
        (Edge::NONE, _) | (_, None) => "--".to_owned(),
        (_, Some(mv)) => mv.to_string().to_ascii_uppercase(),
    };
    let position = Position::new(record.board, Side::Black);
    format!("{position},{},{leaf},{}\n", record.level, record.leaf.score)
}
