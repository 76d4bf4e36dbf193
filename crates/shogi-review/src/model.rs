//! The analysis of a game as data. Names of fields stay: programs and pages read them as JSON.

use serde::{Deserialize, Serialize};

use crate::moves::{ReviewSide, ReviewedMove, SearchedPosition};
use crate::score::WinModel;
use crate::sums::PlayerSums;

/// The opening of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewedOpening {
    /// The Japanese name.
    pub ja: String,
    /// The English name.
    pub en: String,
    /// The number of moves after which it had this name.
    pub ply: usize,
}

/// The castle of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewedCastle {
    /// The Japanese name.
    pub ja: String,
    /// The English name.
    pub en: String,
}

/// The analysis of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameReview {
    /// The names of black's and white's player, where the record has them.
    pub players: [Option<String>; 2],
    /// The start position as SFEN.
    pub start: String,
    /// How the game ended: `black`, `white` (they won), `draw` or `undecided`.
    pub outcome: String,
    /// The opening, if it has a name.
    pub opening: Option<ReviewedOpening>,
    /// The last castle of black and of white.
    pub castles: [Option<ReviewedCastle>; 2],
    /// The engine.
    pub engine: String,
    /// From scores to probabilities.
    pub model: WinModel,
    /// The moves, in the order of their [`ReviewedMove::index`].
    pub moves: Vec<ReviewedMove>,
    /// The number of the last move that is in the book; none without a book.
    pub left_book_at: Option<usize>,
    /// The last position of the game.
    pub last: SearchedPosition,
    /// The sums of black and of white, variations left out.
    pub sums: [PlayerSums; 2],
}

impl GameReview {
    /// The moves of the game as it was played.
    pub fn main_line(&self) -> impl Iterator<Item = &ReviewedMove> {
        self.moves.iter().filter(|mv| mv.line == 0)
    }

    /// The judged moves of the game, the largest losses first.
    pub fn worst(&self) -> Vec<&ReviewedMove> {
        let mut judged: Vec<_> = self.main_line().filter(|mv| mv.judge.is_some()).collect();
        judged.sort_by(|a, b| b.loss.total_cmp(&a.loss).then(a.ply.cmp(&b.ply)));
        judged
    }

    /// Black's probability of winning before the first move, and after each move of the game.
    pub fn black_wins(&self) -> Vec<f64> {
        let of_black = |win: f64, side| {
            if side == ReviewSide::Black {
                win
            } else {
                1.0 - win
            }
        };
        let mut moves = self.main_line().peekable();
        let first = moves.peek().map(|mv| of_black(mv.best_win, mv.side));
        first
            .into_iter()
            .chain(moves.map(|mv| of_black(mv.win, mv.side)))
            .collect()
    }
}
