//! What changes from round to round: factors of the limit, and options such as a network.

use std::fmt;
use std::str::FromStr;

use crate::error::TextError;

/// Options of all engines that belong together, as `NAME=VALUE,NAME=VALUE`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionSet(Vec<(String, String)>);

impl OptionSet {
    /// Names and values.
    pub fn options(&self) -> &[(String, String)] {
        &self.0
    }
}

impl FromStr for OptionSet {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let option = |part: &str| match part.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => Err(TextError::unexpected(
                format!("{part:?}"),
                "NAME=VALUE,NAME=VALUE,...",
            )),
        };
        Ok(Self(text.split(',').map(option).collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for OptionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (name, value)) in self.0.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}

/// What rounds take in turn. Both games of a pair, and all pairs of engines in a round, have the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundRotation {
    /// Factors of all limits.
    pub multipliers: Vec<f64>,
    /// Options of all engines.
    pub options: Vec<OptionSet>,
}

impl RoundRotation {
    /// Number of rounds after which all has come up equally often.
    pub fn cycle(&self) -> usize {
        self.multipliers.len().max(1) * self.options.len().max(1)
    }

    /// The factor of the limits in a round; 1 without factors.
    pub fn factor(&self, round: usize) -> f64 {
        match self.multipliers.len() {
            0 => 1.0,
            count => self.multipliers[round % count],
        }
    }

    /// The number of a round's options in the list; `None` without options.
    pub(crate) fn option_set(&self, round: usize) -> Option<usize> {
        round.checked_rem(self.options.len())
    }

    /// Names and values of each set of options.
    pub fn option_sets(&self) -> Vec<Vec<(String, String)>> {
        let sets = self.options.iter();
        sets.map(|set| set.options().to_vec()).collect()
    }

    /// The options in a round; none without options.
    pub fn options(&self, round: usize) -> &[(String, String)] {
        self.option_set(round)
            .map_or(&[], |number| self.options[number].options())
    }
}

/// As it stands behind the limit in logs and checkpoints: nothing without a rotation.
impl fmt::Display for RoundRotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.multipliers.is_empty() {
            write!(f, " x {:?}", self.multipliers)?;
        }
        if !self.options.is_empty() {
            let options: Vec<_> = self.options.iter().map(OptionSet::to_string).collect();
            write!(f, ", in turn {}", options.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_take_factors_and_options_in_turn() {
        let none = RoundRotation::default();
        assert!((none.factor(3) - 1.0).abs() < f64::EPSILON);
        assert_eq!((none.option_set(3), none.options(3)), (None, &[][..]));
        assert_eq!(none.to_string(), "");
        let rotation = RoundRotation {
            multipliers: vec![1.0, 2.5],
            options: ["EvalDir=a", "EvalDir=b, FV_SCALE=20", "EvalDir=c"]
                .map(|text| text.parse().unwrap())
                .to_vec(),
        };
        assert!((rotation.factor(3) - 2.5).abs() < f64::EPSILON);
        assert_eq!((none.cycle(), rotation.cycle()), (1, 6));
        assert_eq!(rotation.option_set(5), Some(2));
        assert_eq!(
            rotation.options(4),
            [("EvalDir", "b"), ("FV_SCALE", "20")].map(|(name, value)| (name.into(), value.into()))
        );
        assert_eq!(
            rotation.to_string(),
            " x [1.0, 2.5], in turn EvalDir=a EvalDir=b,FV_SCALE=20 EvalDir=c"
        );
    }

    #[test]
    fn options_without_a_name_are_refused() {
        for text in ["", "EvalDir", "=a", "EvalDir=a,,X=1"] {
            assert!(text.parse::<OptionSet>().is_err(), "{text}");
        }
    }
}
