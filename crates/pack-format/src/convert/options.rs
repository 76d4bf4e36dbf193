//! How teacher data are converted: what is saved behind damage, what records without a move become, and how scores are made.

use yane_io::Overwrite;

use crate::TeacherFormat;
use crate::convert::format::DataFormat;

use crate::move_codes::MoveCodesChoice;
use crate::pack::Contradictions;
use crate::{Result, TeacherError, TeacherScore};

// The options of a conversion.

/// Treatment of damaged inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recover {
    /// The damage is an error and no output is made.
    #[default]
    No,
    /// Everything before the damage is converted. In files of fixed-size records, all but the
    /// damaged records are converted as long as the others stand at their expected offsets.
    Prefix,
    /// So is what can be proved to be good behind it: games of a pack ([`crate::pack::resync`]), and
    /// records that stand elsewhere than they should, because bytes were inserted or lost.
    Resync,
}

/// Treatment of records without a move (0x0000).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutMove {
    /// It is an error, or left out as damage is.
    Refuse,
    /// It is left out, and counted.
    Skip,
    /// It is kept: the new record has no move either.
    Keep,
}

impl WithoutMove {
    /// Returns the default for these formats: records are kept where readers can do without the move,
    /// which readers of hcpe and hcpe3 (policy trainers) cannot.
    pub fn usual(from: DataFormat, to: DataFormat) -> Self {
        match to {
            DataFormat::Teacher(TeacherFormat::Hcpe | TeacherFormat::Hcpe3) if from != to => {
                Self::Refuse
            }
            _ => Self::Keep,
        }
    }
}

/// Options of a conversion.
#[derive(Clone, Debug)]
pub struct TeacherConvertOptions {
    /// Format of the inputs.
    pub from: DataFormat,
    /// Format of the output.
    pub to: DataFormat,
    /// Averages scores over plies; for inputs of whole games.
    pub smoothing: Option<Smoothing>,
    /// Treatment of games whose end reason contradicts their result.
    pub contradictions: Contradictions,
    /// Treatment of damaged inputs.
    pub recover: Recover,
    /// Treatment of records without a move.
    pub without_move: WithoutMove,
    /// Treatment of moves of records without an evaluation.
    pub unscored: Unscored,
    /// Treatment of records without a result.
    pub undecided: Undecided,
    /// Codes of the moves of PSV inputs.
    pub move_codes: MoveCodesChoice,
    /// Permission to write the output over one of the inputs.
    pub overwrite: Overwrite,
}

impl TeacherConvertOptions {
    /// From one format to another, strictly.
    pub fn new(from: impl Into<DataFormat>, to: impl Into<DataFormat>) -> Self {
        let (from, to) = (from.into(), to.into());
        Self {
            from,
            to,
            smoothing: None,
            contradictions: Contradictions::Accept,
            recover: Recover::No,
            without_move: WithoutMove::usual(from, to),
            unscored: to.teacher().map_or(Unscored::Zero, Unscored::usual),
            undecided: Undecided::default(),
            move_codes: MoveCodesChoice::default(),
            overwrite: Overwrite::Refuse,
        }
    }
}

/// Treatment of moves of records without an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unscored {
    /// The game is an error, or left out as damage is.
    Refuse,
    /// Their positions are left out, and counted; where games are written as a whole, the game is.
    Skip,
    /// Their score is 0; they are counted.
    Zero,
}

impl Unscored {
    /// Returns the default for this format: positions without a value are of no use to training, games are kept whole.
    pub fn usual(to: TeacherFormat) -> Self {
        if holds_positions(to) {
            Self::Skip
        } else {
            Self::Zero
        }
    }
}

/// Treatment of records that do not say how the game came out (中断, no ending).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undecided {
    /// They are an error, or left out as damage is.
    Refuse,
    /// They are left out, and counted.
    #[default]
    Skip,
    /// They are draws that were broken off; they are counted.
    Draw,
}

// Scores averaged with those of the plies to come.

/// Replaces each score by a weighted mean of itself and the scores of the next plies of its game,
/// all from the same player's side: the score `k` plies ahead has weight `discount`ᵏ. At the end of
/// a game the weights of the plies there are count. The mean is cut to an integer towards zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothing {
    /// Weight of the score 0, 1, 2 … plies ahead.
    pub(super) weights: Vec<f64>,
}

impl Smoothing {
    /// Averages over `plies` plies, the position's own included.
    ///
    /// # Errors
    /// When `plies` is 0 or above 1,000, or `discount` is not a positive number.
    pub fn new(plies: u32, discount: f64) -> Result<Self> {
        if !(1..=1000).contains(&plies) {
            let text = format!("smoothing over {plies} plies, expected 1 to 1000");
            return Err(TeacherError::Option(text));
        }
        if !(discount.is_finite() && discount > 0.0) {
            let text = format!("discount {discount}, expected a number above 0");
            return Err(TeacherError::Option(text));
        }
        let weights = (0..plies).map(|k| discount.powf(k.into())).collect();
        Ok(Self { weights })
    }

    /// The smoothed scores of a game, appended to `smoothed`. The scores alternate between the
    /// players.
    pub fn apply(&self, scores: &[TeacherScore], smoothed: &mut Vec<TeacherScore>) {
        smoothed.extend((0..scores.len()).map(|first| self.mean(&scores[first..])));
    }

    /// The smoothed first of `scores`.
    pub(super) fn mean(&self, scores: &[TeacherScore]) -> TeacherScore {
        let (mut sum, mut total, mut sign) = (0.0, 0.0, 1.0);
        for (score, weight) in scores.iter().zip(&self.weights) {
            sum += sign * f64::from(score.0) * weight;
            total += weight;
            sign = -sign;
        }
        // `as` cuts towards zero and keeps within the range.
        TeacherScore((sum / total) as i16)
    }
}

pub(super) const fn holds_positions(format: TeacherFormat) -> bool {
    matches!(
        format,
        TeacherFormat::Hcpe | TeacherFormat::Psv | TeacherFormat::Csv
    )
}
