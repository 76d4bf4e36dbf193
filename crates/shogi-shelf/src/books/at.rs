//! `book.at`: what books say of positions.

use std::sync::Arc;

use page_messages::{PageFailure, StopFlag};
use serde::{Deserialize, Serialize};
use shogi_core::{Game, Move, Position};
use yane_book::Result as BookResult;
use yane_book::edit::{EditableMove, EntryMatching, FoundEntry, OverlaidBook};
use yane_book::lookup::Match;

use super::child::ChildState;
use crate::fields::{
    FindingFields, LineFields, NamesChoice, behind, legal, position_of, repetition_name, usi,
};

/// Positions of a request at most.
const MOST_POSITIONS: usize = 200;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct AtRequest {
    positions: Vec<String>,
    /// The books that are asked; all if there are none.
    #[serde(default)]
    pub(super) books: Option<Vec<String>>,
    #[serde(flatten)]
    finding: FindingFields,
    #[serde(default)]
    names: NamesChoice,
    /// The line on which positions may be, for repetitions and names.
    #[serde(default)]
    line: Option<LineFields>,
}

/// What the books say of one position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PositionFields {
    sfen: String,
    books: Vec<EntryFields>,
}

/// What one book says of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct EntryFields {
    book: String,
    matched: Option<&'static str>,
    entry: Option<String>,
    ply: Option<u32>,
    comment: String,
    error: Option<String>,
    moves: Vec<MoveFields>,
}

/// A move that a book knows, for who makes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct MoveFields {
    #[serde(rename = "move")]
    mv: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    reply: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_name: Option<String>,
    score: Option<i32>,
    depth: Option<i32>,
    count: Option<String>,
    /// The share of the count in those of all moves, 0 to 1.
    share: Option<f64>,
    comment: String,
    /// Centipawns less than the best move of the book.
    loss: Option<i32>,
    legal: bool,
    repetition: Option<RepetitionFields>,
    child: ChildState,
    edited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct RepetitionFields {
    kind: &'static str,
    times: u32,
}

/// Answers `book.at` by some books.
pub(super) fn at(
    request: &AtRequest,
    books: &[(String, Arc<OverlaidBook>)],
    stop: &StopFlag,
) -> Result<Vec<PositionFields>, PageFailure> {
    if request.positions.len() > MOST_POSITIONS {
        let text = format!("positions: at most {MOST_POSITIONS} were expected");
        return Err(PageFailure::new(text));
    }
    let line = request.line.as_ref().map(LineFields::game).transpose()?;
    let mut answers = Vec::with_capacity(request.positions.len());
    for sfen in &request.positions {
        let position = position_of(sfen)?;
        let place = LibraryPlace {
            game: line.as_ref().and_then(|line| cut(line, &position)),
            position,
            finding: request.finding.into(),
            names: request.names,
        };
        let mut said = Vec::new();
        for (name, book) in books.iter().filter(|_| !stop.is_stopped()) {
            said.extend(place.entry(name, book));
        }
        answers.push(PositionFields {
            sfen: sfen.clone(),
            books: said,
        });
    }
    Ok(answers)
}

/// The line up to where a position is on it, the last time.
fn cut(line: &Game, position: &Position) -> Option<Game> {
    let mut game = line.clone();
    while game.position().key128() != position.key128() {
        game.undo()?;
    }
    Some(game)
}

/// A position that books are asked about.
struct LibraryPlace {
    position: Position,
    /// The moves that led to it, if it is on the line.
    game: Option<Game>,
    finding: EntryMatching,
    names: NamesChoice,
}

impl LibraryPlace {
    /// `None` if the book does not have the position.
    fn entry(&self, name: &str, book: &OverlaidBook) -> Option<EntryFields> {
        let said = book.find(&self.position, self.finding).and_then(|found| {
            let fields = found.map(|found| self.fields(name, book, found));
            fields.transpose()
        });
        said.unwrap_or_else(|error| {
            Some(EntryFields {
                book: name.to_owned(),
                error: Some(error.to_string()),
                ..EntryFields::default()
            })
        })
    }

    fn fields(
        &self,
        name: &str,
        book: &OverlaidBook,
        found: FoundEntry,
    ) -> BookResult<EntryFields> {
        let matched = match found.matched {
            Match::Exact => "exact",
            Match::OtherPly => "other_ply",
            Match::Flipped => "flipped",
            Match::FlippedOtherPly => "flipped_other_ply",
        };
        let entry = &found.entry;
        let mut fields = EntryFields {
            book: name.to_owned(),
            matched: Some(matched),
            entry: Some(entry.sfen()),
            ply: entry.ply(),
            comment: entry.comment().to_owned(),
            error: entry.problem().map(ToString::to_string),
            moves: Vec::new(),
        };
        let moves = found.into_moves();
        let best = moves.iter().filter_map(|known| known.score).max();
        let counted: u64 = moves
            .iter()
            .filter_map(|known| known.count)
            .fold(0, u64::saturating_add);
        for known in &moves {
            fields.moves.extend(self.mv(book, known, best, counted)?);
        }
        Ok(fields)
    }

    /// `None` for the word `none`.
    fn mv(
        &self,
        book: &OverlaidBook,
        known: &EditableMove,
        best: Option<i32>,
        counted: u64,
    ) -> BookResult<Option<MoveFields>> {
        let Some(mv) = known.mv else {
            return Ok(None);
        };
        let position = &self.position;
        let m = legal(position, mv);
        let last_to = self.game.as_ref().and_then(Game::last_move).map(Move::to);
        let name = m.and_then(|m| self.names.name(position, m, last_to));
        let reply_name = m.zip(known.reply).and_then(|(m, reply)| {
            let behind = behind(position, m);
            let reply = legal(&behind, reply)?;
            self.names.name(&behind, reply, Some(m.to()))
        });
        let count = known.count;
        Ok(Some(MoveFields {
            mv: usi(mv),
            name,
            reply: known.reply.map(usi),
            reply_name,
            score: known.score,
            depth: known.depth,
            count: count.map(|count| count.to_string()),
            share: count
                .filter(|_| counted > 0)
                .map(|count| count as f64 / counted as f64),
            comment: known.comment.clone(),
            loss: best
                .zip(known.score)
                .map(|(best, score)| best.saturating_sub(score)),
            legal: m.is_some(),
            repetition: m.and_then(|m| self.repetition(m)),
            child: ChildState::behind(book, position, m, self.finding)?,
            edited: known.is_edited,
        }))
    }

    /// What a move leads to by the moves before.
    fn repetition(&self, m: Move) -> Option<RepetitionFields> {
        let mut game = self.game.clone()?;
        game.play_unchecked(m);
        let state = game.repetition();
        Some(RepetitionFields {
            kind: repetition_name(state.kind)?,
            times: state.times + 1,
        })
    }
}
