//! Our engine, in this process.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use page_messages::{PageFailure, StopFlag};
use serde_json::{Value, json};
use shogi_core::{Game, Move};
use shogi_engine::{
    BookEvent, EvalEvent, Listener, Message, PvEnd, SearchOutcome, SearchState, Session, StartError,
};
use shogi_mate::{
    Answer, CheckedRoot, Exactness, MateLimits, MateObserver, MateProgress, MateScore, Solver,
    SolverOptions,
};
use shogi_search::{Control, SearchInfo};
use shogi_usi::GoCommand;

use super::options::{checked, is_offered, option_value};
use super::{
    Decided, EngineFields, EngineState, FoundLine, MateAnswer, MateLength, MateState, OWN,
    OptionChanges, PageEngine, Purpose, SearchTask, Told, Totals,
};
use crate::books::BookAdvice;

/// The time between two looks at whether a search is still wanted.
const LOOK: Duration = Duration::from_millis(5);

/// Memory of the solver of mates, in bytes, unless somebody says otherwise.
const MATE_MEMORY: usize = 128 << 20;

/// Our engine: alpha-beta, or the deep one where the options of its session say so.
pub struct OwnEngine {
    name: String,
    session: Mutex<Session>,
    /// What is wrong with its files.
    note: Mutex<Option<String>>,
    is_prepared: AtomicBool,
    /// True if searches run on the thread that asks.
    is_on_callers_thread: bool,
    /// Memory of the solver of mates, in bytes.
    mate_memory: usize,
    /// What is told of the file that it plays with; `None` where nobody chooses one.
    network: Mutex<Option<Value>>,
}

impl fmt::Debug for OwnEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnEngine({})", self.name)
    }
}

impl OwnEngine {
    /// The engine of a session, whose options are those of searches that say nothing else, under a name for people.
    pub fn new(session: Session, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            session: Mutex::new(session),
            note: Mutex::default(),
            is_prepared: AtomicBool::new(false),
            is_on_callers_thread: false,
            mate_memory: MATE_MEMORY,
            network: Mutex::default(),
        }
    }

    /// The same with searches on the thread that asks, which needs the stack of one ([`shogi_engine::Searcher::STACK_BYTES`]): for systems without threads.
    #[must_use]
    pub fn on_callers_thread(self) -> Self {
        Self {
            is_on_callers_thread: true,
            ..self
        }
    }

    /// The same with so many bytes of memory for the solver of mates; 128 MiB without it.
    #[must_use]
    pub fn with_mate_memory(self, bytes: usize) -> Self {
        Self {
            mate_memory: bytes,
            ..self
        }
    }

    /// The same of which is told with what file it plays, as [`ShogiPage::take_network`](crate::ShogiPage::take_network) chooses it.
    #[must_use]
    pub fn with_chosen_network(self) -> Self {
        Self {
            network: Mutex::new(Some(Value::Null)),
            ..self
        }
    }

    /// Takes the network of a file, named as by the option `EvalDir`, for the searches that begin from now on; without a file, the one in the program.
    ///
    /// # Errors
    ///
    /// What is wrong with the file; the engine goes on as it was then.
    pub(crate) fn take_network(&self, file: Option<&str>) -> Result<(), PageFailure> {
        // In a session of its own, as a search may be on its way with the one before.
        let mut checked = Session::new();
        let options = match file {
            Some(file) => vec![("Evaluation", "auto"), ("EvalDir", file)],
            None => vec![("Evaluation", "embedded")],
        };
        let mut fault = None;
        for (name, value) in &options {
            let set = checked.set_option(name, Some(value));
            set.map_err(|error| PageFailure::of(&error))?;
        }
        checked.load_evaluation(|event| {
            if let EvalEvent::Failed(problem) = event {
                fault = Some(problem.fault());
            }
        });
        if let Some(fault) = fault {
            return Err(PageFailure::new(fault));
        }
        let network = file.map_or(
            Value::Null,
            |file| json!({ "file": file, "name": checked.evaluation_name() }),
        );
        drop(checked);
        let mut session = self.session();
        for (name, value) in &options {
            let set = session.set_option(name, Some(value));
            set.map_err(|error| PageFailure::of(&error))?;
        }
        // A file of the same name may be another one.
        self.is_prepared.store(false, Ordering::Relaxed);
        drop(session);
        *self.network.lock().unwrap_or_else(PoisonError::into_inner) = Some(network);
        Ok(())
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self) -> MutexGuard<'_, Option<String>> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads evaluation and book, so that the first search begins at once.
    fn load(&self, session: &mut Session) {
        let mut problems = Vec::new();
        session.load_evaluation(|event| {
            if let EvalEvent::Failed(problem) = event {
                problems.push(problem.to_string());
            }
        });
        session.load_book(|event| match event {
            BookEvent::Failed { error, .. } => problems.push(error.to_string()),
            BookEvent::Unsorted { path, line } => {
                let path = path.display();
                problems.push(format!("{path}:{line}: the book is not sorted"));
            }
            _ => {}
        });
        *self.note() = (!problems.is_empty()).then(|| problems.join("; "));
        session.prepare();
        self.is_prepared.store(true, Ordering::Relaxed);
    }

    /// Starts a search by `start`; its options are those of the request for this search alone.
    fn start<T>(
        &self,
        task: &SearchTask<'_>,
        start: impl FnOnce(&mut Session, &GoCommand) -> Result<T, StartError>,
    ) -> Result<T, PageFailure> {
        let mut session = self.session();
        if !self.is_prepared.load(Ordering::Relaxed) || session.needs_evaluation() {
            self.load(&mut session);
        }
        let is_considering = task.purpose == Purpose::Consider;
        let mut own = vec![
            ("MultiPV", task.lines.max(1).to_string()),
            ("ConsiderationMode", is_considering.to_string()),
            ("PvInterval", "0".to_owned()),
        ];
        if let Purpose::Play(Some(level)) = task.purpose {
            own.push(("SkillLevel", level.to_string()));
        }
        let go = task.go();
        // A search that ends by itself would play the move of the book.
        if !task.uses_book || (is_considering && !go.infinite) {
            own.push(("USI_OwnBook", "false".to_owned()));
        }
        // What nothing changes stays as it is.
        own.retain(|(name, _)| !session.options().is_fixed(name));
        let fixed = own
            .iter()
            .try_for_each(|(name, value)| session.fix_option(name, value));
        session.set_game(task.game.clone());
        let begun = fixed
            .map_err(|error| PageFailure::of(&error))
            .and_then(|()| start(&mut session, &go).map_err(|error| PageFailure::of(&error)));
        for (name, _) in &own {
            // It is there: it was fixed.
            let _known = session.release_option(name);
        }
        begun
    }

    /// A search on this thread. The session is free meanwhile.
    fn search_here(
        &self,
        task: &SearchTask<'_>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(Told),
    ) -> Result<Decided, PageFailure> {
        let prepared = self.start(task, |session, go| session.prepare_search(go, |_| {}))?;
        let control = Control::with_stop(stop.shared());
        let here = Here(RefCell::new(tell));
        decided(prepared.run(&control, &here))
    }
}

/// What comes from the thread of the search.
enum Heard {
    Told(Told),
    Finished(SearchOutcome),
}

/// Sends what a search reports to who asked.
struct Ear(Sender<Heard>);

impl Ear {
    fn tell(&self, heard: Heard) {
        // Nobody listens to a search that was given up.
        let _unheard = self.0.send(heard);
    }
}

/// Tells who asked what a search on the same thread reports.
struct Here<'a>(RefCell<&'a mut dyn FnMut(Told)>);

/// What a report of a search tells.
fn told_of(info: &SearchInfo, end: Option<PvEnd>) -> impl Iterator<Item = Told> {
    let line = FoundLine::of_search(info, end).map(Told::Line);
    line.into_iter()
        .chain([Told::Totals(Totals::of_search(info))])
}

/// What a message of the book tells.
fn told_of_book(message: &Message) -> Option<Told> {
    let Message::Line(line) = message else {
        return None;
    };
    let &mv = line.pv.first()?;
    Some(Told::Book(BookAdvice {
        mv,
        score: Some(line.eval),
        depth: u32::try_from(line.depth).ok(),
        book: None,
    }))
}

impl Listener for Here<'_> {
    fn line(&self, info: &SearchInfo) {
        told_of(info, None).for_each(&mut **self.0.borrow_mut());
    }

    fn line_with_end(&self, info: &SearchInfo, end: PvEnd) {
        told_of(info, Some(end)).for_each(&mut **self.0.borrow_mut());
    }

    fn book(&self, message: &Message) {
        if let Some(told) = told_of_book(message) {
            (self.0.borrow_mut())(told);
        }
    }

    fn finished(&self, _: &SearchOutcome) {}
}

impl Listener for Ear {
    fn line(&self, info: &SearchInfo) {
        told_of(info, None).for_each(|told| self.tell(Heard::Told(told)));
    }

    fn line_with_end(&self, info: &SearchInfo, end: PvEnd) {
        told_of(info, Some(end)).for_each(|told| self.tell(Heard::Told(told)));
    }

    fn book(&self, message: &Message) {
        if let Some(told) = told_of_book(message) {
            self.tell(Heard::Told(told));
        }
    }

    fn finished(&self, outcome: &SearchOutcome) {
        self.tell(Heard::Finished(*outcome));
    }
}

impl PageEngine for OwnEngine {
    fn label(&self) -> &'static str {
        OWN
    }

    fn fields(&self) -> EngineFields {
        let session = self.session();
        let offered = session
            .options()
            .iter()
            .filter(|(spec, _)| is_offered(spec))
            .map(|(spec, value)| option_value(spec, &value.to_string()));
        EngineFields {
            engine: OWN.to_owned(),
            name: self.name.clone(),
            kind: "own",
            state: EngineState::Ready,
            options: offered.collect(),
            note: self.note().clone(),
            network: self
                .network
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        }
    }

    fn state(&self) -> EngineState {
        EngineState::Ready
    }

    fn set_options(&self, changes: &OptionChanges) -> Result<(), PageFailure> {
        let mut session = self.session();
        let specs: Vec<_> = session
            .options()
            .iter()
            .map(|(spec, _)| spec.clone())
            .collect();
        let read = |(name, value): &(String, Option<String>)| {
            checked(&specs, name, value.as_deref()).map(|(spec, value)| (&spec.name, value))
        };
        let changes = changes.0.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        for (name, value) in changes {
            session
                .set_option(name, Some(&value))
                .map_err(|error| PageFailure::of(&error))?;
        }
        Ok(())
    }

    fn clear(&self) {
        self.session().new_game();
    }

    fn prepare(&self, _: &StopFlag) -> Result<(), PageFailure> {
        let mut session = self.session();
        if session.state() == SearchState::Idle {
            self.load(&mut session);
        }
        Ok(())
    }

    fn search(
        &self,
        task: &SearchTask<'_>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(Told),
    ) -> Result<Decided, PageFailure> {
        if self.is_on_callers_thread {
            return self.search_here(task, stop, tell);
        }
        let (send, heard) = channel();
        self.start(task, |session, go| session.go(go, Arc::new(Ear(send))))?;
        let mut is_stopping = false;
        loop {
            if stop.is_stopped() && !is_stopping {
                is_stopping = true;
                self.session().stop();
            }
            match heard.recv_timeout(LOOK) {
                Ok(Heard::Told(told)) => tell(told),
                Ok(Heard::Finished(outcome)) => return decided(outcome),
                Err(RecvTimeoutError::Timeout) => tell(Told::Nothing),
                Err(RecvTimeoutError::Disconnected) => return Err(failed()),
            }
        }
    }

    fn mate(
        &self,
        game: &Game,
        time: Option<Duration>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(MateState),
    ) -> Result<MateAnswer, PageFailure> {
        let mut solver = Solver::new(SolverOptions {
            hash_bytes: self.mate_memory,
            threads: 1,
            exact: Exactness::Upper,
            multi_pv: 1,
            checked_root: CheckedRoot::Attacks,
            report_interval: Some(Duration::from_millis(100)),
        });
        let limits = MateLimits { time, nodes: None };
        let mut watching = Watching { tell };
        let solution = solver.solve(game.position(), &limits, &stop.shared(), &mut watching);
        (watching.tell)(MateState {
            nodes: solution.nodes,
            elapsed: solution.elapsed,
            found: None,
        });
        Ok(match solution.answer {
            Answer::Mate(line) => {
                let length = if line.length.is_exact() {
                    MateLength::Shortest
                } else {
                    MateLength::AtMost
                };
                MateAnswer::Mate(line.moves, length)
            }
            Answer::NoMate => MateAnswer::None,
            Answer::Unknown(_) => MateAnswer::Unknown,
        })
    }
}

fn failed() -> PageFailure {
    PageFailure::new("the search failed by an error of the program itself")
}

fn decided(outcome: SearchOutcome) -> Result<Decided, PageFailure> {
    match outcome {
        SearchOutcome::Move { best, .. } | SearchOutcome::Try(best) => Ok(Decided::Move(best)),
        SearchOutcome::DeclareWin => Ok(Decided::Win),
        SearchOutcome::Mated | SearchOutcome::Resign => Ok(Decided::Resign),
        SearchOutcome::Failed { .. } => Err(failed()),
    }
}

/// Tells how far the solver is.
struct Watching<'a> {
    tell: &'a mut dyn FnMut(MateState),
}

impl MateObserver for Watching<'_> {
    fn progress(&mut self, progress: &MateProgress<'_>) {
        let is_mate = matches!(progress.score, MateScore::Mate(_));
        let found: Option<Vec<Move>> = is_mate.then(|| progress.pv.to_vec());
        (self.tell)(MateState {
            nodes: progress.nodes,
            elapsed: progress.elapsed,
            found,
        });
    }
}
