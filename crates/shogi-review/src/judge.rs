//! Judgements of moves.

use serde::{Deserialize, Serialize};

/// The judgement of a move by the probability of winning that it loses, from 0 to 1 against the best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// 0.05 or more (緩手).
    Inaccuracy,
    /// 0.1 or more (疑問手).
    Mistake,
    /// 0.2 or more (悪手).
    Blunder,
}

impl Judgement {
    /// All, the smallest first.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The smallest loss that is judged so.
    ///
    /// 5, 10 and 20 points are the first steps of `ShogiHome`'s settings, so that both programs mark the same moves.
    pub(crate) const fn least_loss(self) -> f64 {
        match self {
            Self::Inaccuracy => 0.05,
            Self::Mistake => 0.1,
            Self::Blunder => 0.2,
        }
    }

    /// The judgement of a loss; `None` for one that is too small.
    pub fn of(loss: f64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .rev()
            .find(|judge| loss >= judge.least_loss())
    }

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

/// The accuracy of a move, 0 to 1: it halves for each 0.1 of the probability of winning that the move loses. A player's accuracy is the
/// mean of that of the moves.
pub fn move_accuracy(loss: f64) -> f64 {
    (-loss.max(0.0) / 0.1).exp2()
}

/// What a bad move is bad by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MistakeKind {
    /// The player had a mate, and has none after the move (詰み逃し).
    MissedMate,
    /// After the move the opponent mates, which was not so before (頓死).
    OverlookedMate,
    /// After the move the opponent's best reply wins material by exchange (駒損).
    HangingPiece,
    /// Anything else.
    Strategic,
}

impl MistakeKind {
    /// All.
    pub const ALL: [Self; 4] = [
        Self::MissedMate,
        Self::OverlookedMate,
        Self::HangingPiece,
        Self::Strategic,
    ];

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MissedMate => "missed_mate",
            Self::OverlookedMate => "overlooked_mate",
            Self::HangingPiece => "hanging_piece",
            Self::Strategic => "strategic",
        }
    }
}

/// A part of a game.
///
/// The opening is the first 30 moves of a game, by move numbers of the position: a game that starts later has less of it. The end game
/// begins, after the opening, with the first position in which players have six pieces or more, pawns not counted, in hand or promoted
/// on the board. The middle game is between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The opening (序盤).
    Opening,
    /// The middle game (中盤).
    Middle,
    /// The end game (終盤).
    End,
}

impl Phase {
    /// All, in their order.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middle, Self::End];
    /// The last move number of the opening.
    pub const OPENING_PLIES: u32 = 30;
    /// Pieces in hand or promoted with which the end game begins.
    pub(crate) const END_PIECES: u32 = 6;

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_judged() {
        let judges = [0.0, 0.049, 0.05, 0.1, 0.19, 0.2, 1.0].map(Judgement::of);
        let [low, small, bad, blunder] = [
            None,
            Some(Judgement::Inaccuracy),
            Some(Judgement::Mistake),
            Some(Judgement::Blunder),
        ];
        assert_eq!(judges, [low, low, small, bad, bad, blunder, blunder]);
        assert!(
            (move_accuracy(0.0) - 1.0).abs() < 1e-9 && (move_accuracy(0.2) - 0.25).abs() < 1e-9
        );
        for judge in Judgement::ALL {
            assert_eq!(serde_json::to_value(judge).unwrap(), judge.name());
        }
        for kind in MistakeKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        for phase in Phase::ALL {
            assert_eq!(serde_json::to_value(phase).unwrap(), phase.name());
        }
    }
}
