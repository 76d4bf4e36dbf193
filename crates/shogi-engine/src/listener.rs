//! The listener of a session, which receives the principal variations and the decision of each search; scores and ends
//! of these variations.

use std::num::NonZeroI32;
use std::sync::Arc;

use shogi_core::{Declaration, EnteringKingRule, Game, Move, Repetition};
use shogi_search::{Bound, SearchInfo, Value};
use shogi_usi::{Score, ScoreBound};
use yane_book::probe::Message;

use crate::book::event::BookEvent;

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
pub trait Listener {
    /// A line to show: an iteration is done (at most every `PvInterval`), or the search is over.
    fn line(&self, info: &SearchInfo);

    /// The same with `ConsiderationMode` for a line after which the game is over or repeats.
    fn line_with_end(&self, info: &SearchInfo, end: PvEnd) {
        let _ = end;
        self.line(info);
    }

    /// What a user should know about the search: a server was lost, or is back.
    fn message(&self, _: &str) {}

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

/// A listener of a search on a thread of its own.
pub type SharedListener = Arc<dyn Listener + Send + Sync>;

// Principal variations as they are reported: their scores, and how they end.

/// The end of a principal variation, after its last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PvEnd {
    /// The position repeats an earlier one; from the view of the side to move.
    Repetition(Repetition),
    /// The side to move can declare a win.
    Win,
    /// The side to move has no legal move.
    Resign,
}

/// Plays `line` from the current position of `game`. Returns the number of moves to its end, and the end; `None` when
/// it has none.
pub(crate) fn pv_end(game: &Game, line: &[Move], rule: EnteringKingRule) -> (usize, Option<PvEnd>) {
    let mut game = game.clone();
    for (index, &m) in line.iter().enumerate() {
        game.play_unchecked(m);
        let plies = index + 1;
        let repetition = game.repetition_in_search(plies as u32);
        if repetition != Repetition::None {
            return (plies, Some(PvEnd::Repetition(repetition)));
        }
    }
    let position = game.position();
    let end = if position.has_no_legal_move() {
        Some(PvEnd::Resign)
    } else if position.declaration(rule) == Some(Declaration::Win) {
        Some(PvEnd::Win)
    } else {
        None
    };
    (line.len(), end)
}

/// A score of a search as it is reported: centipawns, or plies to mate.
pub fn usi_score(value: Value) -> Score {
    // Mated already: less than one ply cannot be written.
    const NEAREST: NonZeroI32 = NonZeroI32::new(-1).expect("-1 is not 0");
    match value.mate_plies() {
        None => Score::Cp(value.centipawns()),
        Some(plies) => Score::Mate(NonZeroI32::new(plies).unwrap_or(NEAREST)),
    }
}

/// The bound of a score as it is reported; `None` when it is exact.
pub const fn score_bound(bound: Bound) -> Option<ScoreBound> {
    match bound {
        Bound::Exact => None,
        Bound::Lower => Some(ScoreBound::Lower),
        Bound::Upper => Some(ScoreBound::Upper),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::Position;

    /// The end of the line of `moves` from `sfen`, and the number of its moves.
    fn end(sfen: &str, moves: &str) -> (usize, Option<PvEnd>) {
        let start = Game::new(Position::from_sfen(sfen).unwrap());
        let mut game = start.clone();
        let mut line = Vec::new();
        for text in moves.split_ascii_whitespace() {
            let m = game.position().move_from_usi(text).unwrap();
            game.play_unchecked(m);
            line.push(m);
        }
        pv_end(&start, &line, EnteringKingRule::default())
    }

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    #[test]
    fn repetitions_end_a_line() {
        let draw = Some(PvEnd::Repetition(Repetition::Draw));
        // As in the search, the root position may occur once more.
        assert_eq!(end(START, "2h3h 8b7b 3h2h 7b8b"), (4, None));
        assert_eq!(end(START, "2h3h 8b7b 3h2h 7b8b 2h3h"), (5, draw));
        assert_eq!(end(START, "2h3h 8b7b 3h2h 7b8b 2h3h 7a7b"), (5, draw));
        // The side to move has done nothing but check: it loses.
        let checks = "4k4/9/9/9/9/9/9/4R4/K8 w - 1";
        let lose = Some(PvEnd::Repetition(Repetition::Lose));
        assert_eq!(end(checks, "5a4a 5h4h 4a5a 4h5h 5a4a"), (5, lose));
        assert_eq!(end(START, "7g7f 3c3d"), (2, None));
    }

    #[test]
    fn the_game_can_end_too() {
        let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
        assert_eq!(end(mate, "G*5b"), (1, Some(PvEnd::Resign)));
        let entered = "LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/ppppppppp/1b5r1/lnsgkgsnl b - 1";
        assert_eq!(end(entered, "5c5b+"), (1, Some(PvEnd::Win)));
    }

    #[test]
    fn scores() {
        let text = |value| usi_score(value).to_string();
        assert_eq!(text(Value(90)), "cp 100");
        assert_eq!(text(Value(-89)), "cp -98");
        assert_eq!(text(Value::mate_in(3)), "mate 3");
        assert_eq!(text(Value::mated_in(2)), "mate -2");
        assert_eq!(text(Value::mated_in(0)), "mate -1");
    }
}
