//! The engines of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use shogi_engine::{
    EvalEvent, Session, ThinkError, Thinker, ThreadPlacement, UsiSetup, UsiThinker,
};

use crate::contents::{EngineContents, contents_of};
use crate::error::EngineSetupError;
use crate::settings::Engine;

type Result<T> = std::result::Result<T, EngineSetupError>;

/// An engine instance: the process or the searcher of one worker.
pub(crate) type EngineInstance = Box<dyn Thinker>;

/// Size of the transposition table of an engine in this process, in mebibytes, when no option says
/// otherwise: short searches hardly fill more.
const HASH_MIB: usize = 16;
/// The time limit for an engine to get ready.
const READY_TIMEOUT: Duration = Duration::from_secs(120);

/// Names and values of options that engines in this process get before those of the user.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnginePresets<'a> {
    /// Options of all of them.
    pub all: &'a [(&'a str, &'a str)],
    /// Options of those that play with a policy and value network, set after the others.
    pub deep: &'a [(&'a str, &'a str)],
}

/// The engines of a run.
pub struct EnginePool {
    engines: Vec<Entry>,
    /// The engine of each worker.
    workers: Vec<usize>,
    /// The processors that workers are pinned to, in turn.
    processors: ThreadPlacement,
    /// The number of each pinned worker among the pinned ones.
    pinned: Vec<Option<usize>>,
    /// True if programs work that say of an error while they get ready.
    allow_errors: bool,
    /// The folders in which evaluations may be.
    folders: Vec<PathBuf>,
}

struct Entry {
    engine: Engine,
    kind: Kind,
}

impl Entry {
    /// True for the deep engine in this process.
    fn is_deep(&self) -> bool {
        match &self.kind {
            Kind::Embedded(embedded) => {
                let embedded = embedded.lock().unwrap_or_else(PoisonError::into_inner);
                embedded.session.is_deep()
            }
            Kind::Program => false,
        }
    }
}

enum Kind {
    /// The engine in this process: all of its instances share the evaluation.
    Embedded(Box<Mutex<EmbeddedEngine>>),
    /// A program.
    Program,
}

impl EnginePool {
    /// The pool of these engines. Those in this process get the options `presets` before their own ones and load
    /// their evaluation, which may be in one of `folders`; programs are not started yet.
    ///
    /// A worker sleeps while its engine thinks, and the other way round, so both can share a processor; then
    /// neither has to wait for another one to wake up, which takes longer than some searches. Without
    /// [`Engine::pin`] that is done with programs on this machine that are not set to use several threads, if
    /// they have at least as many workers as there are processors: else some would be idle.
    ///
    /// # Errors
    /// When an engine in this process refuses an option, or the evaluation that was asked for cannot be used.
    pub fn new(list: &[Engine], presets: &[(&str, &str)], folders: &[PathBuf]) -> Result<Self> {
        let presets = EnginePresets {
            all: presets,
            deep: &[],
        };
        Self::with_presets(list, presets, folders)
    }

    /// [`Self::new`] with options that the deep engine in this process gets too.
    ///
    /// # Errors
    /// See [`Self::new`].
    pub fn with_presets(
        list: &[Engine],
        presets: EnginePresets<'_>,
        folders: &[PathBuf],
    ) -> Result<Self> {
        Self::with_processors(list, presets, folders, ThreadPlacement::on_processors())
    }

    fn with_processors(
        list: &[Engine],
        presets: EnginePresets<'_>,
        folders: &[PathBuf],
        processors: ThreadPlacement,
    ) -> Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut engines = Vec::new();
        let mut workers = Vec::new();
        for engine in list {
            let multi = if engine.multi == 0 {
                cores
            } else {
                engine.multi
            };
            workers.extend(std::iter::repeat_n(engines.len(), multi));
            engines.push(Entry {
                kind: if engine.is_embedded() {
                    let embedded = EmbeddedEngine::new(engine, presets, folders)?;
                    Kind::Embedded(Box::new(Mutex::new(embedded)))
                } else {
                    Kind::Program
                },
                engine: engine.clone(),
            });
        }
        let single = |&&worker: &&usize| {
            let engine: &Engine = &list[worker];
            engine.is_local_program() && !engine.has_threads()
        };
        let fill_all = workers.iter().filter(single).count() >= processors.nodes().len();
        let mut numbers = 0..;
        let pinned = workers.iter().map(|worker| {
            let asked = list[*worker].pin;
            let is_pinned = asked.unwrap_or_else(|| fill_all && single(&worker));
            if is_pinned { numbers.next() } else { None }
        });
        Ok(Self {
            pinned: pinned.collect(),
            engines,
            workers,
            processors,
            allow_errors: false,
            folders: folders.to_vec(),
        })
    }

    /// Has programs work though they say of an error while they get ready: without it such an error ends a run, as the program would
    /// work with something else than it was told.
    #[must_use]
    pub const fn allow_engine_errors(mut self) -> Self {
        self.allow_errors = true;
        self
    }

    /// Has each engine in this process search on so many threads, at least one. Programs have an option for that.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        for entry in &self.engines {
            if let Kind::Embedded(embedded) = &entry.kind {
                let mut embedded = embedded.lock().unwrap_or_else(PoisonError::into_inner);
                embedded.threads = threads.max(1);
            }
        }
        self
    }

    /// Pins the current thread, and the program that it starts, to a processor, if this worker is pinned; the
    /// scheduler prefers the program.
    pub(crate) fn pin(&self, worker: usize) {
        if let Some(number) = self.pinned[worker] {
            self.processors.enter(number);
            yane_base::memory::use_batch_scheduling();
        }
    }

    /// The number of workers: items in progress at a time.
    pub const fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The name of the engine of a worker.
    pub fn engine_name(&self, worker: usize) -> &str {
        &self.engines[self.workers[worker]].engine.name
    }

    /// The names of the engines of all workers, in order.
    pub fn engine_names(&self) -> Vec<String> {
        let names = (0..self.workers()).map(|worker| self.engine_name(worker).to_owned());
        names.collect()
    }

    /// The engines, as settings describe them.
    pub(crate) fn engines(&self) -> impl Iterator<Item = &Engine> {
        self.engines.iter().map(|entry| &entry.engine)
    }

    /// The contents that decide the answers of these engines: see [`contents_of`](crate::contents_of).
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn contents(&self) -> yane_io::Result<Vec<EngineContents>> {
        let engines = self.engines.iter().map(|entry| entry.engine.clone());
        contents_of(&engines.collect::<Vec<_>>(), &self.folders)
    }

    /// The number of workers of each engine, by name.
    pub fn by_name(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for worker in 0..self.workers() {
            *counts.entry(self.engine_name(worker)).or_insert(0) += 1;
        }
        counts
    }

    /// The name of the first engine that is not the deep engine in this process, the only one that tells the visits of moves.
    pub fn first_without_visits(&self) -> Option<&str> {
        self.first(|entry| !entry.is_deep())
    }

    /// The name of the first engine that is the deep engine in this process.
    pub fn first_deep(&self) -> Option<&str> {
        self.first(Entry::is_deep)
    }

    /// The name of the first engine of which `is_so` is true.
    fn first(&self, is_so: impl Fn(&Entry) -> bool) -> Option<&str> {
        let found = self.engines.iter().find(|entry| is_so(entry));
        found.map(|entry| entry.engine.name.as_str())
    }

    /// Takes what users should know of the engines in this process since the last time: the name of the engine, and that the server of its network
    /// was lost or is there again.
    pub fn take_notices(&self) -> Vec<(&str, String)> {
        let mut notices = Vec::new();
        for entry in &self.engines {
            if let Kind::Embedded(embedded) = &entry.kind {
                let mut embedded = embedded.lock().unwrap_or_else(PoisonError::into_inner);
                let name = entry.engine.name.as_str();
                notices.extend(embedded.take_notices().into_iter().map(|text| (name, text)));
            }
        }
        notices
    }

    /// Positions that engines of this process looked for in the memory of their networks' evaluations, and those that were there; `None` where no
    /// engine has such a memory.
    pub fn known_evaluations(&self) -> Option<[u64; 2]> {
        let counts = self.engines.iter().filter_map(|entry| match &entry.kind {
            Kind::Embedded(embedded) => {
                let embedded = embedded.lock().unwrap_or_else(PoisonError::into_inner);
                embedded.session.cache_counts()
            }
            Kind::Program => None,
        });
        counts
            .map(|counts| [counts.lookups, counts.hits])
            .reduce(|one, other| [one[0] + other[0], one[1] + other[1]])
    }

    /// Starts an engine instance for a worker.
    ///
    /// # Errors
    /// When the program cannot be started, ends, or is not ready in time.
    pub(crate) fn start(&self, worker: usize) -> std::result::Result<EngineInstance, ThinkError> {
        let entry = &self.engines[self.workers[worker]];
        match &entry.kind {
            Kind::Embedded(embedded) => {
                let mut embedded = embedded.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(embedded.thinker())
            }
            Kind::Program => {
                let options = entry.engine.options.iter();
                let options = options.map(|(name, value)| (name.clone(), value.clone()));
                // An engine without a book is not told to leave it: it would complain.
                let (presets, options) = options.partition(|(name, value)| {
                    name.eq_ignore_ascii_case("USI_OwnBook") && value == "false"
                });
                let setup = UsiSetup {
                    presets,
                    options,
                    timeout: READY_TIMEOUT,
                    allow_errors: self.allow_errors,
                    ..UsiSetup::default()
                };
                let mut command = engine_command(&entry.engine.path);
                Ok(Box::new(UsiThinker::start_command(&mut command, &setup)?))
            }
        }
    }
}

/// The engine in this process with its options: any number of instances share its evaluation.
pub struct EmbeddedEngine {
    session: Session,
    hash_mib: usize,
    threads: usize,
    /// What users should know of how the evaluation was loaded.
    notices: Vec<String>,
}

impl EmbeddedEngine {
    /// The engine with `presets` and the options of `engine`, and its evaluation, which may be in one of `folders`.
    ///
    /// # Errors
    /// When it refuses an option, or the evaluation that was asked for cannot be used.
    pub fn new(engine: &Engine, presets: EnginePresets<'_>, folders: &[PathBuf]) -> Result<Self> {
        let refused = |reason: String| EngineSetupError::Option {
            name: engine.name.clone(),
            reason,
        };
        let mut session = Session::new();
        session.set_folders(folders.to_vec());
        for (name, value) in presets.all {
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
                hash_mib = session.settings().hash_mib();
            }
        }
        let mut notices = Vec::new();
        session.load_evaluation(|event| {
            if let EvalEvent::NoRuntime(problem) = event {
                notices.push(problem.to_string());
            }
        });
        if let Some(problem) = session.eval_problem() {
            return Err(EngineSetupError::Evaluation {
                name: engine.name.clone(),
                reason: problem.to_string(),
            });
        }
        if session.is_deep() {
            let is_free = |name: &str| {
                let mut own = engine.options.keys();
                !own.any(|own| own.eq_ignore_ascii_case(name))
            };
            for (name, value) in presets.deep.iter().filter(|(name, _)| is_free(name)) {
                session
                    .set_option(name, Some(value))
                    .map_err(|error| refused(error.to_string()))?;
            }
        }
        Ok(Self {
            session,
            hash_mib,
            threads: 1,
            notices,
        })
    }

    /// An instance that searches on one thread, or on as many as the pool was told ([`EnginePool::with_threads`]).
    pub fn thinker(&mut self) -> Box<dyn Thinker> {
        self.session.thinker(self.hash_mib, self.threads)
    }

    /// Takes what users should know since the last time, in lines: the runtime of its network is not there, the server of the network was lost or is
    /// there again.
    pub fn take_notices(&mut self) -> Vec<String> {
        let mut notices = std::mem::take(&mut self.notices);
        notices.extend(self.session.take_notices());
        notices
    }

    /// The session that instances are made from.
    pub const fn session(&mut self) -> &mut Session {
        &mut self.session
    }
}

/// The program that `path` names: a file, which runs in its own folder, or a command with arguments.
pub fn engine_command(path: &str) -> Command {
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
    fn workers_alternate_between_engines() {
        let [mut a, mut b] = ["a", "b"].map(Engine::program);
        (a.multi, b.multi, b.name) = (2, 3, "bee".to_owned());
        let pool = EnginePool::new(&[a, b], &[], &[]).unwrap();
        assert_eq!(pool.workers(), 5);
        assert_eq!((pool.engine_name(1), pool.engine_name(2)), ("a", "bee"));
        assert_eq!(pool.by_name(), BTreeMap::from([("a", 2), ("bee", 3)]));
    }

    #[test]
    fn workers_are_pinned_when_they_fill_all_processors() {
        let pinned = |processors: usize, change: &dyn Fn(&mut [Engine; 3])| {
            let mut engines = ["a", "/usr/bin/ssh far b", Engine::EMBEDDED].map(Engine::program);
            engines[0].multi = 3;
            change(&mut engines);
            let processors =
                ThreadPlacement::on_nodes((0..processors).map(|one| vec![one]).collect());
            let presets = EnginePresets::default();
            let pool = EnginePool::with_processors(&engines, presets, &[], processors);
            pool.unwrap().pinned
        };
        assert_eq!(pinned(3, &|_| ()), [Some(0), Some(1), Some(2), None, None]);
        assert_eq!(pinned(4, &|_| ()), [None; 5]);
        assert_eq!(
            pinned(4, &|engines| engines[1].pin = Some(true)),
            [None, None, None, Some(0), None]
        );
        let with_option = |name: &str, value: &str| {
            let option = (name.to_owned(), value.to_owned());
            pinned(3, &|engines| {
                engines[0].options.extend([option.clone()]);
            })
        };
        assert_eq!(with_option("threads", "2"), [None; 5]);
        assert_eq!(with_option("Threads", "1")[2], Some(2));
        assert_eq!(
            pinned(1, &|engines| engines[0].pin = Some(false)),
            [None; 5]
        );
    }

    #[test]
    fn options_are_refused_by_name() {
        let mut engine = Engine::embedded();
        engine.options.insert("NoSuch".to_owned(), "1".to_owned());
        let error = EnginePool::new(&[engine], &[], &[]).err().unwrap();
        assert!(error.to_string().contains("NoSuch"), "{error}");
    }

    #[test]
    fn an_evaluation_that_is_not_there_is_named() {
        let mut engine = Engine::embedded();
        let dir = ("EvalDir".to_owned(), "no-such-folder".to_owned());
        engine.options.extend([dir]);
        let error = EnginePool::new(&[engine], &[], &[]).err().unwrap();
        assert!(error.to_string().contains("no-such-folder"), "{error}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let engine = Engine::program("no-such-engine --flag");
        let pool = EnginePool::new(&[engine], &[], &[]).unwrap();
        let error = pool.start(0).err().unwrap();
        assert!(error.to_string().contains("no-such-engine"), "{error}");
    }
}
