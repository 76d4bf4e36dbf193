//! Books as text: a line a position, for people and for comparisons; and Edax's own text format.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::str::Utf8Error;

use othello_core::{Board, Move, Position, PositionError, Side, State};
use yane_io::sniff::Head;
use yane_io::{TextEncoding, decode_text};

use crate::Edge;
use crate::edax::{EdaxHeader, EdaxRecord};
use crate::egaroucid::EgaroucidRecord;

/// The header of a text of [`edax_line`]s: two lines that begin with `#`.
pub fn edax_head(header: &EdaxHeader) -> String {
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

/// Formats a record of Edax as a line with all fields.
pub fn edax_line(record: &EdaxRecord) -> String {
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

/// The header of a text of [`egaroucid_line`]s: two lines that begin with `#`.
pub fn egaroucid_head(count: usize) -> String {
    format!(
        "# boards {count}\n\
         # player opponent (h8 = bit 0; canonical pair is the same number as in the a1 = bit 0 view) | value level \
         n_lines | leaf value move level (move = h8-based bit index, 65 none, 125 undefined)\n"
    )
}

/// Formats a record of Egaroucid as a line with all fields but an `.egbk2`'s moves.
pub fn egaroucid_line(entry: &EgaroucidRecord) -> String {
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

/// Formats a record as Edax's `book export` does: the board from the mover's view, level, leaf. The format has no links
/// and no values.
pub fn edax_export_line(record: &EdaxRecord) -> String {
    let leaf = match (record.leaf.number, record.leaf.mv()) {
        (Edge::NONE, _) | (_, None) => "--".to_owned(),
        (_, Some(mv)) => mv.to_string().to_ascii_uppercase(),
    };
    let position = Position::new(record.board, Side::Black);
    format!("{position},{},{leaf},{}\n", record.level, record.leaf.score)
}

/// Why a line is no position of a text book of Edax.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EdaxLineError {
    /// Bytes that are no text.
    #[error(transparent)]
    Encoding(#[from] Utf8Error),
    /// No board at the begin.
    #[error(transparent)]
    Board(#[from] PositionError),
    /// No level behind the board.
    #[error("a comma and the level were expected behind the board")]
    NoLevel,
    /// A level that is none.
    #[error("a level of '{0}', 0 to 60 was expected")]
    Level(String),
    /// A leaf that is none.
    #[error("a leaf '{0}', a legal move or '--' was expected")]
    Leaf(String),
    /// A leaf without its value.
    #[error("the leaf's value was expected behind it")]
    NoLeafValue,
    /// A leaf's value that is none.
    #[error("a leaf's value of '{0}', -64 to 64 was expected")]
    LeafValue(String),
    /// Text where the line should end.
    #[error("',{0}' behind the leaf's value, where the line should end")]
    Behind(String),
}

/// The value of a position without a known value.
pub(crate) const NO_VALUE: i16 = -127;

/// Parses a line of [`edax_export_line`]: 64 squares and a side, level, leaf or `--`, the leaf's value. The last two
/// are optional. The value of the position is that of its leaf, or unknown (`NO_VALUE`); that of a finished game is its
/// disc difference. `None` for blank lines and comments (`#`, `%`).
///
/// # Errors
///
/// Reads a line as Edax's `book import` does; the error says what was expected instead.
pub(crate) fn edax_import_line(line: &str) -> Result<Option<EdaxRecord>, EdaxLineError> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(['#', '%']) {
        return Ok(None);
    }
    let squares = line.split(',').next().unwrap_or_default();
    let position: Position = squares.parse()?;
    let board = position.board();
    let mut fields = line.split(',').skip(1).map(str::trim);
    let level = fields.next().ok_or(EdaxLineError::NoLevel)?;
    let wrong = || EdaxLineError::Level(level.to_owned());
    let level: u8 = level.parse().map_err(|_| wrong())?;
    if level > 60 {
        return Err(wrong());
    }
    let leaf = import_leaf(board, fields.next(), fields.next())?;
    if let Some(more) = fields.next() {
        return Err(EdaxLineError::Behind(more.to_owned()));
    }
    let value = match (board.state(), leaf) {
        (State::Over, _) => board.score() as i16,
        (_, Some(leaf)) => leaf.score.into(),
        (_, None) => NO_VALUE,
    };
    let over = Edge {
        score: value as i8,
        number: Edge::NONE,
    };
    Ok(Some(EdaxRecord {
        board,
        wins: 0,
        draws: 0,
        losses: 0,
        lines: 0,
        value,
        lower: -127,
        upper: 127,
        level,
        links: Vec::new(),
        leaf: match board.state() {
            State::Over => over,
            State::Moves | State::Pass => leaf.unwrap_or(Edge::NO_LEAF),
        },
    }))
}

/// Parses the leaf of a line, if there is one.
fn import_leaf(
    board: Board,
    mv: Option<&str>,
    score: Option<&str>,
) -> Result<Option<Edge>, EdaxLineError> {
    let Some(text) = mv.filter(|text| !text.is_empty() && *text != "--") else {
        return Ok(None);
    };
    let is_pass = text.eq_ignore_ascii_case("pa") || text.eq_ignore_ascii_case("ps");
    let mv = if is_pass {
        Some(Move::Pass)
    } else {
        let square = text.to_ascii_lowercase().parse().ok();
        square.map(Move::Place)
    };
    let legal = mv.filter(|&mv| board.after(mv).is_some());
    let mv = legal.ok_or_else(|| EdaxLineError::Leaf(text.to_owned()))?;
    let score = score.ok_or(EdaxLineError::NoLeafValue)?;
    let value: Option<i8> = score.parse().ok();
    let value = value.filter(|value| (-64..=64).contains(value));
    let value = value.ok_or_else(|| EdaxLineError::LeafValue(score.to_owned()))?;
    Ok(Some(Edge::new(value, mv)))
}

/// Returns whether bytes are Edax's text format, by the first line that is not blank.
pub(crate) fn is_edax_text(bytes: &[u8]) -> bool {
    /// A bound on the length of a line.
    const FIRST: usize = 1 << 12;
    let first = &bytes[..bytes.len().min(FIRST)];
    let first = decoded(first);
    let lines = lines(&first).filter_map(|line| std::str::from_utf8(line).ok());
    let mut lines = lines.map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', '%']));
    first.is_some_and(|line| {
        let mut parts = line.split(',');
        let squares = parts.next().unwrap_or_default();
        parts.next().is_some() && squares.parse::<Position>().is_ok()
    })
}

/// Decodes a text of any encoding to UTF-8.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    let (encoding, mark) = TextEncoding::of(&bytes[..bytes.len().min(Head::LEN)]);
    if encoding.is_utf16() {
        Cow::Owned(decode_text(bytes))
    } else {
        Cow::Borrowed(&bytes[mark..])
    }
}

/// The lines of a text in UTF-8.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n')
}
