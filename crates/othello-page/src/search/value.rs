//! The value of a move, and where it comes from.

use othello_book::store::GameCounts;
use othello_core::Move;
use othello_engine::{BookCandidate, Hint, HintSource};
use othello_search::SearchLine;
use serde::Serialize;

use crate::fields::{move_name, move_names};

/// A move with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ValueFields {
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// The value in discs.
    pub(crate) v: i32,
    /// The value in tenths of a disc.
    pub(crate) tenths: i32,
    depth: Option<u32>,
    prob: Option<u32>,
    exact: bool,
    pv: Vec<String>,
    pub(crate) book: Option<BookFields>,
}

/// What the book knows of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct BookFields {
    level: Option<u8>,
    /// True if the position behind the move is not in the book.
    leaf: bool,
    games: Option<GameCountFields>,
}

/// Games behind a move, for the player who makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct GameCountFields {
    wins: u64,
    draws: u64,
    losses: u64,
}

impl GameCountFields {
    pub(crate) fn of(games: GameCounts) -> Option<Self> {
        (games.total() > 0).then_some(Self {
            wins: games.wins.into(),
            draws: games.draws.into(),
            losses: games.losses.into(),
        })
    }
}

impl ValueFields {
    pub(crate) fn of_line(line: &SearchLine) -> Self {
        Self {
            mv: move_name(line.best),
            v: line.score,
            tenths: line.tenths,
            depth: Some(line.depth),
            prob: Some(line.selectivity.percent()),
            exact: line.is_exact,
            pv: move_names(&line.pv),
            book: None,
        }
    }

    pub(crate) fn of_book(found: &BookCandidate, pv: &[Move]) -> Self {
        Self {
            mv: move_name(found.mv),
            v: found.score,
            tenths: 10 * found.score,
            depth: None,
            prob: None,
            exact: false,
            pv: move_names(pv),
            book: Some(BookFields {
                level: found.level,
                leaf: found.is_leaf,
                games: GameCountFields::of(found.games),
            }),
        }
    }

    pub(crate) fn of_hint(hint: &Hint) -> Self {
        let (depth, prob, book) = match hint.source {
            HintSource::Book { level, games } => {
                let book = BookFields {
                    level,
                    leaf: false,
                    games: GameCountFields::of(games),
                };
                (None, None, Some(book))
            }
            HintSource::Search {
                depth, selectivity, ..
            } => (Some(depth), Some(selectivity.percent()), None),
        };
        Self {
            mv: move_name(hint.mv),
            v: hint.score,
            tenths: hint.tenths,
            depth,
            prob,
            exact: hint.source.is_exact(),
            pv: move_names(&hint.pv),
            book,
        }
    }
}
