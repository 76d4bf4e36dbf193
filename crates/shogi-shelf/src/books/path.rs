//! `book.path`: a line through a book.

use page_messages::{PageFailure, PageFile};
use serde::{Deserialize, Serialize};
use shogi_core::{Color, Game, Move, Move16};
use yane_book::edit::{EntryMatching, FoundEntry, OverlaidBook};

use super::child::ChildState;
use crate::fields::{FindingFields, LineFields, NamesChoice, book_failure, legal, usi};

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PathRequest {
    pub(super) book: String,
    #[serde(flatten)]
    line: LineFields,
    #[serde(flatten)]
    finding: FindingFields,
    #[serde(default)]
    names: NamesChoice,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PathFields {
    plies: Vec<PlyFields>,
    end: ChildState,
}

/// A move of the line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct PlyFields {
    index: usize,
    #[serde(rename = "move")]
    mv: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    in_book: bool,
    score: Option<i32>,
    best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_name: Option<String>,
    best_score: Option<i32>,
    loss: Option<i32>,
    black_sum: i64,
    white_sum: i64,
}

/// Answers `book.path`.
pub(super) fn path(
    request: &PathRequest,
    book: &OverlaidBook,
    file: &PageFile,
) -> Result<PathFields, PageFailure> {
    let line = request.line.game()?;
    let failed = |error| book_failure(&error, file);
    let moves: Vec<Move> = line.moves().collect();
    let mut game = line.clone();
    while game.undo().is_some() {}
    let finding: EntryMatching = request.finding.into();
    let mut plies = Vec::with_capacity(moves.len());
    let (mut black_sum, mut white_sum) = (0, 0);
    for (index, &mv) in moves.iter().enumerate() {
        let found = book.find(game.position(), finding).map_err(failed)?;
        let mut ply = ply(&game, mv, found, request.names);
        let sum = match game.position().side_to_move() {
            Color::Black => &mut black_sum,
            Color::White => &mut white_sum,
        };
        *sum += i64::from(ply.loss.unwrap_or(0));
        (ply.index, ply.black_sum, ply.white_sum) = (index, black_sum, white_sum);
        plies.push(ply);
        game.play_unchecked(mv);
    }
    let end = ChildState::of(book, game.position(), finding).map_err(failed)?;
    Ok(PathFields { plies, end })
}

/// A move at the end of a game, and what the book says of it.
fn ply(game: &Game, mv: Move, found: Option<FoundEntry>, names: NamesChoice) -> PlyFields {
    let position = game.position();
    let last_to = game.last_move().map(Move::to);
    let moves = found.map_or_else(Vec::new, FoundEntry::into_moves);
    let known = moves
        .iter()
        .find(|known| known.mv == Some(Move16::from(mv)));
    // Of equal ones the first.
    let best = moves.iter().rev().filter(|known| known.score.is_some());
    let best = best
        .max_by_key(|known| known.score)
        .or_else(|| moves.first());
    let best_move = best.and_then(|best| best.mv);
    let best_score = best.and_then(|best| best.score);
    let score = known.and_then(|known| known.score);
    let best_legal = best_move.and_then(|best| legal(position, best));
    PlyFields {
        index: 0,
        mv: mv.to_string(),
        name: names.name(position, mv, last_to),
        in_book: known.is_some(),
        score,
        best: best_move.map(usi),
        best_name: best_legal.and_then(|best| names.name(position, best, last_to)),
        best_score,
        loss: best_score
            .zip(score)
            .map(|(best, score)| best.saturating_sub(score)),
        black_sum: 0,
        white_sum: 0,
    }
}
