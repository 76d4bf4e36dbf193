//! `think`: lines, deeper and deeper.

use page_messages::{EventSink, PageFailure, StopFlag};
use serde::Deserialize;
use shogi_core::EnteringKingRule;
use shogi_core::movegen::Legal;

use super::reporter::Reporter;
use super::{SearchFields, legal_moves};
use crate::books::PageBooks;
use crate::engines::{Engines, Purpose, SearchTask};
use crate::fields::within;
use crate::position::game_end;

/// Lines that a request may ask for.
const MOST_LINES: usize = 100;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ThinkRequest {
    #[serde(flatten)]
    search: SearchFields,
    #[serde(default = "one")]
    lines: usize,
    #[serde(default)]
    search_moves: Vec<String>,
    /// False if books are not shown.
    #[serde(default = "yes")]
    book: bool,
}

const fn one() -> usize {
    1
}

const fn yes() -> bool {
    true
}

/// Answers `think`.
pub(crate) fn think(
    request: &ThinkRequest,
    engines: &Engines,
    books: &dyn PageBooks,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let engine = engines.get(request.search.engine.as_deref())?;
    let game = request.search.game()?;
    let lines = within("lines", request.lines, 1..=MOST_LINES)?;
    let mut search_moves = legal_moves(&game, &request.search_moves)?;
    let limits = request.search.limits()?;
    let mut reporter = Reporter::new(sink, engine.label(), &game, request.search.names);
    if request.book {
        reporter.add_book(&books.moves(&game));
    }
    // Something to see at once.
    reporter.tell(false);
    let is_mated = game_end(&game).is_some() && game.position().has_no_legal_move();
    if is_mated {
        reporter.tell(true);
        return Ok(());
    }
    let rule = EnteringKingRule::default();
    if search_moves.is_empty() && game.position().declaration(rule).is_some() {
        // Engines would declare the win, and say nothing of moves.
        search_moves = game.position().moves::<Legal>().to_vec();
    }
    let task = SearchTask {
        game: &game,
        purpose: Purpose::Consider,
        limits,
        lines,
        search_moves,
        uses_book: request.book,
    };
    engine.search(&task, stop, &mut |told| reporter.hear(told))?;
    reporter.tell(true);
    Ok(())
}
