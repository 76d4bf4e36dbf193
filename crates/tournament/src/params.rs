//! Parameters that are tuned: where they come from, and the `.params` files of the field.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use shogi_usi::OptionKind;
use yane_io::{AtomicFile, Error, ReadLimit};

use crate::engine::Contestant;
use crate::error::{ParameterError, Result, TextError, TournamentError};
use crate::usi::Usi;

/// The learning rate where nothing else is said: the one that tuning frameworks of the field use.
const USUAL_RATE: f64 = 0.002;
/// Steps in the range of an option where nothing else is said.
const USUAL_STEPS: f64 = 20.0;

/// The kind of a parameter's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// Whole numbers.
    #[default]
    Int,
    /// Numbers with decimals.
    Float,
}

/// A value of a parameter as engines get it: a finite number, whole for whole numbers, else with six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParameterValue(u64);

impl ParameterValue {
    /// The value as it is; `None` when it is not finite.
    pub fn finite(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self::of(value))
    }

    fn of(value: f64) -> Self {
        // Of the two zeros one.
        Self((value + 0.0).to_bits())
    }

    /// The number.
    pub const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// A parameter that is being tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedParameter {
    /// Name, which is also that of the engine's option.
    pub name: String,
    /// The kind of its values.
    #[serde(default)]
    pub kind: ParameterKind,
    /// The tuned value so far, not rounded.
    pub value: f64,
    /// The value at the start.
    #[serde(rename = "default")]
    pub start: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// The perturbation in the last iteration.
    pub step: f64,
    /// The learning rate: the part of a step that it moves for one point in the last iteration.
    pub rate: f64,
}

impl TunedParameter {
    /// Reads `NAME, int, VALUE, MIN, MAX, STEP, RATE`, the form that tuning frameworks share; `float` for numbers with
    /// decimals.
    ///
    /// # Errors
    /// Names what is wrong.
    pub fn parse(line: &str) -> Result<Self, ParameterError> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, kind, numbers @ ..] = &fields[..] else {
            return Err(ParameterError::Form(line.to_owned()));
        };
        let name = (*name).to_owned();
        let kind = match *kind {
            "int" => ParameterKind::Int,
            "float" => ParameterKind::Float,
            other => {
                return Err(ParameterError::Kind {
                    name,
                    kind: other.to_owned(),
                });
            }
        };
        let real = |text: &str| {
            let number: Option<f64> = text.parse().ok();
            let number = number.filter(|number| number.is_finite());
            number.ok_or_else(|| ParameterError::Number {
                name: name.clone(),
                text: text.to_owned(),
            })
        };
        let numbers: Vec<f64> = numbers
            .iter()
            .map(|text| real(text))
            .collect::<Result<_, _>>()?;
        let [value, min, max, step, rate] = numbers[..] else {
            let found = numbers.len();
            return Err(ParameterError::Numbers { name, found });
        };
        let parameter = Self {
            name,
            kind,
            value,
            start: value,
            min,
            max,
            step,
            rate,
        };
        parameter.check()?;
        Ok(parameter)
    }

    fn check(&self) -> Result<(), ParameterError> {
        let Self {
            name,
            value,
            min,
            max,
            step,
            rate,
            ..
        } = self;
        if !(min..=max).contains(&value) {
            return Err(ParameterError::Outside {
                name: name.clone(),
                value: *value,
                min: *min,
                max: *max,
            });
        }
        if *step <= 0.0 || *rate <= 0.0 {
            return Err(ParameterError::NotPositive(name.clone()));
        }
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(ParameterError::Name(name.clone()));
        }
        Ok(())
    }

    /// The nearest value in the range.
    pub(crate) fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min, self.max)
    }

    /// A value as an option has it.
    pub fn text(&self, value: f64) -> String {
        match self.kind {
            ParameterKind::Int => format!("{:.0}", value.round()),
            ParameterKind::Float => format!("{}", rounded(value)),
        }
    }

    /// A value as engines get it.
    pub fn value_of(&self, value: f64) -> ParameterValue {
        ParameterValue::of(match self.kind {
            ParameterKind::Int => value.round(),
            ParameterKind::Float => rounded(value),
        })
    }

    /// The option with a value.
    ///
    /// # Errors
    /// When it is not in the range, or no whole number where it should be one.
    pub fn option_of(&self, value: ParameterValue) -> Result<(String, String), ParameterError> {
        let number = value.get();
        let name = || self.name.clone();
        if self.value_of(number) != value {
            return Err(ParameterError::Number {
                name: name(),
                text: number.to_string(),
            });
        }
        // The ends of the range are rounded too.
        let (least, most) = (self.value_of(self.min), self.value_of(self.max));
        if !(least.get()..=most.get()).contains(&number) {
            return Err(ParameterError::Outside {
                name: name(),
                value: number,
                min: self.min,
                max: self.max,
            });
        }
        Ok((name(), self.text(number)))
    }

    /// The distance from the start in steps.
    pub fn moved(&self) -> f64 {
        (self.value - self.start) / self.step
    }

    /// The line that [`Self::parse`] reads, with this value.
    fn line(&self, value: f64) -> String {
        let Self {
            name,
            min,
            max,
            step,
            rate,
            ..
        } = self;
        let kind = match self.kind {
            ParameterKind::Int => "int",
            ParameterKind::Float => "float",
        };
        let value = rounded(value);
        format!("{name}, {kind}, {value}, {min}, {max}, {step}, {rate}")
    }

    /// The line of the table of parameters of this project's search, with the value as it is now.
    pub fn to_table_line(&self) -> String {
        format!(
            "    {} = {}, {}..={}, {};",
            self.name,
            self.text(self.value),
            self.min,
            self.max,
            self.step
        )
    }
}

/// A number with as many decimals as matter.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// An option to tune: `NAME`, `NAME=MIN..MAX`, `NAME=MIN..MAX/STEP` or `NAME=MIN..MAX/STEP/RATE`. What is left out comes
/// from the engine: its range, a twentieth of it, and 0.002.
#[derive(Clone, Debug, PartialEq)]
pub struct SpinRange {
    name: String,
    range: Option<(f64, f64)>,
    step: Option<f64>,
    rate: Option<f64>,
}

impl FromStr for SpinRange {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let wrong = || {
            let expected = "NAME, NAME=MIN..MAX, NAME=MIN..MAX/STEP or NAME=MIN..MAX/STEP/RATE";
            TextError::unexpected(text, expected)
        };
        let (name, rest) = match text.split_once('=') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let mut parts = rest.unwrap_or_default().split('/');
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let range = match parts.next().filter(|_| rest.is_some()) {
            None => None,
            Some(range) => {
                let (min, max) = range.split_once("..").ok_or_else(wrong)?;
                Some((number(min)?, number(max)?))
            }
        };
        let step = parts.next().map(number).transpose()?;
        let rate = parts.next().map(number).transpose()?;
        if name.is_empty() || parts.next().is_some() || range.is_some_and(|(min, max)| min >= max) {
            return Err(wrong());
        }
        Ok(Self {
            name: name.to_owned(),
            range,
            step,
            rate,
        })
    }
}

/// Where parameters come from.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterSource {
    /// The engine prints them at the command `params`, as this project's does when built for tuning.
    Engine,
    /// A `.params` file.
    File(PathBuf),
    /// Options of the engine that are whole numbers.
    Spins(Vec<SpinRange>),
}

impl ParameterSource {
    /// The parameters, whose names begin with one of `prefixes` if there are any; all of them must be options of
    /// `engine`. Without prefixes those of time management (`time_…`) that an engine prints are left out.
    ///
    /// # Errors
    /// When they cannot be read, the engine has no such option, or there are none.
    pub fn read(&self, engine: &Contestant, prefixes: &[String]) -> Result<Vec<TunedParameter>> {
        let failed = |reason: String| TournamentError::Engine {
            name: engine.label.clone(),
            reason,
        };
        let wrong = |error: ParameterError| failed(error.to_string());
        let mut process = Usi::open(&engine.command).map_err(|error| failed(error.to_string()))?;
        let mut parameters = match self {
            Self::Engine => {
                let text =
                    printed(&mut process, engine).map_err(|error| failed(error.to_string()))?;
                text.iter()
                    .map(|line| TunedParameter::parse(line).map_err(wrong))
                    .collect::<Result<Vec<_>>>()?
            }
            Self::File(path) => ParamsFile::read(path)?.parameters(),
            Self::Spins(spins) => spins
                .iter()
                .map(|spin| spin_parameter(spin, &process, engine).map_err(wrong))
                .collect::<Result<Vec<_>>>()?,
        };
        parameters.retain(|parameter| {
            let is_asked = |prefix: &String| parameter.name.starts_with(prefix.as_str());
            if prefixes.is_empty() {
                *self != Self::Engine || !parameter.name.starts_with("time_")
            } else {
                prefixes.iter().any(is_asked)
            }
        });
        if parameters.is_empty() {
            return Err(failed(match self {
                Self::Engine if prefixes.is_empty() => {
                    "tells no parameters at `params`; name a .params file or options to tune"
                        .to_owned()
                }
                _ => "no parameter has such a name".to_owned(),
            }));
        }
        let unknown = parameters
            .iter()
            .find(|parameter| !process.has_option(&parameter.name));
        if let Some(parameter) = unknown {
            return Err(failed(format!(
                "there is no option {}: is it built for tuning (feature `tune`)?",
                parameter.name
            )));
        }
        let mut names: Vec<_> = parameters.iter().map(|it| &it.name).collect();
        names.sort();
        if let Some([name, ..]) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(TournamentError::Settings(format!(
                "the parameter {name} is there twice"
            )));
        }
        drop(process.quit(engine.command.patience));
        Ok(parameters)
    }
}

/// The lines that an engine prints at `params`.
fn printed(
    process: &mut shogi_usi::client::EngineProcess,
    engine: &Contestant,
) -> Result<Vec<String>, shogi_usi::client::EngineError> {
    process.send_line("params")?;
    // All lines before the answer to this command belong to the list.
    process.send_line("isready")?;
    let mut lines = Vec::new();
    loop {
        let line = process.next_line(engine.command.patience)?;
        if line == "readyok" {
            return Ok(lines);
        }
        if line.contains(", int,") || line.contains(", float,") {
            lines.push(line);
        }
    }
}

/// The parameter of an option that is a whole number. It starts with the value that the engine is given.
fn spin_parameter(
    spin: &SpinRange,
    process: &shogi_usi::client::EngineProcess,
    engine: &Contestant,
) -> Result<TunedParameter, ParameterError> {
    let mut options = process.options().iter();
    let option = options
        .find(|option| option.name.eq_ignore_ascii_case(&spin.name))
        .ok_or_else(|| ParameterError::NoOption(spin.name.clone()))?;
    let OptionKind::Spin { default, min, max } = option.kind else {
        return Err(ParameterError::NoSpin(spin.name.clone()));
    };
    let value = match engine.spec.given_option(&spin.name) {
        Some(value) => value.parse::<f64>().map_err(|_| ParameterError::Given {
            name: spin.name.clone(),
            value: value.to_owned(),
        })?,
        None => default as f64,
    };
    let (min, max) = match spin.range {
        None => (min as f64, max as f64),
        Some((from, to)) if from < min as f64 || to > max as f64 => {
            let name = option.name.clone();
            return Err(ParameterError::Range { name, min, max });
        }
        Some(range) => range,
    };
    let parameter = TunedParameter {
        name: option.name.clone(),
        kind: ParameterKind::Int,
        value,
        start: value,
        min,
        max,
        step: spin.step.unwrap_or((max - min) / USUAL_STEPS),
        rate: spin.rate.unwrap_or(USUAL_RATE),
    };
    parameter.check()?;
    Ok(parameter)
}

// Files of parameters.

/// The mark of a parameter that is not tuned.
const NOT_USED: &str = "[[NOT USED]]";

/// A `.params` file: a parameter a line in the form that [`TunedParameter::parse`] reads, with comments behind `//`;
/// those marked `[[NOT USED]]` are not tuned. Empty lines and lines that begin with `#` or `//` stay as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamsFile {
    path: PathBuf,
    lines: Vec<ParamsLine>,
}

#[derive(Clone, Debug, PartialEq)]
enum ParamsLine {
    /// Not a parameter that is tuned.
    Other(String),
    /// A parameter, and what stands behind it.
    Parameter(TunedParameter, String),
}

impl ParamsFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or a line is wrong.
    pub fn read(path: &Path) -> Result<Self> {
        let text = ReadLimit::Settings.read_string(path)?;
        let line = |(index, line): (usize, &str)| {
            let content = line.split("//").next().unwrap_or_default();
            let is_other = content.trim().is_empty()
                || content.trim_start().starts_with('#')
                || line.contains(NOT_USED);
            if is_other {
                return Ok(ParamsLine::Other(line.to_owned()));
            }
            let parameter = TunedParameter::parse(content.trim_start_matches('\u{feff}'));
            let parameter = parameter
                .map_err(|reason| Error::file(path, format!("line {}: {reason}", index + 1)))?;
            let behind = line[content.len()..].to_owned();
            Ok(ParamsLine::Parameter(parameter, behind))
        };
        Ok(Self {
            path: path.to_owned(),
            lines: text
                .lines()
                .enumerate()
                .map(line)
                .collect::<Result<_, Error>>()?,
        })
    }

    /// The parameters that are tuned.
    pub fn parameters(&self) -> Vec<TunedParameter> {
        let lines = self.lines.iter();
        lines
            .filter_map(|line| match line {
                ParamsLine::Parameter(parameter, _) => Some(parameter.clone()),
                ParamsLine::Other(_) => None,
            })
            .collect()
    }

    /// The text with the values of `parameters`, by their names; all else stays.
    pub(crate) fn with_values(&self, parameters: &[TunedParameter]) -> String {
        let values: BTreeMap<_, _> = parameters.iter().map(|it| (&it.name, it.value)).collect();
        let mut text = String::new();
        for line in &self.lines {
            match line {
                ParamsLine::Other(line) => text += line,
                ParamsLine::Parameter(parameter, behind) => {
                    let value = values.get(&parameter.name).unwrap_or(&parameter.value);
                    text += &parameter.line(*value);
                    if !behind.is_empty() {
                        text += " ";
                        text += behind;
                    }
                }
            }
            text.push('\n');
        }
        text
    }

    /// Writes the file with the values of `parameters`, to `path` or where it was read.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: Option<&Path>, parameters: &[TunedParameter]) -> Result<()> {
        let mut file = AtomicFile::create(path.unwrap_or(&self.path))?;
        file.put(self.with_values(parameters).as_bytes())?;
        Ok(file.commit()?)
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn lines_are_read_and_pasted_back() {
        let line = "lmr_base, int, 500, 0, 1500, 60, 0.002";
        let mut parameter = TunedParameter::parse(line).unwrap();
        parameter.value = 512.6;
        assert_eq!(
            parameter.to_table_line(),
            "    lmr_base = 513, 0..=1500, 60;"
        );
        assert!((parameter.moved() - 0.21).abs() < 1e-9);
        let parameter = TunedParameter::parse("c, float, 0.25, 0, 1, 0.1, 0.002").unwrap();
        assert_eq!(parameter.text(1.0 / 3.0), "0.333333");
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "",
            "a",
            "a, text, 1, 0, 2, 1, 0.002",
            "a, int, 3, 0, 2, 1, 0.002",
            "a, int, 1, 0, 2, 0, 0.002",
            "a, int, 1, 0, 2",
            "a, int, 1, 0, 2, 1, 0.002, 5",
            "a, int, x, 0, 2, 1, 0.002",
            "a, int, NaN, 0, 2, 1, 0.002",
            "a b, int, 1, 0, 2, 1, 0.002",
        ] {
            assert!(TunedParameter::parse(line).is_err(), "{line}");
        }
        for text in ["", "=1..2", "a=1", "a=2..1", "a=1..2/x", "a=1..2/1/1/1"] {
            assert!(text.parse::<SpinRange>().is_err(), "{text}");
        }
        let spin: SpinRange = "FV_SCALE=8..48/2/0.01".parse().unwrap();
        assert_eq!((spin.range, spin.step), (Some((8.0, 48.0)), Some(2.0)));
        assert!("FV_SCALE".parse::<SpinRange>().is_ok());
    }

    #[test]
    fn files_are_written_back_with_all_else_as_it_was() {
        let folder = TestFolder::new();
        let text = "# tuned on Monday\n\
                    a,int,178.25,64,512,8,0.002 // margin, alpha\n\
                    \n\
                    b, float, 0.5, 0, 1, 0.1, 0.002\n\
                    c, int, 1, 0, 2, 1, 0.002 [[NOT USED]]\n";
        folder.write("x.params", text);
        let path = folder.path("x.params");
        let file = ParamsFile::read(&path).unwrap();
        let mut parameters = file.parameters();
        assert_eq!(parameters.len(), 2);
        assert!((parameters[0].value - 178.25).abs() < 1e-9);
        parameters[0].value = 180.123_456_78;
        file.write(None, &parameters).unwrap();
        let written = String::from_utf8(folder.read("x.params")).unwrap();
        assert_eq!(
            written,
            "# tuned on Monday\n\
             a, int, 180.123457, 64, 512, 8, 0.002 // margin, alpha\n\
             \n\
             b, float, 0.5, 0, 1, 0.1, 0.002\n\
             c, int, 1, 0, 2, 1, 0.002 [[NOT USED]]\n"
        );
        let again = ParamsFile::read(&path).unwrap();
        assert_eq!(again.with_values(&again.parameters()), written);
    }

    #[test]
    fn mistakes_in_files_have_a_line() {
        let folder = TestFolder::new();
        folder.write("x.params", "a, int, 1, 0, 2, 1, 0.002\nb, int, 1\n");
        let error = ParamsFile::read(&folder.path("x.params")).unwrap_err();
        assert!(error.to_string().contains("line 2: b"), "{error}");
    }
}
