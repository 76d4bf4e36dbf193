//! `book.register`: lines of an analysis, or of records, that go into a book.

use page_messages::{PageFailure, PageFile};
use serde::Deserialize;
use shogi_core::{Color, Game, Move, Move16, Position};
use yane_book::edit::{
    EditableMove, EntryChange, EntryEdit, EntryMatching, Field, MoveEdit, OverlaidBook,
};

use super::change::{BookEdit, count_of};
use crate::fields::{FindingFields, LineFields, edit_failure, position_of};

/// Moves of a request at most.
const MOST_MOVES: usize = 20_000;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct RegisterRequest {
    #[serde(flatten)]
    finding: FindingFields,
    /// Where lines begin; the start position without it.
    #[serde(default)]
    sfen: Option<String>,
    lines: Vec<RegisteredLine>,
    /// Moves of a line that go into the book; all without it.
    #[serde(default)]
    plies: Option<usize>,
    /// Moves of a line before those.
    #[serde(default)]
    from: usize,
    /// Only moves of this side.
    #[serde(default)]
    side: Option<SideName>,
    /// Is added to the count of each move.
    #[serde(default)]
    count: Option<String>,
}

/// A line with what is known of it, for who makes its first move.
#[derive(Clone, Debug, Deserialize)]
struct RegisteredLine {
    moves: Vec<String>,
    #[serde(default)]
    score: Option<i32>,
    #[serde(default)]
    depth: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SideName {
    Black,
    White,
}

impl From<SideName> for Color {
    fn from(side: SideName) -> Self {
        match side {
            SideName::Black => Self::Black,
            SideName::White => Self::White,
        }
    }
}

/// A move on its way into the book.
struct NewMove {
    mv: Move,
    reply: Option<Move>,
    score: Option<i32>,
    depth: Option<i32>,
    count: Option<u64>,
}

/// The edit that puts the lines into a book.
pub(super) fn register(
    request: &RegisterRequest,
    book: &OverlaidBook,
    file: &PageFile,
) -> Result<BookEdit, PageFailure> {
    let start = match &request.sfen {
        Some(sfen) => position_of(sfen)?,
        None => Position::startpos(),
    };
    let moves: usize = request.lines.iter().map(|line| line.moves.len()).sum();
    if moves > MOST_MOVES {
        return Err(PageFailure::new(format!(
            "{moves} moves are more than {MOST_MOVES}"
        )));
    }
    let count = request.count.as_deref().map(count_of).transpose()?;
    // Later lines may pass positions of earlier ones.
    let mut scratch = book.clone();
    let mut edits = Vec::new();
    for line in &request.lines {
        let played = played(&start, line)?;
        let mut position = start.clone();
        let end = request
            .plies
            .map_or(usize::MAX, |plies| request.from.saturating_add(plies));
        for (at, &mv) in played.iter().enumerate().take(end) {
            let is_of_side = request
                .side
                .is_none_or(|side| Color::from(side) == position.side_to_move());
            if at >= request.from && is_of_side {
                let new = NewMove {
                    mv,
                    reply: played.get(at + 1).copied(),
                    score: line.score.map(|score| {
                        if at % 2 == 0 {
                            score
                        } else {
                            score.saturating_neg()
                        }
                    }),
                    depth: line
                        .depth
                        .map(|depth| depth.saturating_sub_unsigned(at as u32).max(0)),
                    count,
                };
                let edit = put(&scratch, &position, request.finding.into(), &new);
                let edit = edit.and_then(|edit| scratch.edit(&edit).map(|()| edit));
                edits.push(edit.map_err(|error| edit_failure(&error, file))?);
            }
            let _ = position.do_move_unchecked(mv);
        }
    }
    if edits.is_empty() {
        return Err(PageFailure::new("no move of the lines goes into the book"));
    }
    Ok(BookEdit(edits))
}

/// The moves of a line, all legal.
fn played(start: &Position, line: &RegisteredLine) -> Result<Vec<Move>, PageFailure> {
    let game: Game = LineFields::new(start, &line.moves).game()?;
    Ok(game.moves().collect())
}

/// The edit of one position.
fn put(
    book: &OverlaidBook,
    position: &Position,
    finding: EntryMatching,
    new: &NewMove,
) -> Result<EntryEdit, yane_book::edit::EditError> {
    let code = Move16::from(new.mv);
    let found = book.find(position, finding)?;
    let moves = found.map_or_else(Vec::new, yane_book::edit::FoundEntry::into_moves);
    let known = moves.iter().find(|known| known.mv == Some(code));
    let columns = book.base().columns();
    let mut change = MoveEdit::new(code);
    if let Some(reply) = new.reply.filter(|_| columns.reply) {
        change.reply = Field::Is(Move16::from(reply));
    }
    if let Some(score) = new
        .score
        .filter(|_| columns.score && !is_deeper(known, new.depth))
    {
        change.score = Field::Is(score);
        if let Some(depth) = new.depth.filter(|_| columns.depth) {
            change.depth = Field::Is(depth);
        }
    }
    if let Some(count) = new.count.filter(|_| columns.count) {
        let before = known.and_then(|known| known.count).unwrap_or(0);
        change.count = Field::Is(before.saturating_add(count));
    }
    book.edit_of(position, finding, &[EntryChange::Set(change)])
}

/// Returns whether the book has searched a move deeper than that.
fn is_deeper(known: Option<&EditableMove>, depth: Option<i32>) -> bool {
    let Some(known) = known.filter(|known| known.score.is_some()) else {
        return false;
    };
    known.depth > depth
}
