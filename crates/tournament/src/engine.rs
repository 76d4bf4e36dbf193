//! Engines of a match: their description, their processes, and what protocols are to them.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use yane_io::NamedContents;

use crate::contents::RunContents;
use crate::error::{PlayerError, Result, TextError, TournamentError};
use crate::player::{MatchPlayer, MoveLimit, PlayerFault};

/// An engine as a command line names it: `PROGRAM`, or `PROGRAM,KEY=VALUE,…` with the keys `name`, `dir`, `scale` and
/// `protocol`; every other key is an option of the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineSpec {
    /// The name in tables and logs, if it has one.
    pub name: Option<String>,
    /// The program, with arguments where it is no file, such as `ssh host engine`.
    pub program: String,
    /// Options: names and values.
    pub options: Vec<(String, String)>,
    /// Working folder; where the program is if `None`, as GUIs have it.
    pub folder: Option<PathBuf>,
    /// Multiplier of the limit of its moves.
    pub scale: f64,
    /// The protocol that it speaks, where a game has several.
    pub protocol: Option<ProtocolName>,
}

/// A protocol of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProtocolName {
    /// USI, of shogi.
    Usi,
    /// The Go Text Protocol, of othello too.
    Gtp,
    /// The protocol of NBoard, of othello.
    NBoard,
}

impl FromStr for ProtocolName {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        match text.to_ascii_lowercase().as_str() {
            "usi" => Ok(Self::Usi),
            "gtp" => Ok(Self::Gtp),
            "nboard" => Ok(Self::NBoard),
            _ => Err(TextError::unexpected(
                format!("protocol={text}"),
                "usi, gtp or nboard",
            )),
        }
    }
}

impl EngineSpec {
    /// The checksums of all that the engine reads from this machine, each with a name before it: its program, and the files and
    /// folders that its options name. What is not here (an engine on another machine) is left out.
    pub fn contents(&self) -> Vec<String> {
        let options = self.options.iter();
        let options = options.map(|(name, value)| (name.as_str(), value.as_str()));
        let all = std::iter::once(("program", self.program.as_str())).chain(options);
        let contents = all.filter_map(|(name, value)| {
            let content = self.content_of(value)?;
            Some(format!("{name} {content}"))
        });
        contents.collect()
    }

    /// What the file or folder has that an option of the engine names; `None` when it names none that can be read on this machine.
    pub(crate) fn content_of(&self, value: &str) -> Option<String> {
        let folder = self.folder.as_deref();
        let folder = folder.or_else(|| Path::new(&self.program).parent());
        let contents = NamedContents::of_value(value, folder).ok()?;
        contents.map(|contents| contents.to_string())
    }

    /// Adds the contents of the files that `options` of the engine name.
    pub(crate) fn add_contents<'a>(
        &self,
        contents: &mut RunContents,
        engine: &str,
        options: impl IntoIterator<Item = &'a (String, String)>,
    ) {
        for (name, value) in options {
            contents.add(format!("{engine}: {name}={value}"), self.content_of(value));
        }
    }

    /// An engine without settings.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            name: None,
            program: program.into(),
            options: Vec::new(),
            folder: None,
            scale: 1.0,
            protocol: None,
        }
    }

    /// Adds an option as `NAME=VALUE`.
    ///
    /// # Errors
    /// When it has no `=`.
    pub fn add_option(&mut self, option: &str) -> Result<(), TextError> {
        let (name, value) = option
            .split_once('=')
            .ok_or_else(|| TextError::unexpected(option, "NAME=VALUE"))?;
        self.options.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// The value that an option is given, the last one if it is given again; upper and lower case do not differ.
    pub(crate) fn given_option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter().rev();
        let given = options.find(|(other, _)| other.eq_ignore_ascii_case(name));
        given.map(|(_, value)| value.as_str())
    }

    /// The options as `NAME=VALUE`.
    pub(crate) fn option_texts(&self) -> Vec<String> {
        let options = self.options.iter();
        options
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }
}

/// The parts between commas, at least one; a comma behind a backslash is part of one.
fn list_of(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(',') {
        let escaped = before.strip_suffix('\\');
        if let Some(part) = parts.last_mut() {
            part.push_str(escaped.unwrap_or(before));
            if escaped.is_some() {
                part.push(',');
            }
        }
        if escaped.is_none() {
            parts.push(String::new());
        }
        rest = after;
    }
    if let Some(part) = parts.last_mut() {
        part.push_str(rest);
    }
    parts
}

impl FromStr for EngineSpec {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        // A file whose name has a comma is that file.
        let is_file = Path::new(text).is_file();
        let mut parts = if is_file {
            vec![text.to_owned()]
        } else {
            list_of(text)
        };
        let program = parts.remove(0);
        if program.is_empty() {
            return Err(TextError::Missing("PROGRAM or PROGRAM,KEY=VALUE,..."));
        }
        let mut spec = Self::new(program);
        for part in &parts {
            match part.split_once('=') {
                Some(("name", name)) => spec.name = Some(name.to_owned()),
                Some(("dir", folder)) => spec.folder = Some(folder.into()),
                Some(("protocol", protocol)) => spec.protocol = Some(protocol.parse()?),
                Some(("scale", scale)) => {
                    let factor: Option<f64> = scale.parse().ok();
                    spec.scale = factor
                        .filter(|factor| factor.is_finite() && *factor > 0.0)
                        .ok_or_else(|| TextError::unexpected(part, "a number above 0"))?;
                }
                _ => spec.add_option(part)?,
            }
        }
        Ok(spec)
    }
}

/// A protocol by which engines are asked for moves. A GUI's side of it is a [`MatchPlayer`].
pub trait EngineProtocol: Debug + Send + Sync {
    /// Starts an engine once to see that it is one, has the options that are set, and gets ready with each of the sets of further
    /// options `in_turn`, or without any where there are none. Returns what it says of itself.
    ///
    /// # Errors
    /// Names what is wrong: also the engine's own words about an error, unless [`EngineCommand::allow_errors`].
    fn check(
        &self,
        engine: &EngineCommand,
        in_turn: &[Vec<(String, String)>],
    ) -> Result<EngineIdentity, PlayerError>;

    /// Checks that an engine can be told a limit.
    ///
    /// # Errors
    /// Names the limits that it can be told.
    fn check_limit(&self, engine: &EngineCommand, limit: MoveLimit) -> Result<(), PlayerError>;

    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// When it cannot be started or does not answer.
    fn start(&self, engine: &EngineCommand) -> Result<Box<dyn MatchPlayer>, PlayerFault>;
}

/// What an engine says of itself before the first game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EngineIdentity {
    /// Its own name.
    pub name: String,
    /// The evaluations that it says it plays with, in its own words: one, or with sets of options in turn one of each; empty where it
    /// says nothing.
    pub evaluations: Vec<String>,
    /// Its threads, by its options.
    pub threads: Option<u64>,
    /// Its transposition table in mebibytes, by its options.
    pub hash_mib: Option<u64>,
}

/// How engines are checked before the first game.
#[derive(Clone, Debug, Default)]
pub struct EngineChecks {
    /// The time to wait for anything but a move.
    pub patience: Duration,
    /// True if an engine may play that says of an error while it gets ready.
    pub allow_errors: bool,
    /// Sets of options, names and values, that rounds take in turn.
    pub in_turn: Vec<Vec<(String, String)>>,
}

impl EngineChecks {
    /// Checks with this patience, and engines that say of no error.
    pub fn new(patience: Duration) -> Self {
        Self {
            patience,
            ..Self::default()
        }
    }
}

/// The process of an engine: program, folder, options.
#[derive(Clone, Debug)]
pub struct EngineCommand {
    program: PathBuf,
    arguments: Vec<String>,
    folder: Option<PathBuf>,
    /// Names and values of options.
    pub options: Vec<(String, String)>,
    /// The time to wait for anything but a move.
    pub patience: Duration,
    /// True if it may play though it says of an error while it gets ready.
    pub allow_errors: bool,
    /// The protocol that it speaks, where a game has several.
    pub protocol: Option<ProtocolName>,
}

impl EngineCommand {
    pub(crate) fn new(spec: &EngineSpec, checks: &EngineChecks) -> Self {
        let file = Path::new(&spec.program);
        let (program, arguments) = if file.is_file() || !spec.program.contains(' ') {
            // The engine is started in a folder of its own, so its path must not depend on this one. A
            // program that is found on the search path stays as it is.
            let program = file.canonicalize().unwrap_or_else(|_| file.to_owned());
            (program, Vec::new())
        } else {
            let mut words = spec.program.split_ascii_whitespace().map(str::to_owned);
            (words.next().unwrap_or_default().into(), words.collect())
        };
        let beside = || program.parent().filter(|folder| folder.is_absolute());
        Self {
            folder: spec.folder.clone().or_else(|| beside().map(Path::to_owned)),
            program,
            arguments,
            options: spec.options.clone(),
            patience: checks.patience,
            allow_errors: checks.allow_errors,
            protocol: spec.protocol,
        }
    }

    /// Returns whether the process is the same as another: the same program, in the same folder, with the same options.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.program == other.program
            && self.arguments == other.arguments
            && self.folder == other.folder
            && self.options == other.options
            && self.protocol == other.protocol
    }

    /// The command that starts the process in its folder.
    pub fn command(&self) -> Program {
        let mut command = Program::new(&self.program);
        command.args(&self.arguments);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

/// An engine that takes part in a match.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// The name in tables and logs.
    pub label: String,
    /// What the engine says of itself.
    pub identity: EngineIdentity,
    /// Its description.
    pub spec: EngineSpec,
    /// Its process.
    pub command: EngineCommand,
    protocol: Arc<dyn EngineProtocol>,
}

impl Contestant {
    /// Describes engines, starting each once to see that it is one and has the options. They are labelled by their
    /// names, or else by their programs, with what tells them apart: folders or options.
    ///
    /// # Errors
    /// When one cannot be started, has not the options, says of an error, or two have the same name.
    pub fn open_all(
        specs: &[EngineSpec],
        protocol: &Arc<dyn EngineProtocol>,
        checks: &EngineChecks,
    ) -> Result<Vec<Self>> {
        let labels = labels(specs)?;
        let open = |(spec, label): (&EngineSpec, String)| {
            let command = EngineCommand::new(spec, checks);
            match protocol.check(&command, &checks.in_turn) {
                Ok(identity) => Ok(Self {
                    label,
                    identity,
                    spec: spec.clone(),
                    command,
                    protocol: Arc::clone(protocol),
                }),
                Err(error) => Err(TournamentError::Engine {
                    name: label,
                    reason: error.to_string(),
                }),
            }
        };
        specs.iter().zip(labels).map(open).collect()
    }

    /// Checks that the engine can be told a limit.
    ///
    /// # Errors
    /// Names the limits that it can be told.
    pub fn check_limit(&self, limit: MoveLimit) -> Result<()> {
        let checked = self.protocol.check_limit(&self.command, limit);
        checked.map_err(|error| TournamentError::Engine {
            name: self.label.clone(),
            reason: error.to_string(),
        })
    }

    /// Starts a process.
    pub(crate) fn start(&self) -> Result<Box<dyn MatchPlayer>, PlayerFault> {
        self.protocol.start(&self.command)
    }
}

/// A name for each engine, all different.
///
/// # Errors
/// When two have been given the same name.
pub fn labels(specs: &[EngineSpec]) -> Result<Vec<String>> {
    let file_name = |spec: &EngineSpec| {
        let path = Path::new(&spec.program);
        let name = path.file_name().filter(|_| !spec.program.contains(' '));
        name.map_or_else(|| spec.program.clone(), |name| name.display().to_string())
    };
    let with_options = |spec: &EngineSpec| {
        let mut words = vec![spec.program.clone()];
        words.extend(spec.option_texts());
        if (spec.scale - 1.0).abs() > f64::EPSILON {
            words.push(format!("x{}", spec.scale));
        }
        words.join(" ")
    };
    let named = |make: &dyn Fn(&EngineSpec) -> String| -> Vec<String> {
        let name = |spec: &EngineSpec| spec.name.clone().unwrap_or_else(|| make(spec));
        specs.iter().map(name).collect()
    };
    let are_distinct = |labels: &[String]| {
        let distinct: std::collections::HashSet<_> = labels.iter().collect();
        distinct.len() == labels.len()
    };
    let kinds: [&dyn Fn(&EngineSpec) -> String; 3] =
        [&file_name, &|spec| spec.program.clone(), &with_options];
    for kind in kinds {
        let labels = named(kind);
        if are_distinct(&labels) {
            return Ok(labels);
        }
    }
    // The same engine more than once: numbers tell them apart.
    let names: Vec<_> = specs.iter().filter_map(|spec| spec.name.clone()).collect();
    if let Some(name) = names
        .iter()
        .enumerate()
        .find_map(|(index, name)| names[..index].contains(name).then_some(name))
    {
        return Err(TournamentError::Settings(format!(
            "two engines have the name {name}"
        )));
    }
    let labels = named(&file_name).into_iter().enumerate();
    Ok(labels
        .map(|(index, label)| match specs[index].name {
            Some(_) => label,
            None => format!("{label} #{}", index + 1),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> EngineSpec {
        text.parse().unwrap()
    }

    #[test]
    fn engines_have_settings_behind_commas() {
        let engine = spec("./new,name=tuned,scale=2.5,FV_SCALE=26,dir=/tmp,EvalDir=a=b");
        assert_eq!(engine.program, "./new");
        assert_eq!(engine.name.as_deref(), Some("tuned"));
        assert!((engine.scale - 2.5).abs() < 1e-9);
        assert_eq!(engine.option_texts(), ["FV_SCALE=26", "EvalDir=a=b"]);
        assert_eq!(engine.folder, Some("/tmp".into()));
        let comma = spec(r"./a\,b/engine,name=one\, two,Book\,File=x");
        assert_eq!(comma.program, "./a,b/engine");
        assert_eq!(comma.name.as_deref(), Some("one, two"));
        assert_eq!(comma.option_texts(), ["Book,File=x"]);
        for wrong in ["", ",name=x", "a,b", "a,scale=0", "a,scale=x"] {
            assert!(wrong.parse::<EngineSpec>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn labels_tell_engines_apart() {
        let of = |texts: &[&str]| {
            let specs: Vec<_> = texts.iter().map(|text| spec(text)).collect();
            labels(&specs).map_err(|error| error.to_string())
        };
        assert_eq!(of(&["new/a", "new/b"]).unwrap(), ["a", "b"]);
        assert_eq!(of(&["new/a", "old/a"]).unwrap(), ["new/a", "old/a"]);
        assert_eq!(of(&["a", "a,X=1"]).unwrap(), ["a", "a X=1"]);
        assert_eq!(of(&["a", "a,scale=2"]).unwrap(), ["a", "a x2"]);
        assert_eq!(of(&["a", "a"]).unwrap(), ["a #1", "a #2"]);
        assert_eq!(of(&["a,name=x", "a"]).unwrap(), ["x", "a"]);
        assert_eq!(of(&["ssh h e", "e"]).unwrap(), ["ssh h e", "e"]);
        assert!(
            of(&["a,name=x", "b,name=x"])
                .unwrap_err()
                .contains("name x")
        );
    }
}
