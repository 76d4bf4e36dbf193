//! Opening books, as searches ask them.

use serde::Serialize;
use shogi_core::{Game, Move};
use shogi_usi::Score;

use crate::fields::{NamesChoice, score_value};

/// A move of an opening book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookAdvice {
    /// The move, legal.
    pub mv: Move,
    /// Its value in centipawns for the side that makes it; `None` where the book has none.
    pub score: Option<i32>,
    /// The depth of that value in plies; `None` where the book has none.
    pub depth: Option<u32>,
    /// The name of the book in messages; `None` for the engine's own.
    pub book: Option<String>,
}

/// The books that are opened on the page.
pub trait PageBooks: Send + Sync {
    /// The moves for the position at the end of a game, best first, of the first book that knows it.
    fn moves(&self, game: &Game) -> Vec<BookAdvice>;

    /// The move to play there; `None` if the books have none. A number chooses among moves that are as good.
    fn choose(&self, game: &Game, random: u64) -> Option<BookAdvice>;
}

/// No books.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBooks;

impl PageBooks for NoBooks {
    fn moves(&self, _: &Game) -> Vec<BookAdvice> {
        Vec::new()
    }

    fn choose(&self, _: &Game, _: u64) -> Option<BookAdvice> {
        None
    }
}

/// A move of a book in messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct AdviceFields {
    #[serde(rename = "move")]
    mv: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    score: Option<serde_json::Value>,
    depth: Option<u32>,
    book: Option<String>,
}

impl AdviceFields {
    pub(crate) fn of(game: &Game, advice: &BookAdvice, names: NamesChoice) -> Self {
        Self {
            mv: advice.mv.to_string(),
            name: names.next(game, advice.mv),
            score: advice.score.map(|cp| score_value(Score::Cp(cp))),
            depth: advice.depth,
            book: advice.book.clone(),
        }
    }
}
