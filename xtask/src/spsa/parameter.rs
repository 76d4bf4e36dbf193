//! A parameter of a search, as an engine describes it and as the work has it.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::matches::usi_player::Engine;

/// A parameter that is being tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Parameter {
    /// Also the name of the engine's option.
    pub(super) name: String,
    /// Where the work has brought it; whole only by chance.
    pub(super) value: f64,
    pub(super) default: i64,
    pub(super) min: i64,
    pub(super) max: i64,
    /// How far it is shaken in the last iteration.
    pub(super) step: f64,
    /// How much of a step one point follows in the last iteration.
    pub(super) rate: f64,
}

impl Parameter {
    /// Reads a line `NAME, int, DEFAULT, MIN, MAX, STEP, RATE`, the form that tuning frameworks share.
    fn parse(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, "int", default, min, max, step, rate] = fields[..] else {
            anyhow::bail!("{line:?} does not describe a parameter");
        };
        let whole = |text: &str| text.parse::<i64>().with_context(|| line.to_owned());
        let real = |text: &str| text.parse::<f64>().with_context(|| line.to_owned());
        let parameter = Self {
            name: name.to_owned(),
            value: real(default)?,
            default: whole(default)?,
            min: whole(min)?,
            max: whole(max)?,
            step: real(step)?,
            rate: real(rate)?,
        };
        ensure!(
            parameter.min <= parameter.default && parameter.default <= parameter.max,
            "{line:?}: the default lies outside of the range"
        );
        ensure!(
            parameter.step > 0.0 && parameter.rate > 0.0,
            "{line:?}: step and rate must be positive"
        );
        Ok(parameter)
    }

    /// The nearest value in the range.
    pub(super) fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min as f64, self.max as f64)
    }

    /// The line of the table of parameters, with the value as it is now.
    pub(super) fn to_table_line(&self) -> String {
        format!(
            "    {} = {:.0}, {}..={}, {};",
            self.name, self.value, self.min, self.max, self.step
        )
    }
}

/// Asks an engine for its parameters.
///
/// # Errors
/// When it has none, or they are no options of it.
pub(super) fn read_parameters(engine: &Engine) -> Result<Vec<Parameter>> {
    let mut process = engine.start()?;
    process.send_line("params")?;
    // What comes before the answer to this belongs to the list.
    process.send_line("isready")?;
    let mut parameters = Vec::new();
    loop {
        let line = process.next_line(engine.patience())?;
        if line == "readyok" {
            break;
        }
        if line.contains(", int,") {
            parameters.push(Parameter::parse(&line)?);
        }
    }
    ensure!(
        !parameters.is_empty(),
        "{} tells no parameters",
        engine.name()
    );
    for parameter in &parameters {
        ensure!(
            process.has_option(&parameter.name),
            "{} has no option {}: is it built with the feature `tune`?",
            engine.name(),
            parameter.name
        );
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_pasted_back() {
        let mut parameter =
            Parameter::parse("lmr_base, int, 500, 0, 1500, 60, 0.002").expect("one");
        assert_eq!((parameter.min, parameter.max), (0, 1500));
        parameter.value = 512.6;
        assert_eq!(
            parameter.to_table_line(),
            "    lmr_base = 513, 0..=1500, 60;"
        );
        assert!((parameter.clamp(-3.0)).abs() < f64::EPSILON);
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "a, float, 1, 0, 2, 1, 0.002",
            "a, int, 3, 0, 2, 1, 0.002",
            "a, int, 1, 0, 2, 0, 0.002",
            "a, int, 1, 0, 2",
            "a, int, x, 0, 2, 1, 0.002",
        ] {
            assert!(Parameter::parse(line).is_err(), "{line}");
        }
    }
}
