//! `hint`: the values of moves, deeper and deeper; and the same while the engine thinks of its move.

use std::time::Duration;

use othello_core::{Side, State};
use othello_engine::Session;
use othello_search::{Observer, SearchLine};
use page_messages::{EventSink, PageFailure, StopFlag};
use serde::{Deserialize, Serialize};

use super::value::ValueFields;
use super::{SearchFields, control};
use crate::fields::SideName;

/// Between two events of a search.
const PAUSE: Duration = Duration::from_millis(20);

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct HintRequest {
    #[serde(flatten)]
    search: SearchFields,
    /// Moves that are valued at most.
    #[serde(default = "all")]
    lines: usize,
}

const fn all() -> usize {
    64
}

/// What is known of the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct HintFields<'a> {
    side: SideName,
    moves: &'a [ValueFields],
    nodes: String,
    nps: String,
    ms: u64,
    #[serde(rename = "final")]
    is_final: bool,
}

/// Answers `hint`.
pub(crate) fn hint(
    request: &HintRequest,
    engine: &Session,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let session = request.search.session(engine)?;
    let mut reporter = SearchReporter::new(session.position().side(), sink);
    reporter.moves = book_values(&session);
    reporter.moves.truncate(request.lines);
    if !reporter.moves.is_empty() {
        reporter.tell();
    }
    let hints = session.hints(request.lines.max(1), &control(stop), &mut reporter);
    if !hints.moves.is_empty() {
        let book = std::mem::take(&mut reporter.moves);
        let known = |value: &ValueFields| {
            book.iter()
                .find(|known| known.book.is_some() && known.mv == value.mv)
        };
        let values = hints.moves.iter().map(ValueFields::of_hint);
        reporter.moves = values
            .map(|value| known(&value).cloned().unwrap_or(value))
            .collect();
    }
    reporter.nodes = hints.nodes;
    reporter.elapsed = hints.elapsed;
    reporter.is_final = true;
    reporter.tell();
    Ok(())
}

/// The moves of the book with their values, best first.
fn book_values(session: &Session) -> Vec<ValueFields> {
    let Some(book) = session.book() else {
        return Vec::new();
    };
    let board = session.position().board();
    let moves = match board.state() {
        State::Moves => book.moves(board),
        State::Pass => book.pass(board).into_iter().collect(),
        State::Over => Vec::new(),
    };
    let value = |found| ValueFields::of_book(found, &book.line(board, found.mv));
    moves.iter().map(value).collect()
}

/// Reports a search while it runs.
pub(super) struct SearchReporter<'a> {
    sink: &'a dyn EventSink,
    side: SideName,
    /// The latest value of each move, best first.
    moves: Vec<ValueFields>,
    nodes: u64,
    elapsed: Duration,
    is_final: bool,
    /// When it told something last, by the clock of the search.
    last: Option<Duration>,
}

impl<'a> SearchReporter<'a> {
    pub(super) fn new(side: Side, sink: &'a dyn EventSink) -> Self {
        Self {
            sink,
            side: side.into(),
            moves: Vec::new(),
            nodes: 0,
            elapsed: Duration::ZERO,
            is_final: false,
            last: None,
        }
    }

    fn tell(&mut self) {
        let ms = self.elapsed.as_millis() as u64;
        let nps = self.nodes as f64 / self.elapsed.as_secs_f64().max(1e-6);
        let fields = HintFields {
            side: self.side,
            moves: &self.moves,
            nodes: self.nodes.to_string(),
            nps: (nps as u64).to_string(),
            ms,
            is_final: self.is_final,
        };
        let fields = serde_json::to_value(fields).unwrap_or_default();
        self.sink.state("hint", 0, fields);
        self.last = Some(self.elapsed);
    }
}

impl Observer for SearchReporter<'_> {
    fn line(&mut self, _: usize, line: &SearchLine, nodes: u64, elapsed: Duration) {
        let value = ValueFields::of_line(line);
        match self.moves.iter_mut().find(|known| known.mv == value.mv) {
            Some(known) => *known = value,
            None => self.moves.push(value),
        }
        // Stable: equal moves stay in their order.
        self.moves.sort_by_key(|value| (-value.v, -value.tenths));
        (self.nodes, self.elapsed) = (nodes, elapsed);
        // A search that follows another begins to count anew.
        if self.last.is_none_or(|last| elapsed.abs_diff(last) >= PAUSE) {
            self.tell();
        }
    }
}
