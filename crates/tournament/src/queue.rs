//! Games shared by machines over a NATS server: one process serves them and has the results, others play.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use farm::queue::{ItemQueue, Queue, RemoteItem, Server};
use farm::{Backlog, Event, Next, Recorder, RunControl, RunKind, SharedBacklog, Source};

use crate::error::{Result, TournamentError};
use crate::game::{NoGame, PlayedGame};
use crate::tasks::{GameTask, TaskSource, Team, WorkerEngines, lock};

/// The time after which a process that plays looks for errors of the connection.
const POLL: Duration = Duration::from_millis(100);

impl RemoteItem for GameTask {
    fn number(&self) -> u64 {
        self.number
    }

    fn payload(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    fn from_message(number: u64, payload: &[u8]) -> Option<Self> {
        let task: Self = serde_json::from_slice(payload).ok()?;
        (task.number == number).then_some(task)
    }
}

/// Runs that serve games.
#[derive(Clone, Copy, Debug)]
struct ServedGames;

impl RunKind for ServedGames {
    type Report<'a> = ();
    type Totals = ();
}

/// The games of a source as a backlog.
struct Games<'a, S> {
    source: &'a Mutex<S>,
    returned: Vec<GameTask>,
    in_progress: u64,
}

impl<S: TaskSource> Backlog for Games<'_, S> {
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
    on_error: &'a dyn Fn(&str),
}

impl<S: TaskSource> Recorder for Results<'_, S> {
    type Kind = ServedGames;
    type Item = GameTask;
    type Output = PlayedGame;
    type Error = TournamentError;

    fn record(&mut self, _: Option<usize>, task: &GameTask, played: PlayedGame) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
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
        lock(self.source).given_up(task)
    }

    fn on_event(&mut self, event: &Event<'_, ServedGames>) {
        if let Event::TransientError { reason } = event {
            (self.on_error)(reason);
        }
    }
}

/// Has the games of `source` played by the workers of `queue` ([`work`]), at most `ahead` at a time. Returns true if all
/// were played, or the source wanted no more; false if `control` ended the run. `after` is called with the source after each
/// game, `on_error` with transient errors, both on this thread.
pub(crate) fn serve<S: TaskSource>(
    source: &Mutex<S>,
    queue: &Queue,
    ahead: usize,
    control: &RunControl,
    after: &mut dyn FnMut(&S),
    on_error: &dyn Fn(&str),
) -> Result<bool> {
    let backlog = SharedBacklog::new(Games {
        source,
        returned: Vec::new(),
        in_progress: 0,
    });
    let mut results = Results {
        source,
        control,
        is_over: false,
        after,
        on_error,
    };
    let decode = |_: &GameTask, bytes: &[u8]| serde_json::from_slice(bytes).ok();
    let all = Server::new(queue, control).round(ahead, &backlog, decode, &mut results)?;
    let is_complete = all || results.is_over;
    if is_complete {
        // Those who work are told, even where the decision ended the run.
        Server::new(queue, &RunControl::default()).close(on_error)?;
    }
    Ok(is_complete)
}

/// Plays games for the process that serves `queue`, `workers` at a time, until there are none left or `control` ends the
/// run. Returns the number of games; `on_game` is called with each and `on_error` with transient errors, on this thread.
///
/// # Errors
/// When the address of the queue is invalid or a result is too long for a message.
pub fn work(
    queue: &Queue,
    team: &Team,
    workers: usize,
    control: &RunControl,
    on_game: &dyn Fn(&GameTask, &PlayedGame),
    on_error: &dyn Fn(&str),
) -> Result<u64> {
    let items = ItemQueue::<GameTask>::new(queue)?;
    let failed: Mutex<Option<TournamentError>> = Mutex::new(None);
    let is_quitting = || control.is_quitting() || lock(&failed).is_some();
    let (sender, receiver) = std::sync::mpsc::channel();
    let games = thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, items, failed, is_quitting) =
                (sender.clone(), &items, &failed, &is_quitting);
            scope.spawn(move || {
                let mut engines = WorkerEngines::new(team);
                while let Some(task) = items.next(is_quitting) {
                    let result = match engines.play(&task, is_quitting) {
                        Ok(played) => {
                            let bytes = serde_json::to_vec(&played).unwrap_or_default();
                            sender.send((task.clone(), played)).ok();
                            bytes
                        }
                        Err(NoGame::Quit) => {
                            items.nack(&task);
                            break;
                        }
                        // No result: the game is given up.
                        Err(NoGame::BadOpening(_)) => Vec::new(),
                        // Another machine may have better engines.
                        Err(NoGame::NotReady { color, fault }) => {
                            items.nack(&task);
                            lock(failed).get_or_insert(team.not_ready(&task, color, &fault));
                            break;
                        }
                    };
                    if let Err(error) = items.put(task.number, result) {
                        lock(failed).get_or_insert(error.into());
                    }
                }
            });
        }
        drop(sender);
        let mut games = 0;
        loop {
            match receiver.recv_timeout(POLL) {
                Ok((task, played)) => {
                    games += 1;
                    on_game(&task, &played);
                }
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break games,
            }
            if let Some(reason) = items.take_error() {
                on_error(&reason);
            }
        }
    });
    items.finish(&|| control.is_quitting());
    match lock(&failed).take() {
        Some(error) => Err(error),
        None => Ok(games),
    }
}
