//! The values of `learn`'s options, as text.

use std::ffi::OsString;
use std::str::FromStr;

use clap::ValueEnum;
use shogi_learn::{
    Lambda, LearnSource, LossFunction, PlyWeight, RateSchedule, ScoreUnit, TeacherScale, Upsets,
};
use yane_cli::WeightedPath;

/// A file with a weight behind an asterisk.
#[derive(Clone, Debug)]
pub(super) struct WeightedFile(pub(super) LearnSource);

impl From<OsString> for WeightedFile {
    fn from(text: OsString) -> Self {
        let WeightedPath { path, weight } = text.into();
        let mut source = LearnSource::new(path);
        source.weight = weight as f32;
        Self(source)
    }
}

/// The rule of the steps, by its name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum OptimiserName {
    /// Adam
    Adam,
    /// Adam with weight decay
    Adamw,
    /// Gradient descent, as the classic trainer
    Sgd,
}

/// The unit of scores, by its name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum UnitName {
    /// Centipawns: what engines tell
    Cp,
    /// A pawn is 90: PSV files of classic learners
    Internal,
}

impl From<UnitName> for ScoreUnit {
    fn from(name: UnitName) -> Self {
        match name {
            UnitName::Cp => Self::Centipawns,
            UnitName::Internal => Self::Internal,
        }
    }
}

/// The course of the learning rate, as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule(pub(super) RateSchedule);

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            "expected constant, cosine[:END], step:FACTOR:EPOCHS or newbob:FACTOR:TRIALS".to_owned()
        };
        let words: Vec<_> = text.split(':').collect();
        let factor = |text: &str| text.parse::<f64>().map_err(|_| expected());
        let count = |text: &str| text.parse::<u32>().map_err(|_| expected());
        Ok(Self(match words[..] {
            ["constant"] => RateSchedule::Constant,
            ["cosine"] => RateSchedule::Cosine { end: 0.02 },
            ["cosine", end] => RateSchedule::Cosine { end: factor(end)? },
            ["step", by, every] => RateSchedule::Step {
                factor: factor(by)?,
                epochs: count(every)?,
            },
            ["newbob", by, trials] => RateSchedule::Newbob {
                factor: factor(by)?,
                trials: count(trials)?,
            },
            _ => return Err(expected()),
        }))
    }
}

/// The weight of the score, as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct LambdaText(pub(super) Lambda);

impl FromStr for LambdaText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a number from 0 to 1, or A:B:FROM:TO".to_owned();
        let words: Vec<_> = text.split(':').collect();
        let weight = |text: &str| text.parse::<f64>().map_err(|_| expected());
        let ply = |text: &str| text.parse::<u16>().map_err(|_| expected());
        Ok(Self(match words[..] {
            [one] => Lambda::constant(weight(one)?),
            [start, end, from, to] => Lambda {
                start: weight(start)?,
                end: weight(end)?,
                from: ply(from)?,
                to: ply(to)?,
            },
            _ => return Err(expected()),
        }))
    }
}

/// The scale of winning rates, as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScaleText(pub(super) TeacherScale);

impl FromStr for ScaleText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self(TeacherScale::Fitted));
        }
        let scale = text
            .parse()
            .map_err(|_| "expected auto or a number".to_owned())?;
        Ok(Self(TeacherScale::Fixed(scale)))
    }
}

/// Positions to leave out as score and result disagree, as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct UpsetsText(pub(super) Upsets);

impl FromStr for UpsetsText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a score above 0, or SCORE:soft".to_owned();
        let (score, kind) = text.split_once(':').unwrap_or((text, ""));
        let score = score.parse::<u16>().map_err(|_| expected())?;
        Ok(Self(match kind {
            "" if text == score.to_string() => Upsets::From(score),
            "soft" => Upsets::Softly(score),
            _ => return Err(expected()),
        }))
    }
}

/// The loss, as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct LossText(pub(super) LossFunction);

impl FromStr for LossText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected entropy, or power:N with N from 1 on".to_owned();
        Ok(Self(match text.split_once(':') {
            None if text == "entropy" => LossFunction::CrossEntropy,
            Some(("power", exponent)) => {
                LossFunction::Power(exponent.parse().map_err(|_| expected())?)
            }
            _ => return Err(expected()),
        }))
    }
}

/// A weight from a ply on, as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlyWeightText(pub(super) PlyWeight);

impl FromStr for PlyWeightText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (from, weight) = text.split_once(':')?;
            Some(PlyWeight {
                from: from.parse().ok()?,
                weight: weight.parse().ok()?,
            })
        };
        read()
            .map(Self)
            .ok_or_else(|| "expected PLY:WEIGHT, such as 24:0.5".to_owned())
    }
}
