//! Wins by the values of parameters: the log of the field's tuning engines (`PARAMETERS_LOG_FILE_PATH`), and its table.
//!
//! A game is two lines: `gameover win` (or `lose`, `draw`), and `NAME:VALUE,NAME:VALUE,…,` with the values of the engine
//! that was tuned. Both orders of the two are read.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use yane_io::{BoundedLines, Error, LineError};

use crate::error::{Result, TextError};
use crate::params::{ParameterValue, TunedParameter};
use crate::score::{GamePoints, elo_of};

/// A log that is written.
#[derive(Debug)]
pub(crate) struct ValueLog {
    path: PathBuf,
    file: File,
}

impl ValueLog {
    /// Opens a log, to append to what is there.
    pub(crate) fn append_to(path: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(path);
        Ok(Self {
            file: file.map_err(Error::io(path))?,
            path: path.to_owned(),
        })
    }

    /// Appends the values of a player and its result, in one piece.
    pub(crate) fn write(
        &mut self,
        parameters: &[TunedParameter],
        values: &[ParameterValue],
        points: GamePoints,
    ) -> Result<()> {
        let word = match points {
            GamePoints::Win => "win",
            GamePoints::Draw => "draw",
            GamePoints::Loss => "lose",
        };
        let mut text = format!("gameover {word}\n");
        let values = parameters.iter().zip(values);
        let values = values.map(|(it, value)| format!("{}:{},", it.name, it.text(value.get())));
        text.extend(values);
        text.push('\n');
        let written = self.file.write_all(text.as_bytes());
        Ok(written.map_err(Error::write(&self.path, 0))?)
    }
}

/// Wins, draws and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ValueCounts {
    /// Wins.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Losses.
    pub losses: u64,
}

impl ValueCounts {
    fn add(&mut self, points: GamePoints) {
        match points {
            GamePoints::Win => self.wins += 1,
            GamePoints::Draw => self.draws += 1,
            GamePoints::Loss => self.losses += 1,
        }
    }

    /// The part of wins among the games that were won or lost.
    fn rate(self) -> f64 {
        self.wins as f64 / (self.wins + self.losses).max(1) as f64
    }

    /// `223 - 21 - 161(58.07% R56.59)`: wins, draws, losses, the part of wins, the Elo of it.
    fn text(self) -> String {
        let Self {
            wins,
            draws,
            losses,
        } = self;
        let hundredths = |value: f64| (value * 100.0).round() / 100.0;
        let rate = hundredths(self.rate() * 100.0);
        let elo = hundredths(elo_of(self.rate()));
        format!("{wins} - {draws} - {losses}({rate}% R{elo})")
    }
}

/// Wins by the values of all parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueTable {
    total: ValueCounts,
    /// Parameters in the order in which they came, with their values in order.
    parameters: Vec<(String, BTreeMap<Value, ValueCounts>)>,
    /// Lines at the end of files that a crash cut off.
    cut: u64,
}

/// A value, ordered as a number.
#[derive(Clone, Debug)]
struct Value {
    number: f64,
    text: String,
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.number.total_cmp(&other.number)
    }
}

/// A line of a log.
enum ValueLine {
    Result(GamePoints),
    Values(Vec<(String, Value)>),
}

impl ValueTable {
    /// Reads logs, one after the other.
    ///
    /// # Errors
    /// When one cannot be read, or a line is wrong. A last line without its partner does not count.
    pub fn read<P: AsRef<Path>>(paths: &[P]) -> Result<Self> {
        let mut table = Self::default();
        for path in paths {
            table.read_file(path.as_ref())?;
        }
        Ok(table)
    }

    fn read_file(&mut self, path: &Path) -> Result<()> {
        let file = File::open(path).map_err(Error::io(path))?;
        let mut first = None;
        let mut source = BoundedLines::new(BufReader::new(file));
        let lines = std::iter::from_fn(|| source.next_text().transpose());
        let mut lines = lines.enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            let line = line.map_err(LineError::into_io).map_err(Error::io(path))?;
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() {
                continue;
            }
            let parsed = match parse(line) {
                Ok(parsed) => parsed,
                // Cut off.
                Err(_) if lines.peek().is_none() => {
                    self.cut += 1;
                    break;
                }
                Err(reason) => {
                    return Err(Error::file(path, format!("line {}: {reason}", index + 1)).into());
                }
            };
            match (first.take(), parsed) {
                (None, parsed) => first = Some(parsed),
                (Some(ValueLine::Result(points)), ValueLine::Values(values))
                | (Some(ValueLine::Values(values)), ValueLine::Result(points)) => {
                    self.add(points, values);
                }
                (Some(ValueLine::Result(_)), ValueLine::Result(_)) => {
                    let reason = format!("line {}: expected values, NAME:VALUE,...", index + 1);
                    return Err(Error::file(path, reason).into());
                }
                (Some(ValueLine::Values(_)), ValueLine::Values(_)) => {
                    let reason = format!("line {}: expected gameover win, lose or draw", index + 1);
                    return Err(Error::file(path, reason).into());
                }
            }
        }
        self.cut += u64::from(first.is_some());
        Ok(())
    }

    fn add(&mut self, points: GamePoints, values: Vec<(String, Value)>) {
        self.total.add(points);
        for (name, value) in values {
            let known = self.parameters.iter().position(|(known, _)| *known == name);
            let index = known.unwrap_or_else(|| {
                self.parameters.push((name, BTreeMap::new()));
                self.parameters.len() - 1
            });
            self.parameters[index]
                .1
                .entry(value)
                .or_default()
                .add(points);
        }
    }

    /// Lines at the end of files that a crash cut off, or that have no partner.
    pub const fn cut_lines(&self) -> u64 {
        self.cut
    }

    /// The table as the field's script prints it.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("total : {}", self.total.text())];
        for (name, values) in &self.parameters {
            lines.push(format!("{name}:"));
            for (value, counts) in values {
                lines.push(format!("  {} : {}", value.text, counts.text()));
            }
        }
        lines
    }

    /// The table for programs.
    pub fn json(&self) -> serde_json::Value {
        let parameters = self.parameters.iter().map(|(name, values)| {
            let values: Vec<_> = values
                .iter()
                .map(|(value, counts)| {
                    serde_json::json!({
                        "value": value.number,
                        "wins": counts.wins,
                        "draws": counts.draws,
                        "losses": counts.losses,
                    })
                })
                .collect();
            serde_json::json!({ "name": name, "values": values })
        });
        serde_json::json!({
            "total": self.total,
            "parameters": parameters.collect::<Vec<_>>(),
        })
    }
}

fn parse(line: &str) -> Result<ValueLine, TextError> {
    if let Some(word) = line.strip_prefix("gameover") {
        return match word.trim() {
            "win" => Ok(ValueLine::Result(GamePoints::Win)),
            "lose" => Ok(ValueLine::Result(GamePoints::Loss)),
            "draw" => Ok(ValueLine::Result(GamePoints::Draw)),
            other => Err(TextError::unexpected(
                format!("gameover {other}"),
                "win, lose or draw",
            )),
        };
    }
    let entries = line.split(',').map(str::trim).filter(|it| !it.is_empty());
    let value = |entry: &str| {
        let wrong = || {
            let expected = "NAME:VALUE or gameover win, lose or draw";
            TextError::unexpected(format!("{entry:?}"), expected)
        };
        let (name, text) = entry.split_once(':').ok_or_else(wrong)?;
        let number: Option<f64> = text.trim().parse().ok();
        let number = number
            .filter(|number| number.is_finite())
            .ok_or_else(wrong)?;
        let text = text.trim().to_owned();
        Ok((name.trim().to_owned(), Value { number, text }))
    };
    entries
        .map(value)
        .collect::<Result<_, TextError>>()
        .map(ValueLine::Values)
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn figures_are_those_of_the_script() {
        // From the documentation of the field's tuning: the same counts, the same text.
        for (wins, draws, losses, text) in [
            (1276, 142, 1065, "1276 - 142 - 1065(54.51% R31.4)"),
            (223, 21, 161, "223 - 21 - 161(58.07% R56.59)"),
            (226, 38, 228, "226 - 38 - 228(49.78% R-1.53)"),
            (503, 58, 390, "503 - 58 - 390(56.33% R44.2)"),
        ] {
            let counts = ValueCounts {
                wins,
                draws,
                losses,
            };
            assert_eq!(counts.text(), text);
        }
    }

    #[test]
    fn logs_are_written_and_counted() {
        let folder = TestFolder::new();
        let path = folder.path("param.log");
        let parameters = ["A, int, 9, 0, 20, 1, 1", "B, int, 5, 0, 20, 1, 1"]
            .map(|line| TunedParameter::parse(line).unwrap());
        let write = |log: &mut ValueLog, value: f64, points| {
            let values = [parameters[0].value_of(value), parameters[1].value_of(5.0)];
            log.write(&parameters, &values, points).unwrap();
        };
        let mut log = ValueLog::append_to(&path).unwrap();
        write(&mut log, 10.0, GamePoints::Win);
        write(&mut log, 9.0, GamePoints::Loss);
        drop(log);
        let mut log = ValueLog::append_to(&path).unwrap();
        write(&mut log, 10.0, GamePoints::Draw);
        let text = String::from_utf8(folder.read("param.log")).unwrap();
        assert!(
            text.starts_with("gameover win\nA:10,B:5,\ngameover lose\nA:9,B:5,\n"),
            "{text}"
        );
        let table = ValueTable::read(&[&path]).unwrap();
        assert_eq!(
            table.lines(),
            [
                "total : 1 - 1 - 1(50% R0)",
                "A:",
                "  9 : 0 - 0 - 1(0% R-inf)",
                "  10 : 1 - 1 - 0(100% Rinf)",
                "B:",
                "  5 : 1 - 1 - 1(50% R0)",
            ]
        );
        assert_eq!(table.json()["parameters"][0]["values"][1]["draws"], 1);
        // The other order of lines.
        folder.write("other.log", "A:1,\ngameover win\n\nA:1\ngameover lose\nA:");
        let table = ValueTable::read(&[folder.path("other.log")]).unwrap();
        assert_eq!(table.lines()[2], "  1 : 1 - 0 - 1(50% R0)");
        assert_eq!(table.cut_lines(), 1);
    }

    #[test]
    fn mistakes_have_a_line() {
        let folder = TestFolder::new();
        for (text, expected) in [
            (
                "gameover win\ngameover win\nA:1,\n",
                "line 2: expected values",
            ),
            ("A:1,\nA:1,\n\n", "line 2: expected gameover"),
            ("A:1,\ngameover lost\n\n", "line 2: gameover lost"),
            ("A:x,\ngameover win\n", "line 1: \"A:x\""),
        ] {
            folder.write("x", text);
            let error = ValueTable::read(&[folder.path("x")])
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
