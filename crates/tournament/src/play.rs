//! Playing the games of a run: on this machine, or by the processes that work on a queue; with one backlog and one recorder.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use farm::queue::{Queue, RefusedResult, Server};
use farm::{Backlog, Event, Next, Recorder, RetryPolicy, RunControl, RunKind, SharedBacklog};

use crate::error::{Result, TournamentError};
use crate::event::RunNote;
use crate::game::{Conditions, PlayedGame};
use crate::received::ResultReader;
use crate::rules::RuleBook;
use crate::task::{GameSchedule, GameTask, Outcome};
use crate::team::{GameWorkers, Team};

/// Where games are played.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// On this machine.
    Here {
        /// The engines.
        team: &'a Team,
        /// Number of games at the same time.
        workers: usize,
    },
    /// By the processes that work on a queue.
    Queue(&'a Queue),
}

/// Where games come from and their results go.
pub(crate) trait TaskSource: Send {
    /// The next game; `None` when there are no more.
    fn next(&mut self) -> Option<GameTask>;

    /// Takes the result of a game. A break ends the run: results of the games in progress are not wanted.
    fn finished(&mut self, task: &GameTask, played: PlayedGame) -> Result<ControlFlow<()>>;
}

/// Runs of games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Games;

impl RunKind for Games {
    type Report<'a> = ();
    type Totals = ();
}

/// Passes on the errors of workers and queues, and what else users should know.
pub(crate) fn tell(event: &Event<'_, Games>, on_note: &dyn Fn(RunNote<'_>)) {
    match event {
        Event::TransientError { reason } => on_note(RunNote::TransientError(reason)),
        other => {
            if let Some(text) = other.message() {
                on_note(RunNote::Remark(&text));
            }
        }
    }
}

/// Locks what no thread can have damaged: a panic of one ends the run.
pub(crate) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What all runs of games have in common.
pub(crate) struct GameRun<'a> {
    /// What the tasks stand for.
    pub(crate) schedule: &'a dyn GameSchedule,
    /// The rules of the game.
    pub(crate) rules: &'a dyn RuleBook,
    /// What all games have in common.
    pub(crate) conditions: &'a Conditions,
    /// Where they are played.
    pub(crate) place: Place<'a>,
    /// The most games that are handed out over a queue and not finished.
    pub(crate) ahead: usize,
    /// Ends the run.
    pub(crate) control: &'a RunControl,
}

impl GameRun<'_> {
    /// Plays the games of `source`. Returns true if all were played, or the source wanted no more; false if the run was ended from
    /// outside. `after` is called with the source after each game, on this thread, and `on_note` with notes.
    pub(crate) fn play<S: TaskSource>(
        &self,
        source: &Mutex<S>,
        after: &mut dyn FnMut(&S),
        on_note: &dyn Fn(RunNote<'_>),
    ) -> Result<bool> {
        // The end of these games is not the end of what comes after them.
        let control = self.control.child();
        let backlog = SharedBacklog::new(TaskBacklog {
            source,
            returned: Vec::new(),
            in_progress: 0,
        });
        let mut results = Results {
            source,
            control: &control,
            is_over: false,
            after,
            on_note,
        };
        match self.place {
            Place::Here { team, workers } => {
                let workers = GameWorkers::new(team, self.schedule, workers, &control);
                let policy = RetryPolicy::default();
                let played = farm::run(&workers, &backlog, &control, policy, &mut results);
                workers.refusal().told(played)?;
                Ok(results.is_over || !self.control.is_quitting())
            }
            Place::Queue(queue) => {
                let reader = ResultReader::new(self.schedule, self.rules, self.conditions);
                let decode = |task: &GameTask, bytes: &[u8]| {
                    let read = reader.read(task, bytes).map(Ok);
                    read.map_err(RefusedResult::new)
                };
                let server = Server::new(queue, &control);
                let all = server.round(self.ahead, &backlog, decode, &mut results)?;
                let is_complete = all || results.is_over;
                if is_complete {
                    // Those who work are told, even where the decision ended the run.
                    let on_error = |reason: &str| on_note(RunNote::TransientError(reason));
                    Server::new(queue, &RunControl::default()).close(on_error)?;
                }
                Ok(is_complete)
            }
        }
    }
}

/// The games of a source as a backlog.
struct TaskBacklog<'a, S> {
    source: &'a Mutex<S>,
    returned: Vec<GameTask>,
    in_progress: u64,
}

impl<S: TaskSource> Backlog for TaskBacklog<'_, S> {
    type Item = GameTask;

    fn next(&mut self) -> Next<GameTask> {
        match self.returned.pop().or_else(|| lock(self.source).next()) {
            Some(task) => {
                self.in_progress += 1;
                Next::Item(task)
            }
            None if self.in_progress > 0 => Next::Later,
            None => Next::End,
        }
    }

    fn ack(&mut self, _: &GameTask) {
        self.in_progress -= 1;
    }

    fn nack(&mut self, task: &GameTask) {
        self.in_progress -= 1;
        self.returned.push(task.clone());
    }
}

/// Gives results to the source.
struct Results<'a, S> {
    source: &'a Mutex<S>,
    control: &'a RunControl,
    is_over: bool,
    after: &'a mut dyn FnMut(&S),
    on_note: &'a dyn Fn(RunNote<'_>),
}

impl<S: TaskSource> Recorder for Results<'_, S> {
    type Kind = Games;
    type Item = GameTask;
    type Output = Outcome;
    type Error = TournamentError;

    fn record(&mut self, _: Option<usize>, task: &GameTask, outcome: Outcome) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        let played = outcome.map_err(|error| TournamentError::Settings(error.to_string()))?;
        let mut source = lock(self.source);
        let flow = source.finished(task, played)?;
        (self.after)(&source);
        if flow.is_break() {
            self.is_over = true;
            self.control.quit();
        }
        Ok(())
    }

    fn give_up(&mut self, task: &GameTask) -> Result<()> {
        Err(TournamentError::Settings(format!(
            "no machine can play game {}: do all have the same version?",
            task.number
        )))
    }

    fn on_event(&mut self, event: &Event<'_, Games>) {
        tell(event, self.on_note);
    }
}
