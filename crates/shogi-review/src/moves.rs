//! Moves and searched positions of an analysis as data. Names of fields stay: programs and pages read them as JSON.

use serde::{Deserialize, Serialize};
use shogi_core::{Color, MoveText};

use crate::judge::{Judgement, MistakeKind, Phase};
use crate::score::ReviewScore;

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
    pub candidates: Vec<ReviewCandidate>,
}

/// One of several lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewCandidate {
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
    /// The number in [`crate::GameReview::moves`], from 0: moves of the game first, then those of variations.
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
    pub candidates: Vec<ReviewCandidate>,
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
    pub judge: Option<Judgement>,
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
