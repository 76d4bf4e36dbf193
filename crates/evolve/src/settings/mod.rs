//! The settings of a run: the file, and what it says about each generation.

mod check;
mod merge;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shogi_farm::settings::parse_json5;
use yane_io::ReadLimit;
use yane_io::sniff::{Expected, JSON};

use crate::error::{EvolveError, EvolveSettingsError};
use crate::kind::EvolveKind;
use merge::merge;

type Result<T> = std::result::Result<T, EvolveSettingsError>;

/// A settings file: the settings of the first generation, and changes from later ones on.
#[derive(Clone, Debug, PartialEq)]
pub struct EvolveFile {
    base: Value,
    /// The first generation of each change, and the change, in the order of the file.
    changes: Vec<(u32, Value)>,
}

impl EvolveFile {
    /// Reads a settings file.
    ///
    /// # Errors
    /// When it cannot be read; names the line or the key that is wrong.
    pub fn read(path: &Path) -> crate::error::Result<Self> {
        let expected = Expected {
            accepts: &[JSON],
            ..Expected::text("settings as JSON5")
        };
        let text = yane_io::read_text(path, &expected, ReadLimit::Settings)?;
        Self::parse(&String::from_utf8_lossy(&text)).map_err(|reason| EvolveError::Settings {
            path: path.to_owned(),
            reason,
        })
    }

    /// Reads the text of a file (JSON5). What it leaves out is as in [`EvolveKind::default_text`].
    ///
    /// # Errors
    /// Names the line or the key that is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let own = parse_json5(text)?;
        let Value::Object(mut own) = own else {
            let reason = "expected an object { … }".to_owned();
            let path = "the file".to_owned();
            return Err(EvolveSettingsError::Type { path, reason });
        };
        let kind = own.get("kind").and_then(Value::as_str);
        let kind = kind.and_then(EvolveKind::from_name);
        let kind = kind.ok_or(EvolveSettingsError::Kind)?;
        let mut base = parse_json5(kind.default_text())?;
        if let Value::Object(base) = &mut base {
            base.remove("at");
        }
        let changes = own.remove("at").map_or(Ok(Vec::new()), changes)?;
        merge(&mut base, &Value::Object(own));
        let file = Self { base, changes };
        file.at(1)?;
        for (from, _) in &file.changes {
            let told = |error| match error {
                EvolveSettingsError::Type { path, reason } => EvolveSettingsError::Type {
                    path: format!("at generation {from}: {path}"),
                    reason,
                },
                EvolveSettingsError::Value { path, expected } => EvolveSettingsError::Value {
                    path: format!("at generation {from}: {path}"),
                    expected,
                },
                other => other,
            };
            file.at(*from).map_err(told)?;
        }
        Ok(file)
    }

    /// With another value of a setting of the whole run: of `generations`, `hours` or `threads`.
    ///
    /// # Errors
    /// When the value makes no sense.
    pub fn with(mut self, name: &str, value: Value) -> Result<Self> {
        if let Value::Object(base) = &mut self.base {
            base.insert(name.to_owned(), value);
        }
        self.at(1)?;
        Ok(self)
    }

    /// The settings of a generation, counted from 1.
    ///
    /// # Errors
    /// When a change makes no sense; not for a file that was read.
    pub fn at(&self, generation: u32) -> Result<EvolveSettings> {
        let mut value = self.base.clone();
        let changes = self.changes.iter();
        for (_, change) in changes.filter(|(from, _)| *from <= generation) {
            merge(&mut value, change);
        }
        let settings: EvolveSettings =
            serde_path_to_error::deserialize(value).map_err(|error| EvolveSettingsError::Type {
                path: error.path().to_string(),
                reason: error.inner().to_string(),
            })?;
        settings.check()?;
        Ok(settings)
    }
}

/// Keys of the whole run, which no generation changes.
const OF_RUN: [&str; 6] = ["kind", "name", "seed", "start", "generations", "hours"];

/// The changes of the key `at`.
fn changes(value: Value) -> Result<Vec<(u32, Value)>> {
    let Value::Array(entries) = value else {
        return Err(EvolveSettingsError::value("at", "a list of changes"));
    };
    let change = |(index, entry): (usize, Value)| {
        let path = format!("at[{index}]");
        let Value::Object(mut entry) = entry else {
            return Err(EvolveSettingsError::value(path, "an object { from: … }"));
        };
        let from = entry.remove("from").and_then(|from| from.as_u64());
        let from = from.and_then(|from| u32::try_from(from).ok());
        let from = from.filter(|from| *from >= 1).ok_or_else(|| {
            EvolveSettingsError::value(format!("{path}.from"), "a generation from 1 on")
        })?;
        if let Some(key) = OF_RUN.iter().find(|key| entry.contains_key(**key)) {
            let path = format!("{path}.{key}");
            return Err(EvolveSettingsError::value(path, "it for the whole run"));
        }
        Ok((from, Value::Object(entry)))
    };
    entries.into_iter().enumerate().map(change).collect()
}

/// The settings of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolveSettings {
    /// What grows.
    pub kind: EvolveKind,
    /// The name of the run.
    pub name: String,
    /// The seed of all that is random.
    pub seed: u64,
    /// `embedded`, `none`, or a file.
    pub start: String,
    /// Number of generations.
    pub generations: u32,
    /// Most hours of all sessions together.
    pub hours: Option<f64>,
    /// Threads of this machine.
    pub threads: Option<u32>,
    /// How games are played.
    pub selfplay: SelfplayPart,
    /// What is learnt beside the new games.
    pub mix: MixPart,
    /// The candidates.
    pub training: Vec<CandidatePart>,
    /// The match of a candidate with the best.
    pub gate: GatePart,
    /// Games for the ladder.
    pub ladder: LadderPart,
    /// Generations whose games stay on disk.
    pub keep: Option<u32>,
    /// The most that all games may take, in GB of 10^9 bytes.
    pub max_gb: Option<f64>,
    /// Work shared by machines.
    pub queue: Option<QueuePart>,
}

/// How the games of a generation are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfplayPart {
    /// Number of games.
    pub games: Option<u64>,
    /// Number of positions instead, about.
    pub positions: Option<u64>,
    /// Nodes a move, of shogi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth of the searches in plies, of othello.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Random moves at the beginning.
    pub random_plies: Option<RandomPlies>,
    /// Files of start positions, of shogi.
    #[serde(default)]
    pub starts: Vec<String>,
    /// Keys of `gensfen`'s settings file, of shogi.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// More words of the command line.
    pub options: Vec<String>,
}

/// Random moves at the beginning of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RandomPlies {
    /// A number of plies.
    Number(u32),
    /// Least and most plies: `6..30`.
    Range(String),
}

/// What is learnt beside the games of the generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixPart {
    /// Weights of the positions of the generations before, the youngest first.
    pub older: Vec<f64>,
    /// More data: `FILE` or `FILE*0.5`.
    pub files: Vec<String>,
    /// Games that are there twice are left out.
    #[serde(default)]
    pub dedup: bool,
}

/// A candidate of each generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidatePart {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// What its training begins with.
    pub from: TrainingStart,
    /// The architecture, as the trainer names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// The learning rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lr: Option<f64>,
    /// How often the data are gone through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u32>,
    /// Weight of the score in the target, of shogi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// More words of the trainer's command line.
    #[serde(default)]
    pub options: Vec<String>,
}

/// What the training of a candidate begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingStart {
    /// The best network so far.
    Best,
    /// The network of the candidate of this name one generation before; the best one in the first generation.
    Last,
    /// The network of the beginning of the run.
    Start,
    /// Random numbers.
    Nothing,
}

/// The match of a candidate with the best network so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GatePart {
    /// The difference in Elo that is tested against `elo1`.
    pub elo0: f64,
    /// The difference by which a candidate passes.
    pub elo1: f64,
    /// Probability that a candidate passes whose difference is `elo0`.
    pub alpha: f64,
    /// Probability that one does not pass whose difference is `elo1`.
    pub beta: f64,
    /// Most games.
    pub games: u64,
    /// The score with which a candidate passes when all games are over and the test is not decided.
    pub undecided: Option<f64>,
    /// Nodes a move, of shogi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Milliseconds a move.
    pub movetime: Option<u64>,
    /// Level of the engine, of othello.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Files of openings.
    pub openings: Vec<String>,
    /// Number of openings that are made where no files are named; 0: random moves.
    pub made_openings: u64,
    /// Games at a time.
    pub concurrency: Option<u32>,
    /// More words of the command line.
    pub options: Vec<String>,
}

/// Games for the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderPart {
    /// Games of a new best network with each of its two opponents; 0: none.
    pub games: u64,
}

/// Work shared by machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueuePart {
    /// The NATS server: `nats://host:4222`.
    pub url: String,
    /// The file of the secret.
    #[serde(default)]
    pub secret_file: Option<String>,
    /// The file of the log-in at the server.
    #[serde(default)]
    pub login_file: Option<String>,
    /// More words about it, such as `--lease 60`.
    #[serde(default)]
    pub options: Vec<String>,
}

impl EvolveSettings {
    /// Generations whose games stay on disk, the present one included.
    pub(crate) fn kept(&self) -> u32 {
        let read = self.mix.older.len() as u32 + 1;
        self.keep.unwrap_or(read)
    }

    /// Threads of this machine.
    pub(crate) fn thread_count(&self) -> u32 {
        self.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, |count| count.get() as u32)
        })
    }

    /// Random choices of a generation: another number for each, and for each run.
    pub(crate) const fn seed_of(&self, generation: u32) -> u64 {
        self.seed
            .wrapping_mul(1_000_000)
            .wrapping_add(generation as u64)
    }

    /// What decides the results of a generation, as parts with names.
    pub(crate) fn identity_parts(&self) -> Vec<(String, String)> {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            // Places of work, limits of the run and what stays on disk change no result.
            for name in ["generations", "hours", "threads", "queue", "name"] {
                fields.remove(name);
            }
            if let Some(gate) = fields.get_mut("gate").and_then(Value::as_object_mut) {
                gate.remove("concurrency");
            }
        }
        let mut parts = Vec::new();
        leaves("", &value, &mut parts);
        parts
    }
}

/// The values of a tree with their paths.
fn leaves(path: &str, value: &Value, parts: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                leaves(&format!("{path}{dot}{name}"), value, parts);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (index, value) in items.iter().enumerate() {
                leaves(&format!("{path}[{index}]"), value, parts);
            }
        }
        other => parts.push((path.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests;
