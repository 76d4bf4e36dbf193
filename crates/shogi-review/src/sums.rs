//! Sums over the moves of a player.

use serde::{Deserialize, Serialize};
use shogi_core::Color;

use crate::judge::{Judgement, MistakeKind, Phase, move_accuracy};
use crate::moves::{BookState, ReviewedMove};

/// The sums of a player's moves in a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerSums {
    /// Moves.
    pub moves: u32,
    /// The mean of [`move_accuracy`], 0 to 1; 1 without moves.
    pub accuracy: f64,
    /// Probability of winning lost, the sum over all moves.
    pub loss: f64,
    /// Moves that the engine would have made too.
    pub best: u32,
    /// Inaccuracies.
    pub inaccuracies: u32,
    /// Mistakes.
    pub mistakes: u32,
    /// Blunders.
    pub blunders: u32,
    /// Judged moves that missed a mate.
    pub missed_mates: u32,
    /// Judged moves after which the opponent mates.
    pub overlooked_mates: u32,
    /// Judged moves that lose material by exchange.
    pub hanging_pieces: u32,
    /// Other judged moves.
    pub strategic: u32,
    /// Moves that are in the book.
    pub book: u32,
    /// Time that the record has, in milliseconds; none where no move has a time.
    pub time_ms: Option<u64>,
    /// The opening.
    pub opening: PhaseSums,
    /// The middle game.
    pub middle: PhaseSums,
    /// The end game.
    pub end: PhaseSums,
}

/// The sums of a player's moves in a part of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseSums {
    /// Moves.
    pub moves: u32,
    /// The mean of [`move_accuracy`], 0 to 1; 1 without moves.
    pub accuracy: f64,
    /// Probability of winning lost.
    pub loss: f64,
}

impl PlayerSums {
    /// The sums of the moves of `color` in the game; variations do not count.
    pub(crate) fn of(moves: &[ReviewedMove], color: Color) -> Self {
        let own: Vec<&ReviewedMove> = moves
            .iter()
            .filter(|mv| mv.line == 0 && Color::from(mv.side) == color)
            .collect();
        let judged = |judge| own.iter().filter(|mv| mv.judge == Some(judge)).count() as u32;
        let of_kind = |kind| own.iter().filter(|mv| mv.kind == Some(kind)).count() as u32;
        let of_phase = |phase| PhaseSums::of(own.iter().filter(|mv| mv.phase == phase).copied());
        let all = PhaseSums::of(own.iter().copied());
        let times = own.iter().filter_map(|mv| mv.time_ms);
        Self {
            moves: all.moves,
            accuracy: all.accuracy,
            loss: all.loss,
            best: own.iter().filter(|mv| mv.best == Some(mv.mv)).count() as u32,
            inaccuracies: judged(Judgement::Inaccuracy),
            mistakes: judged(Judgement::Mistake),
            blunders: judged(Judgement::Blunder),
            missed_mates: of_kind(MistakeKind::MissedMate),
            overlooked_mates: of_kind(MistakeKind::OverlookedMate),
            hanging_pieces: of_kind(MistakeKind::HangingPiece),
            strategic: of_kind(MistakeKind::Strategic),
            book: own
                .iter()
                .filter(|mv| mv.book == Some(BookState::In))
                .count() as u32,
            time_ms: times.reduce(u64::saturating_add),
            opening: of_phase(Phase::Opening),
            middle: of_phase(Phase::Middle),
            end: of_phase(Phase::End),
        }
    }

    /// The sums of a part of the game.
    pub const fn phase(&self, phase: Phase) -> &PhaseSums {
        match phase {
            Phase::Opening => &self.opening,
            Phase::Middle => &self.middle,
            Phase::End => &self.end,
        }
    }

    /// The number of moves with a judgement.
    pub const fn judged(&self, judge: Judgement) -> u32 {
        match judge {
            Judgement::Inaccuracy => self.inaccuracies,
            Judgement::Mistake => self.mistakes,
            Judgement::Blunder => self.blunders,
        }
    }

    /// The number of judged moves of a kind.
    pub const fn kind(&self, kind: MistakeKind) -> u32 {
        match kind {
            MistakeKind::MissedMate => self.missed_mates,
            MistakeKind::OverlookedMate => self.overlooked_mates,
            MistakeKind::HangingPiece => self.hanging_pieces,
            MistakeKind::Strategic => self.strategic,
        }
    }
}

impl PhaseSums {
    fn of<'a>(moves: impl Iterator<Item = &'a ReviewedMove>) -> Self {
        let (mut count, mut accuracy, mut loss) = (0, 0.0, 0.0);
        for mv in moves {
            count += 1;
            accuracy += move_accuracy(mv.loss);
            loss += mv.loss;
        }
        let accuracy = if count == 0 {
            1.0
        } else {
            accuracy / f64::from(count)
        };
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        Self {
            moves: count,
            accuracy: rounded(accuracy),
            loss: rounded(loss),
        }
    }
}
