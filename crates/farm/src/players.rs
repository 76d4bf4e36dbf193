//! The engines of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use shogi_engine::{Session, ThinkError, Thinker, ThreadPlacement, UsiSetup, UsiThinker};

use crate::{Engine, FarmError, Result};

/// An engine at work.
pub type Player = Box<dyn Thinker>;

/// Size of the transposition table of an engine in this process, in mebibytes, when no option says
/// otherwise: short searches hardly fill more.
const HASH_MIB: usize = 16;
/// How long an engine may take to get ready.
const PATIENCE: Duration = Duration::from_secs(120);

/// The engines of a run.
pub struct Players {
    engines: Vec<Entry>,
    /// The engine of each seat.
    seats: Vec<usize>,
    /// The processors that seats are pinned to, in turn.
    processors: ThreadPlacement,
    /// Of each seat that is pinned, how many pinned ones there are before it.
    pinned: Vec<Option<usize>>,
}

struct Entry {
    engine: Engine,
    kind: Kind,
}

enum Kind {
    /// This process's engine: all of its players share its evaluation.
    Embedded {
        session: Box<Mutex<Session>>,
        hash_mib: usize,
    },
    /// A program.
    Program,
}

impl Players {
    /// These engines. Those in this process get the options `own` before their own ones and load their
    /// evaluation, which may be in one of `folders`; programs are not started yet.
    ///
    /// Whoever asks an engine sleeps while it thinks, and the other way round, so both may as well share a
    /// processor; then neither has to wait for another one to wake up, which takes longer than some searches.
    /// Without [`Engine::pin`] that is done with programs on this machine that are not told to use several
    /// threads, if they have at least as many seats as there are processors: else some would be idle.
    ///
    /// # Errors
    /// When an engine in this process refuses an option.
    pub fn new(list: &[Engine], own: &[(&str, &str)], folders: &[PathBuf]) -> Result<Self> {
        Self::among(list, own, folders, ThreadPlacement::on_processors())
    }

    fn among(
        list: &[Engine],
        own: &[(&str, &str)],
        folders: &[PathBuf],
        processors: ThreadPlacement,
    ) -> Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut engines = Vec::new();
        let mut seats = Vec::new();
        for engine in list {
            let multi = if engine.multi == 0 {
                cores
            } else {
                engine.multi
            };
            seats.extend(std::iter::repeat_n(engines.len(), multi));
            engines.push(Entry {
                kind: if engine.is_embedded() {
                    embedded(engine, own, folders)?
                } else {
                    Kind::Program
                },
                engine: engine.clone(),
            });
        }
        let single = |&&seat: &&usize| {
            let engine: &Engine = &list[seat];
            engine.is_local_program() && !engine.has_threads()
        };
        let fill_all = seats.iter().filter(single).count() >= processors.nodes().len();
        let mut numbers = 0..;
        let pinned = seats.iter().map(|seat| {
            let asked = list[*seat].pin;
            let is_pinned = asked.unwrap_or_else(|| fill_all && single(&seat));
            if is_pinned { numbers.next() } else { None }
        });
        Ok(Self {
            pinned: pinned.collect(),
            engines,
            seats,
            processors,
        })
    }

    /// Has the current thread, and the program that it starts, keep to a processor, if this seat is pinned; the
    /// program has it first.
    pub(crate) fn pin(&self, seat: usize) {
        if let Some(number) = self.pinned[seat] {
            self.processors.enter(number);
            yane_mem::use_batch_scheduling();
        }
    }

    /// Number of seats: units of work at a time.
    pub fn seats(&self) -> usize {
        self.seats.len()
    }

    /// The name of the engine of a seat.
    pub fn name(&self, seat: usize) -> &str {
        &self.engines[self.seats[seat]].engine.name
    }

    /// Number of seats of each engine, by name.
    pub fn by_name(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for seat in 0..self.seats() {
            *counts.entry(self.name(seat)).or_insert(0) += 1;
        }
        counts
    }

    /// A new player for a seat.
    ///
    /// # Errors
    /// When the program cannot be started, ends, or is not ready in time.
    pub fn start(&self, seat: usize) -> std::result::Result<Player, ThinkError> {
        let entry = &self.engines[self.seats[seat]];
        match &entry.kind {
            Kind::Embedded { session, hash_mib } => {
                let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(Box::new(session.searcher(*hash_mib)))
            }
            Kind::Program => {
                let options = entry.engine.options.iter();
                let setup = UsiSetup {
                    options: options
                        .map(|(name, value)| (name.clone(), value.clone()))
                        .collect(),
                    patience: PATIENCE,
                };
                let mut command = command(&entry.engine.path);
                Ok(Box::new(UsiThinker::start_command(&mut command, &setup)?))
            }
        }
    }
}

/// The engine in this process with the options of `engine`.
fn embedded(engine: &Engine, own: &[(&str, &str)], folders: &[PathBuf]) -> Result<Kind> {
    let refused = |reason: String| FarmError::Option {
        name: engine.name.clone(),
        reason,
    };
    let mut session = Session::new();
    session.set_folders(folders.to_vec());
    for (name, value) in own {
        session
            .set_option(name, Some(value))
            .map_err(|error| refused(error.to_string()))?;
    }
    let mut hash_mib = HASH_MIB;
    for (name, value) in &engine.options {
        session
            .set_option(name, Some(value))
            .map_err(|error| refused(error.to_string()))?;
        if name.eq_ignore_ascii_case("USI_Hash") {
            hash_mib = usize::try_from(session.options().spin("USI_Hash")).unwrap_or(HASH_MIB);
        }
    }
    Ok(Kind::Embedded {
        session: Box::new(Mutex::new(session)),
        hash_mib,
    })
}

/// The program that `path` names: a file, which runs in its own folder, or a command with arguments.
fn command(path: &str) -> Command {
    let file = Path::new(path);
    if file.is_file() {
        let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let mut command = Command::new(&file);
        if let Some(folder) = file.parent() {
            command.current_dir(folder);
        }
        return command;
    }
    let mut words = path.split_ascii_whitespace();
    let mut command = Command::new(words.next().unwrap_or(path));
    command.args(words);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_those_of_the_engines_in_turn() {
        let [mut a, mut b] = ["a", "b"].map(Engine::program);
        (a.multi, b.multi, b.name) = (2, 3, "bee".to_owned());
        let players = Players::new(&[a, b], &[], &[]).unwrap();
        assert_eq!(players.seats(), 5);
        assert_eq!((players.name(1), players.name(2)), ("a", "bee"));
        assert_eq!(players.by_name(), BTreeMap::from([("a", 2), ("bee", 3)]));
    }

    #[test]
    fn seats_are_pinned_when_they_fill_all_processors() {
        let pinned = |processors: usize, change: &dyn Fn(&mut [Engine; 3])| {
            let mut engines = ["a", "/usr/bin/ssh far b", Engine::EMBEDDED].map(Engine::program);
            engines[0].multi = 3;
            change(&mut engines);
            let processors =
                ThreadPlacement::on_nodes((0..processors).map(|one| vec![one]).collect());
            let players = Players::among(&engines, &[], &[], processors);
            players.unwrap().pinned
        };
        assert_eq!(pinned(3, &|_| ()), [Some(0), Some(1), Some(2), None, None]);
        assert_eq!(pinned(4, &|_| ()), [None; 5]);
        assert_eq!(
            pinned(4, &|engines| engines[1].pin = Some(true)),
            [None, None, None, Some(0), None]
        );
        let told = |name: &str, value: &str| {
            let option = (name.to_owned(), value.to_owned());
            pinned(3, &|engines| {
                engines[0].options.extend([option.clone()]);
            })
        };
        assert_eq!(told("threads", "2"), [None; 5]);
        assert_eq!(told("Threads", "1")[2], Some(2));
        assert_eq!(
            pinned(1, &|engines| engines[0].pin = Some(false)),
            [None; 5]
        );
    }

    #[test]
    fn options_are_refused_by_name() {
        let mut engine = Engine::embedded();
        engine.options.insert("NoSuch".to_owned(), "1".to_owned());
        let error = Players::new(&[engine], &[], &[]).err().unwrap();
        assert!(error.to_string().contains("NoSuch"), "{error}");
    }

    #[test]
    fn a_missing_program_is_told() {
        let engine = Engine::program("no-such-engine --flag");
        let players = Players::new(&[engine], &[], &[]).unwrap();
        let error = players.start(0).err().unwrap();
        assert!(error.to_string().contains("no-such-engine"), "{error}");
    }
}
