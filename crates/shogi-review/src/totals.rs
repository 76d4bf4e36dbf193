//! Sums over many games: what does a player lose most by?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shogi_core::Color;

use crate::judge::{MistakeKind, Phase, move_accuracy};
use crate::model::GameReview;
use crate::moves::ReviewedMove;

/// A sum of losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LossCount {
    /// Games: one for each of its players that counts.
    pub games: u64,
    /// Games that were won.
    pub wins: u64,
    /// Moves that count: all, or where losses are sorted by kind those of the kind.
    pub moves: u64,
    /// Judged moves.
    pub judged: u64,
    /// Probability of winning lost, the sum over all moves.
    pub loss: f64,
    /// The sum of [`move_accuracy`].
    accuracy: f64,
}

impl LossCount {
    fn add(&mut self, mv: &ReviewedMove) {
        self.moves += 1;
        self.judged += u64::from(mv.judge.is_some());
        self.loss += mv.loss;
        self.accuracy += move_accuracy(mv.loss);
    }

    /// The mean accuracy of the moves, 0 to 1; 1 without moves.
    pub fn mean_accuracy(&self) -> f64 {
        if self.moves == 0 {
            1.0
        } else {
            self.accuracy / self.moves as f64
        }
    }

    /// The mean loss of a game.
    pub fn loss_a_game(&self) -> f64 {
        self.loss / (self.games.max(1)) as f64
    }
}

/// Sums over the games of one player, or of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewTotals {
    /// All moves.
    pub all: LossCount,
    /// By part of the game: `opening`, `middle`, `end`.
    pub phases: BTreeMap<Phase, LossCount>,
    /// Judged moves by what they are bad by: `missed_mate`, `overlooked_mate`, `hanging_piece`, `strategic`.
    pub kinds: BTreeMap<MistakeKind, LossCount>,
    /// By the Japanese name of the opening, the empty name for games without one.
    pub openings: BTreeMap<String, LossCount>,
    /// By side: of black, of white.
    pub sides: [LossCount; 2],
    /// Games in which the player was the first to leave the book.
    pub left_book: u64,
}

impl ReviewTotals {
    /// Adds the games of the players that `is_counted` accepts by their name; one side of a game, both, or none.
    pub fn add(&mut self, review: &GameReview, is_counted: impl Fn(&str) -> bool) {
        for color in Color::ALL {
            let name = review.players[color.index()].as_deref().unwrap_or("");
            if is_counted(name) {
                self.add_side(review, color);
            }
        }
    }

    fn add_side(&mut self, review: &GameReview, color: Color) {
        let has_won = review.outcome
            == if color == Color::Black {
                "black"
            } else {
                "white"
            };
        let opening = review
            .opening
            .as_ref()
            .map_or("", |opening| opening.ja.as_str());
        let opening = self.openings.entry(opening.to_owned()).or_default();
        let mut phases: BTreeMap<Phase, bool> = BTreeMap::new();
        let mut kinds: BTreeMap<MistakeKind, bool> = BTreeMap::new();
        for counted in [&mut self.all, &mut self.sides[color.index()], &mut *opening] {
            counted.games += 1;
            counted.wins += u64::from(has_won);
        }
        for mv in review
            .main_line()
            .filter(|mv| Color::from(mv.side) == color)
        {
            for counted in [&mut self.all, &mut self.sides[color.index()], &mut *opening] {
                counted.add(mv);
            }
            let phase = self.phases.entry(mv.phase).or_default();
            phase.add(mv);
            if phases.insert(mv.phase, true).is_none() {
                phase.games += 1;
                phase.wins += u64::from(has_won);
            }
            if let Some(kind) = mv.kind {
                let counted = self.kinds.entry(kind).or_default();
                counted.add(mv);
                if kinds.insert(kind, true).is_none() {
                    counted.games += 1;
                    counted.wins += u64::from(has_won);
                }
            }
        }
        let left = |mv: &&ReviewedMove| mv.book == Some(crate::moves::BookState::Left);
        let first = review.main_line().find(left);
        self.left_book += u64::from(first.is_some_and(|mv| Color::from(mv.side) == color));
    }
}
