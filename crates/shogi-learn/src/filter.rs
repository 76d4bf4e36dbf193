//! The filter of positions.

use std::fmt;
use std::sync::Arc;

use shogi_core::Position;
use shogi_eval::Evaluator as _;
use shogi_eval::loader::AnyEvaluator;
use yane_base::random::Sequence;

use crate::left_out::FilterReason;
use crate::loss::sigmoid;
use crate::unit::ScoreUnit;
use crate::{LearnError, Result};

/// The filter of positions. It counts for the positions to test on as well.
#[derive(Clone)]
pub struct SampleFilter {
    /// Positions in check.
    pub in_check: bool,
    /// Positions whose move is a capture or a promotion.
    pub captures: bool,
    /// Positions of drawn games.
    pub draws: bool,
    /// Scores beyond this, either way, in the unit of the data.
    pub max_score: i16,
    /// Plies below this. A ply that is not known is always in.
    pub min_ply: u16,
    /// Plies above this.
    pub max_ply: u16,
    /// Plies below a random number from 0 to this, this excluded: earlier plies become rarer. 0 and 1 leave out nothing.
    pub reduced_plies: u32,
    /// Positions where the score was on the side of the one who lost.
    pub upsets: Option<Upsets>,
    /// Positions whose static evaluation is far from the score of the search.
    pub sharp: Option<SharpFilter>,
    /// Replaces a position by another, such as the leaf of its quiescence search; `None` leaves it out. Score and result stay those of the
    /// position before, turned if the leaf has the other side to move. It must always give the same for a position.
    pub leaf: Option<LeafSearch>,
    /// The weight of the positions on the way to a leaf, from the position itself on, which is that of the leaf times this; 0 leaves them out.
    pub line_weight: f64,
}

/// A search for leaves, see [`SampleFilter::leaf`]: for each of some positions those on the way to its leaf, the leaf last, or none when it
/// is quiet itself; `None` when it has no leaf. Several threads call it at once, with a few hundred positions each time. An error
/// ([`LearnError::Search`]) ends the training with a checkpoint.
pub type LeafSearch =
    Arc<dyn Fn(Vec<Position>) -> Result<Vec<Option<Vec<Position>>>> + Send + Sync>;

/// Positions to leave out as score and result disagree: the side that the score favoured lost the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upsets {
    /// Those with scores of at least this, in the unit of the data.
    From(u16),
    /// A random part of those with any score `s`, always the same: they stay with the probability 2 / (1 + e^(|s| / N)), where N is this
    /// number, in the unit of the data.
    Softly(u16),
}

/// See [`SampleFilter::sharp`].
#[derive(Clone)]
pub struct SharpFilter {
    /// The greatest difference that is left in, in the unit of the data.
    pub limit: u16,
    /// The static evaluation.
    pub evaluator: AnyEvaluator,
    /// The name of the evaluation with a checksum of its files: trainings with another one are other trainings.
    pub name: String,
}

impl fmt::Debug for SharpFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharpFilter")
            .field("limit", &self.limit)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Default for SampleFilter {
    /// Leaves out scores that stand for mates.
    fn default() -> Self {
        Self {
            in_check: false,
            captures: false,
            draws: false,
            max_score: 29_999,
            min_ply: 0,
            max_ply: u16::MAX,
            reduced_plies: 0,
            upsets: None,
            sharp: None,
            leaf: None,
            line_weight: 0.0,
        }
    }
}

impl fmt::Debug for SampleFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleFilter")
            .field("in_check", &self.in_check)
            .field("captures", &self.captures)
            .field("draws", &self.draws)
            .field("max_score", &self.max_score)
            .field("min_ply", &self.min_ply)
            .field("max_ply", &self.max_ply)
            .field("reduced_plies", &self.reduced_plies)
            .field("upsets", &self.upsets)
            .field("sharp", &self.sharp)
            .field("leaf", &self.leaf.is_some())
            .field("line_weight", &self.line_weight)
            .finish()
    }
}

impl SampleFilter {
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(LearnError::Option(text.to_owned()));
        if !(0.0..=1.0).contains(&self.line_weight) {
            return wrong("the weight of positions on the way to a leaf must be 0 to 1");
        }
        if matches!(self.upsets, Some(Upsets::From(0) | Upsets::Softly(0))) {
            return wrong(
                "the score of positions left out as the result disagrees must be above 0",
            );
        }
        Ok(())
    }

    /// Returns whether positions have to be looked at, not labels alone.
    pub(crate) const fn needs_positions(&self) -> bool {
        self.in_check || self.captures || self.sharp.is_some() || self.leaf.is_some()
    }

    /// The reason why labels leave a position out, if they do. `number` tells records of file number `source` apart.
    pub(crate) fn reason(
        &self,
        (score, outcome, ply): (i16, i8, u16),
        (source, number): (u16, u64),
    ) -> Option<FilterReason> {
        let random = |name| Sequence::new(0, name).child(u64::from(source));
        let is_reduced = self.reduced_plies > 1
            && u64::from(ply)
                < random("reduced plies").below(number, u64::from(self.reduced_plies));
        let size = score.unsigned_abs();
        let is_upset = i32::from(score) * i32::from(outcome) < 0
            && match self.upsets {
                None => false,
                Some(Upsets::From(limit)) => size >= limit,
                Some(Upsets::Softly(scale)) => {
                    let stays = 2.0 * sigmoid(-f64::from(size) / f64::from(scale));
                    random("upsets").unit(number) >= stays
                }
            };
        if size > self.max_score.unsigned_abs() {
            Some(FilterReason::Score)
        } else if is_reduced || ply > 0 && !(self.min_ply..=self.max_ply).contains(&ply) {
            Some(FilterReason::Ply)
        } else if self.draws && outcome == 0 {
            Some(FilterReason::Draw)
        } else {
            is_upset.then_some(FilterReason::Upset)
        }
    }
}

/// The static evaluation of positions, to compare searched scores with.
pub(crate) struct SharpJudge {
    limit: f64,
    unit: ScoreUnit,
    evaluator: AnyEvaluator,
}

impl SharpJudge {
    pub(crate) fn new(filter: &SharpFilter, unit: ScoreUnit) -> Self {
        Self {
            limit: unit.internal_size(filter.limit),
            unit,
            evaluator: filter.evaluator.clone(),
        }
    }

    /// Returns whether the search found something else than the static evaluation says.
    pub(crate) fn is_sharp(&mut self, position: &Position, searched: i16) -> bool {
        self.evaluator.reset(position);
        let value = f64::from(self.evaluator.evaluate(position));
        (self.unit.internal(searched) - value).abs() > self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upsets_are_scores_for_the_one_who_lost() {
        let left_out = |upsets, labels: (i16, i8)| {
            let filter = SampleFilter {
                upsets: Some(upsets),
                ..SampleFilter::default()
            };
            let (score, outcome) = labels;
            (0..1000)
                .filter(|&number| {
                    let reason = filter.reason((score, outcome, 9), (0, number));
                    assert!(reason.is_none_or(|reason| reason == FilterReason::Upset));
                    reason.is_some()
                })
                .count()
        };
        for (score, outcome, expected) in [
            (600, -1, 1000),
            (599, -1, 0),
            (600, 1, 0),
            (600, 0, 0),
            (-600, 1, 1000),
        ] {
            let found = left_out(Upsets::From(600), (score, outcome));
            assert_eq!(found, expected, "{score} {outcome}");
        }
        // 1 - 2 / (1 + e) of them.
        let soft = left_out(Upsets::Softly(600), (-600, 1));
        assert!((400..525).contains(&soft), "{soft}");
        assert_eq!(left_out(Upsets::Softly(600), (600, 1)), 0);
        assert_eq!(left_out(Upsets::Softly(60), (20_000, -1)), 1000);
    }
}
