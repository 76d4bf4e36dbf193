//! The listener of a session: it gets the lines and the decision of each search.

use shogi_core::Move;
use shogi_search::SearchInfo;
use yane_book::probe::Message;

use crate::{BookEvent, PvEnd};

/// The decision of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchOutcome {
    /// Play `best`.
    Move {
        /// The move.
        best: Move,
        /// The reply that the search expects.
        ponder: Option<Move>,
    },
    /// Declare the win (入玉宣言).
    DeclareWin,
    /// Enter the try square, which wins.
    Try(Move),
    /// There is no legal move: the game is lost.
    Mated,
    /// The position is worse than `ResignValue`.
    Resign,
    /// The search failed by an error of the program; `fallback` is any legal move.
    Failed {
        /// A move that keeps the game going.
        fallback: Move,
    },
}

/// Receives the results of a search, on the thread that searches. Calls for one search come in order, the
/// last is [`Listener::finished`], exactly once.
pub trait Listener: Send + Sync {
    /// A line to show: an iteration is done (at most every `PvInterval`), or the search is over.
    fn line(&self, info: &SearchInfo);

    /// The same with `ConsiderationMode` for a line after which the game is over or repeats.
    fn line_with_end(&self, info: &SearchInfo, end: PvEnd) {
        let _ = end;
        self.line(info);
    }

    /// A message of the book probe, before any line of the search.
    fn book(&self, _: &Message) {}

    /// An event of the opening book since it was loaded, before the book is probed.
    fn book_event(&self, _: &BookEvent) {}

    /// The position needs no search (a declaration, no legal move). [`Self::finished`] follows, for a
    /// pondering or infinite search only after ponderhit or stop.
    fn decided(&self, _: &SearchOutcome) {}

    /// The decision. Pondering and infinite searches make it only after ponderhit or stop.
    fn finished(&self, outcome: &SearchOutcome);
}
