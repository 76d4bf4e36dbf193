//! Scores, and the probability of winning that they stand for.

use std::num::NonZeroI32;

use serde::{Deserialize, Serialize};
use shogi_core::Color;
use shogi_kifu::CommentScore;
use shogi_usi::Score;

/// A score from the side of one player, who the owner says: `{"cp":120}` or `{"mate":-5}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewScore {
    /// Centipawns.
    Cp(i32),
    /// Plies to mate: positive when the player mates, negative when the player is mated. [`Self::UNKNOWN_MATE`] where the length is
    /// not known.
    Mate(NonZeroI32),
}

impl ReviewScore {
    /// The plies of a mate whose length is not known.
    pub const UNKNOWN_MATE: i32 = 9999;

    /// A mate in so many plies; 0 counts as 1.
    pub fn mate(plies: i32) -> Self {
        NonZeroI32::new(plies).map_or(
            Self::Mate(const { NonZeroI32::new(1).unwrap() }),
            Self::Mate,
        )
    }

    /// The same score from the other player's side.
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Cp(score) => Self::Cp(score.saturating_neg()),
            Self::Mate(plies) => Self::Mate(plies.saturating_neg()),
        }
    }

    /// The score that stands a move earlier for the same player: a mate is a ply longer.
    #[must_use]
    pub(crate) fn a_ply_before(self) -> Self {
        match self {
            Self::Mate(plies) if plies.get().abs() < Self::UNKNOWN_MATE => {
                Self::mate(plies.get() + plies.get().signum())
            }
            score => score,
        }
    }

    /// From black's side a score of `color`, or the other way round.
    #[must_use]
    pub fn seen_from_black(self, color: Color) -> Self {
        if color == Color::Black {
            self
        } else {
            self.flip()
        }
    }

    /// Plies to a mate that the player gives.
    pub const fn mates_in(self) -> Option<u32> {
        match self {
            Self::Mate(plies) if plies.get() > 0 => Some(plies.get().unsigned_abs()),
            _ => None,
        }
    }

    /// Plies to a mate that the player suffers.
    pub const fn mated_in(self) -> Option<u32> {
        self.flip().mates_in()
    }

    /// Centipawns, a mate as more than any score: 32000 less its plies.
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Cp(score) => score,
            Self::Mate(plies) => {
                plies.get().signum() * (32_000 - plies.get().abs().min(Self::UNKNOWN_MATE))
            }
        }
    }

    /// The same as a comment of a record has it, for a score from black's side.
    pub(crate) fn comment(self) -> CommentScore {
        match self {
            Self::Cp(score) => CommentScore::Centipawns(score),
            Self::Mate(plies) => {
                let winner = if plies.get() > 0 {
                    Color::Black
                } else {
                    Color::White
                };
                let known = plies.get().abs() < Self::UNKNOWN_MATE;
                CommentScore::Mate(winner, known.then_some(plies.get().unsigned_abs()))
            }
        }
    }
}

impl From<Score> for ReviewScore {
    fn from(score: Score) -> Self {
        match score {
            Score::Cp(score) => Self::Cp(score),
            Score::Mate(plies) => Self::Mate(plies),
            Score::MateUnknown => Self::mate(Self::UNKNOWN_MATE),
            Score::MatedUnknown => Self::mate(-Self::UNKNOWN_MATE),
        }
    }
}

impl std::fmt::Display for ReviewScore {
    /// `+120`, `mate 5`, `mate -5`, `mate +` as USI writes them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Cp(score) => write!(f, "{score:+}"),
            Self::Mate(plies) if plies.get() == Self::UNKNOWN_MATE => f.write_str("mate +"),
            Self::Mate(plies) if plies.get() == -Self::UNKNOWN_MATE => f.write_str("mate -"),
            Self::Mate(plies) => write!(f, "mate {plies}"),
        }
    }
}

/// From scores to the probability of winning: `1 / (1 + exp(-score / scale))`; a mate is certain.
///
/// The logistic function and the scale of 600 centipawns are what programs of the field use since Ponanza ("Ponanza constant"): at +600
/// a player wins 73.1 % of games. Networks are trained with it, and other programs judge moves by it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WinModel {
    /// Centipawns at which the odds are e to 1.
    pub scale: f64,
}

impl Default for WinModel {
    /// The scale of 600.
    fn default() -> Self {
        Self { scale: 600.0 }
    }
}

impl WinModel {
    /// The probability that the player of `score` wins, 0 to 1.
    pub fn win(&self, score: ReviewScore) -> f64 {
        match score {
            ReviewScore::Cp(score) => 1.0 / (1.0 + (-f64::from(score) / self.scale.max(1.0)).exp()),
            ReviewScore::Mate(plies) if plies.get() > 0 => 1.0,
            ReviewScore::Mate(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_turn_and_are_written() {
        assert_eq!(ReviewScore::mate(0), ReviewScore::mate(1));
        assert_eq!(ReviewScore::mate(5).flip(), ReviewScore::mate(-5));
        assert_eq!(ReviewScore::mate(-5).a_ply_before(), ReviewScore::mate(-6));
        assert_eq!(ReviewScore::mate(7).centipawns(), 31_993);
        let written = [
            ReviewScore::Cp(120),
            ReviewScore::Cp(-3),
            ReviewScore::mate(5),
            ReviewScore::from(Score::MatedUnknown),
        ];
        assert_eq!(
            written.map(|score| score.to_string()),
            ["+120", "-3", "mate 5", "mate -"]
        );
        assert_eq!(
            serde_json::to_string(&written).unwrap(),
            r#"[{"cp":120},{"cp":-3},{"mate":5},{"mate":-9999}]"#
        );
        let read: [ReviewScore; 2] = serde_json::from_str(r#"[{"cp":1},{"mate":-2}]"#).unwrap();
        assert_eq!(read, [ReviewScore::Cp(1), ReviewScore::mate(-2)]);
    }

    #[test]
    fn six_hundred_is_three_of_four_games() {
        let model = WinModel::default();
        assert!((model.win(ReviewScore::Cp(600)) - 0.731).abs() < 0.001);
        assert!((model.win(ReviewScore::Cp(0)) - 0.5).abs() < 1e-9);
        assert!((model.win(ReviewScore::mate(-9)) - 0.0).abs() < 1e-9);
        assert!((model.win(ReviewScore::Cp(i32::MAX)) - 1.0).abs() < 1e-9);
    }
}
