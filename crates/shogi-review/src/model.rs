//! The result of an analysis as data. Names of fields stay: programs and pages read them as JSON.

use serde::{Deserialize, Serialize};
use shogi_core::{Color, MoveText};

use crate::judge::{Judge, MistakeKind, Phase};
use crate::score::{ReviewScore, WinModel};
use crate::sums::PlayerSums;

/// What a search found in a position of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchedPosition {
    /// The best score, for the side to move.
    pub score: ReviewScore,
    /// The best line; empty where the game is over.
    pub pv: Vec<MoveText>,
    /// Depth of the search in plies; 0 where nothing was searched.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
    /// All lines that were asked for, the best first, when these are more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
}

/// One of several lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The score, for the side to move.
    pub score: ReviewScore,
    /// The line.
    pub pv: Vec<MoveText>,
    /// Depth of the search in plies.
    pub depth: u32,
}

/// What a book says of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BookState {
    /// The move is in the book.
    In,
    /// The book has the position, and not the move: here the game left the book.
    Left,
    /// The position is not in the book.
    Out,
}

/// A move of the game and what it loses. Scores and probabilities are for the player who moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewedMove {
    /// The number in [`GameReview::moves`], from 0: moves of the game first, then those of variations.
    pub index: usize,
    /// The number of the move in its line, from 1.
    pub ply: usize,
    /// The line: 0 is the game as it was played, others are variations in the order of the record.
    pub line: usize,
    /// `black` or `white`.
    pub side: ReviewSide,
    /// The move that was played, as USI.
    #[serde(rename = "move")]
    pub mv: MoveText,
    /// The same in Japanese: `▲７六歩(77)`.
    pub move_ja: String,
    /// The score of the move that was played.
    pub score: ReviewScore,
    /// The score of the best move.
    pub best_score: ReviewScore,
    /// The best move; none where the player could only resign or declare.
    pub best: Option<MoveText>,
    /// The best move in Japanese.
    pub best_ja: Option<String>,
    /// The best line from the position before the move, the best move first.
    pub pv: Vec<MoveText>,
    /// The line that follows the move that was played.
    pub reply: Vec<MoveText>,
    /// Lines from the position before the move, when more than one was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// Depth of the search of the position before the move, in plies.
    pub depth: u32,
    /// Positions visited there.
    pub nodes: u64,
    /// Probability of winning after the move, 0 to 1.
    pub win: f64,
    /// Probability of winning after the best move, 0 to 1.
    pub best_win: f64,
    /// Probability of winning that the move loses, 0 to 1.
    pub loss: f64,
    /// Centipawns that the move loses; none where a mate is in it.
    pub loss_cp: Option<i32>,
    /// The judgement; none for a move that loses little.
    pub judge: Option<Judge>,
    /// What a judged move is bad by.
    pub kind: Option<MistakeKind>,
    /// The part of the game.
    pub phase: Phase,
    /// What the book says; none without a book.
    pub book: Option<BookState>,
    /// Time that the player spent, in milliseconds, where the record says so.
    pub time_ms: Option<u64>,
}

/// A player, as JSON names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewSide {
    /// The first player.
    Black,
    /// The second player.
    White,
}

impl From<Color> for ReviewSide {
    fn from(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }
}

impl From<ReviewSide> for Color {
    fn from(side: ReviewSide) -> Self {
        match side {
            ReviewSide::Black => Self::Black,
            ReviewSide::White => Self::White,
        }
    }
}

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
