//! Engines of a match: their description, the protocols they speak, and USI as one.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use shogi_usi::client::{EngineError, EngineProcess};
use shogi_usi::{ClockTimes, GameResult, GoCommand, Score};

use crate::player::{MATE_CP, MatchPlayer, MoveLimit, PlayerAnswer, PlayerFault, Question};
use crate::score::GamePoints;
use crate::{Result, TournamentError};

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
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "usi" => Ok(Self::Usi),
            "gtp" => Ok(Self::Gtp),
            "nboard" => Ok(Self::NBoard),
            _ => Err(format!("protocol={text}: expected usi, gtp or nboard")),
        }
    }
}

impl EngineSpec {
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
    pub fn add_option(&mut self, option: &str) -> std::result::Result<(), String> {
        let (name, value) = option
            .split_once('=')
            .ok_or_else(|| format!("{option}: expected NAME=VALUE"))?;
        self.options.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// The value that an option is given, the last one if it is given again; upper and lower case do not differ.
    pub fn given_option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter().rev();
        let given = options.find(|(other, _)| other.eq_ignore_ascii_case(name));
        given.map(|(_, value)| value.as_str())
    }

    /// The options as `NAME=VALUE`.
    pub fn option_texts(&self) -> Vec<String> {
        let options = self.options.iter();
        options
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }
}

impl FromStr for EngineSpec {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        // A file whose name has a comma is that file.
        let is_file = Path::new(text).is_file();
        let mut parts = if is_file {
            vec![text]
        } else {
            text.split(',').collect()
        };
        let program = parts.remove(0);
        if program.is_empty() {
            return Err("expected PROGRAM or PROGRAM,KEY=VALUE,...".to_owned());
        }
        let mut spec = Self::new(program);
        for part in parts {
            match part.split_once('=') {
                Some(("name", name)) => spec.name = Some(name.to_owned()),
                Some(("dir", folder)) => spec.folder = Some(folder.into()),
                Some(("protocol", protocol)) => spec.protocol = Some(protocol.parse()?),
                Some(("scale", scale)) => {
                    let factor: Option<f64> = scale.parse().ok();
                    spec.scale = factor
                        .filter(|factor| factor.is_finite() && *factor > 0.0)
                        .ok_or_else(|| format!("scale={scale}: expected a number above 0"))?;
                }
                _ => spec.add_option(part)?,
            }
        }
        Ok(spec)
    }
}

/// A protocol by which engines are asked for moves. A GUI's side of it is a [`MatchPlayer`].
pub trait EngineProtocol: Debug + Send + Sync {
    /// Starts an engine once to see that it is one and has the options that are set. Returns its own name.
    ///
    /// # Errors
    /// Names what is wrong.
    fn check(&self, engine: &EngineCommand) -> std::result::Result<String, String>;

    /// Checks that an engine can be told a limit.
    ///
    /// # Errors
    /// Names the limits that it can be told.
    fn check_limit(
        &self,
        engine: &EngineCommand,
        limit: MoveLimit,
    ) -> std::result::Result<(), String>;

    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// When it cannot be started or does not answer.
    fn start(
        &self,
        engine: &EngineCommand,
    ) -> std::result::Result<Box<dyn MatchPlayer>, PlayerFault>;
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
    /// The protocol that it speaks, where a game has several.
    pub protocol: Option<ProtocolName>,
}

impl EngineCommand {
    pub(crate) fn new(spec: &EngineSpec, patience: Duration) -> Self {
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
            patience,
            protocol: spec.protocol,
        }
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
    /// The name that the engine gives itself.
    pub own_name: String,
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
    /// When one cannot be started, has not the options, or two have the same name.
    pub fn open_all(
        specs: &[EngineSpec],
        protocol: &Arc<dyn EngineProtocol>,
        patience: Duration,
    ) -> Result<Vec<Self>> {
        let labels = labels(specs)?;
        let open = |(spec, label): (&EngineSpec, String)| {
            let command = EngineCommand::new(spec, patience);
            match protocol.check(&command) {
                Ok(own_name) => Ok(Self {
                    label,
                    own_name,
                    spec: spec.clone(),
                    command,
                    protocol: Arc::clone(protocol),
                }),
                Err(reason) => Err(TournamentError::Engine {
                    name: label,
                    reason,
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
        checked.map_err(|reason| TournamentError::Engine {
            name: self.label.clone(),
            reason,
        })
    }

    /// Starts a process.
    pub(crate) fn start(&self) -> std::result::Result<Box<dyn MatchPlayer>, PlayerFault> {
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

// USI.

/// The protocol of shogi engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usi;

impl Usi {
    /// Starts an engine and sets its options.
    pub(crate) fn open(engine: &EngineCommand) -> std::result::Result<EngineProcess, EngineError> {
        let mut process = EngineProcess::spawn_command(&mut engine.command())?;
        process.handshake(engine.patience)?;
        for (name, value) in &engine.options {
            process.set_option(name, value)?;
        }
        Ok(process)
    }
}

impl EngineProtocol for Usi {
    fn check(&self, engine: &EngineCommand) -> std::result::Result<String, String> {
        if !matches!(engine.protocol, None | Some(ProtocolName::Usi)) {
            return Err("engines for shogi speak usi".to_owned());
        }
        let process = Self::open(engine).map_err(|error| error.to_string())?;
        let name = process.name().to_owned();
        let mut options = engine.options.iter();
        let unknown = options.find(|(option, _)| !process.has_option(option));
        if let Some((option, _)) = unknown {
            return Err(format!("{name} has no option {option}"));
        }
        process
            .quit(engine.patience)
            .map_err(|error| error.to_string())?;
        Ok(name)
    }

    fn check_limit(&self, _: &EngineCommand, limit: MoveLimit) -> std::result::Result<(), String> {
        match limit {
            MoveLimit::Own => Err("USI engines think until they are told a limit".to_owned()),
            _ => Ok(()),
        }
    }

    fn start(
        &self,
        engine: &EngineCommand,
    ) -> std::result::Result<Box<dyn MatchPlayer>, PlayerFault> {
        Ok(Box::new(UsiPlayer {
            process: Self::open(engine)?,
            patience: engine.patience,
        }))
    }
}

/// A running USI engine.
#[derive(Debug)]
struct UsiPlayer {
    process: EngineProcess,
    patience: Duration,
}

impl From<EngineError> for PlayerFault {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Timeout { .. } => Self::Silent,
            other => Self::Broken(other.to_string()),
        }
    }
}

impl MatchPlayer for UsiPlayer {
    fn set_options(
        &mut self,
        options: &[(String, String)],
    ) -> std::result::Result<(), PlayerFault> {
        for (name, value) in options {
            self.process.set_option(name, value)?;
        }
        Ok(())
    }

    fn new_game(&mut self) -> std::result::Result<(), PlayerFault> {
        self.process.get_ready(self.patience)?;
        Ok(self.process.new_game()?)
    }

    fn best_move(
        &mut self,
        question: &Question<'_>,
    ) -> std::result::Result<PlayerAnswer, PlayerFault> {
        self.process
            .send_line(&format!("position {}", question.position))?;
        match self.process.go(&go_command(question), question.patience) {
            Ok(result) => {
                // The word after `bestmove` alone: the rest is about pondering.
                let text = result.best.to_string();
                let text = text.split(' ').next().unwrap_or_default().to_owned();
                let info = result.info.unwrap_or_default();
                Ok(PlayerAnswer {
                    text,
                    elapsed: result.elapsed,
                    score_cp: info.score.map(centipawns),
                    depth: info.depth,
                    nodes: info.nodes,
                })
            }
            // No move at all is for the referee to judge.
            Err(EngineError::BadMove { line, .. }) => Ok(PlayerAnswer {
                text: line,
                elapsed: Duration::ZERO,
                score_cp: None,
                depth: None,
                nodes: None,
            }),
            Err(error) => Err(error.into()),
        }
    }

    fn game_over(&mut self, result: GamePoints) {
        let result = match result {
            GamePoints::Win => GameResult::Win,
            GamePoints::Draw => GameResult::Draw,
            GamePoints::Loss => GameResult::Lose,
        };
        // An engine that is gone is found out in the next game.
        drop(self.process.game_over(result));
    }
}

/// The `go` command. Clocks in the forms that a GUI sends: byoyomi or increments, never both.
pub(crate) fn go_command(question: &Question<'_>) -> GoCommand {
    let mut go = GoCommand::default();
    match question.limits[question.color.index()] {
        MoveLimit::MoveTime(ms) => go.movetime = Some(Duration::from_millis(ms)),
        MoveLimit::Nodes(nodes) => go.nodes = Some(nodes),
        MoveLimit::Depth(plies) => go.depth = Some(plies),
        // Refused before the first game.
        MoveLimit::Own => {}
        MoveLimit::Clock { byoyomi, .. } => {
            let [black, white] = question.clocks.map(|ms| Some(Duration::from_millis(ms)));
            let increments = question.limits.map(|limit| match limit {
                MoveLimit::Clock { increment, .. } => increment,
                _ => 0,
            });
            let has_increment = increments.iter().any(|&ms| ms > 0);
            let increment = |ms| has_increment.then(|| Duration::from_millis(ms));
            go.clock = ClockTimes {
                btime: black,
                wtime: white,
                byoyomi: (!has_increment).then(|| Duration::from_millis(byoyomi)),
                binc: increment(increments[0]),
                winc: increment(increments[1]),
            };
        }
    }
    go
}

/// A score as a number of centipawns.
pub(crate) fn centipawns(score: Score) -> i64 {
    match score {
        Score::Cp(cp) => i64::from(cp).clamp(1 - MATE_CP, MATE_CP - 1),
        Score::Mate(plies) if plies.get() < 0 => -MATE_CP,
        Score::Mate(_) | Score::MateUnknown => MATE_CP,
        Score::MatedUnknown => -MATE_CP,
    }
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
