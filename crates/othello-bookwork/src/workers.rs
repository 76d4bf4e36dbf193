//! Who searches: threads of this process, and programs that answer lines, also over ssh.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use farm::{FarmError, Next};
use othello_eval::Weights;
use othello_search::Control;
use yane_io::Job;

use crate::item::{BookSearcher, SearchAnswer, SearchItem};
use crate::{BookGrowthError, Result};

/// The interval of looks at budgets, time limits and Ctrl-C.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// Items that wait for each worker.
const AHEAD: usize = 8;
/// Failures in a row after which a program is not started again.
const MOST_FAILURES: u32 = 6;
/// Failures of one item after which the run ends.
const MOST_TRIES: u32 = 8;
/// The delay after the first failure of a program, doubled after each further one.
const BACKOFF: Duration = Duration::from_millis(250);
/// The stack of a thread that searches.
pub(crate) const STACK: usize = 4 << 20;

/// Asks for searches and takes answers, on one thread.
pub trait Answering: Send {
    /// The next item to search. `Later`: it depends on answers to come.
    ///
    /// # Errors
    ///
    /// They end the run.
    fn next(&mut self) -> Result<Next<SearchItem>>;

    /// Takes the answer of an item, and the boards visited for it. Returns when it is safe.
    ///
    /// # Errors
    ///
    /// They end the run.
    fn answered(&mut self, item: &SearchItem, answer: SearchAnswer, nodes: u64) -> Result<()>;

    /// Takes back an item that nobody could answer.
    fn again(&mut self, item: SearchItem);

    /// Called several times a second; returns false if no more answers are wanted.
    ///
    /// # Errors
    ///
    /// They end the run.
    fn tick(&mut self) -> Result<bool>;
}

/// Workers that answer searches.
pub trait Workers {
    /// Items that are worth being asked for at a time.
    fn ahead(&self) -> usize;

    /// Has everything answered that is asked for. Returns false if it was ended before.
    ///
    /// # Errors
    ///
    /// No program is left, the queue cannot be used, and errors of `asking`.
    fn answer(&mut self, asking: &mut dyn Answering) -> Result<bool>;

    /// Called once everything is done, so that workers elsewhere end too.
    ///
    /// # Errors
    ///
    /// The queue cannot be used.
    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// Threads and programs of this machine.

#[derive(Debug, Default)]
struct Exchange {
    state: Mutex<ExchangeState>,
    /// There are items, or this is the end.
    has_work: Condvar,
    /// There are reports.
    has_report: Condvar,
}

#[derive(Debug, Default)]
struct ExchangeState {
    items: VecDeque<SearchItem>,
    reports: Vec<Report>,
    has_ended: bool,
}

#[derive(Debug)]
struct Report {
    item: SearchItem,
    outcome: std::result::Result<(SearchAnswer, u64), Failure>,
}

#[derive(Debug)]
enum Failure {
    /// The search was stopped, as the run ends.
    Stopped,
    /// A program failed, for this reason; the last time if `is_closed`.
    Failed { reason: String, is_closed: bool },
}

/// The time at which a program got its item, and its process.
#[derive(Debug, Default)]
struct Watched(Mutex<(Option<Instant>, Option<Child>)>);

impl Watched {
    /// Ends the process if it has worked on an item longer than `limit`.
    fn check(&self, limit: Duration) {
        let mut watched = lock(&self.0);
        if watched.0.is_some_and(|since| since.elapsed() > limit)
            && let Some(child) = &mut watched.1
        {
            child.kill().ok();
        }
    }

    fn end(&self) {
        if let Some(mut child) = lock(&self.0).1.take() {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// Threads that search, and programs that do.
pub struct LocalWorkers {
    exchange: Arc<Exchange>,
    threads: Vec<JoinHandle<()>>,
    programs: Vec<Arc<Watched>>,
    /// Time for a search by a program.
    time_limit: Duration,
    /// Workers that are not closed.
    open: usize,
    job: Job,
}

impl LocalWorkers {
    /// Starts `threads` threads with an evaluation, and a process of each of `programs`: a command that reads items as
    /// lines and writes an answer for each. A program that fails, or needs longer than `time_limit`, is started again. All
    /// end when `job` is cancelled.
    ///
    /// # Errors
    ///
    /// The system gives no thread.
    pub fn new(
        threads: usize,
        weights: &Arc<Weights>,
        programs: &[String],
        time_limit: Duration,
        job: &Job,
    ) -> Result<Self> {
        let mut workers = Self {
            exchange: Arc::default(),
            threads: Vec::new(),
            programs: Vec::new(),
            time_limit,
            open: 0,
            job: job.clone(),
        };
        for n in 0..threads {
            let (weights, cancelled) = (Arc::clone(weights), Arc::clone(&job.cancelled));
            workers.start(format!("search {n}"), move |exchange| {
                search(exchange, weights, &cancelled);
            })?;
        }
        for command in programs {
            let watched = Arc::<Watched>::default();
            workers.programs.push(Arc::clone(&watched));
            let (command, cancelled) = (command.clone(), Arc::clone(&job.cancelled));
            let name = format!("program {}", workers.programs.len());
            workers.start(name, move |exchange| {
                drive(exchange, &command, &watched, &cancelled);
            })?;
        }
        Ok(workers)
    }

    fn start(&mut self, name: String, work: impl FnOnce(&Exchange) + Send + 'static) -> Result<()> {
        let exchange = Arc::clone(&self.exchange);
        let thread = std::thread::Builder::new().name(name).stack_size(STACK);
        let thread = thread
            .spawn(move || work(&exchange))
            .map_err(FarmError::from)?;
        self.threads.push(thread);
        self.open += 1;
        Ok(())
    }

    /// Puts items of `asking` where workers take them. Returns true if it has no more.
    fn fill(&self, asking: &mut dyn Answering, outstanding: &mut usize) -> Result<bool> {
        while *outstanding < self.ahead() {
            match asking.next()? {
                Next::Item(item) => {
                    lock(&self.exchange.state).items.push_back(item);
                    self.exchange.has_work.notify_one();
                    *outstanding += 1;
                }
                Next::Later => return Ok(false),
                Next::End => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Waits for reports.
    fn reports(&self) -> Vec<Report> {
        let mut state = lock(&self.exchange.state);
        if state.reports.is_empty() {
            let waited = self.exchange.has_report.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        std::mem::take(&mut state.reports)
    }
}

impl Workers for LocalWorkers {
    fn ahead(&self) -> usize {
        self.open * AHEAD
    }

    fn answer(&mut self, asking: &mut dyn Answering) -> Result<bool> {
        let mut outstanding = 0;
        let mut tries = hashbrown::HashMap::<SearchItem, u32>::new();
        let mut is_wanted = true;
        let mut ticked = Instant::now();
        loop {
            let has_all = !is_wanted || self.fill(asking, &mut outstanding)?;
            if outstanding == 0 && has_all {
                return Ok(is_wanted && !self.job.cancelled.load(Ordering::Relaxed));
            }
            for Report { item, outcome } in self.reports() {
                outstanding -= 1;
                match outcome {
                    Ok((answer, nodes)) => asking.answered(&item, answer, nodes)?,
                    Err(Failure::Stopped) => asking.again(item),
                    Err(Failure::Failed { reason, is_closed }) => {
                        asking.again(item);
                        self.open -= usize::from(is_closed);
                        let tries = tries.entry(item).or_default();
                        *tries += 1;
                        if self.open == 0 || *tries >= MOST_TRIES {
                            return Err(BookGrowthError::Workers(reason));
                        }
                        let end = if is_closed {
                            "not started again"
                        } else {
                            "starting it again"
                        };
                        self.job.progress.note(&format!("{reason}; {end}"));
                    }
                }
            }
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                self.programs
                    .iter()
                    .for_each(|program| program.check(self.time_limit));
                let goes_on = asking.tick()? && !self.job.cancelled.load(Ordering::Relaxed);
                if is_wanted && !goes_on {
                    is_wanted = false;
                    // What nobody has begun stays undone.
                    let mut state = lock(&self.exchange.state);
                    outstanding -= state.items.len();
                    state.items.drain(..).for_each(|item| asking.again(item));
                }
            }
        }
    }
}

impl Drop for LocalWorkers {
    fn drop(&mut self) {
        let mut state = lock(&self.exchange.state);
        state.has_ended = true;
        state.items.clear();
        drop(state);
        self.exchange.has_work.notify_all();
        self.programs.iter().for_each(|program| program.end());
        for thread in self.threads.drain(..) {
            // A panic was reported when it happened.
            drop(thread.join());
        }
    }
}

impl Exchange {
    /// The next item for a worker; `None` at the end.
    fn take(&self) -> Option<SearchItem> {
        let mut state = lock(&self.state);
        loop {
            if state.has_ended {
                return None;
            }
            if let Some(item) = state.items.pop_front() {
                return Some(item);
            }
            state = self
                .has_work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn report(&self, item: SearchItem, outcome: std::result::Result<(SearchAnswer, u64), Failure>) {
        lock(&self.state).reports.push(Report { item, outcome });
        self.has_report.notify_one();
    }
}

/// The thread of a worker that searches by itself.
fn search(exchange: &Exchange, weights: Arc<Weights>, cancelled: &Arc<AtomicBool>) {
    let mut searcher = BookSearcher::new(weights);
    let control = Control::with_stop(Arc::clone(cancelled));
    while let Some(item) = exchange.take() {
        let answer = searcher.search(&item, &control);
        exchange.report(item, answer.ok_or(Failure::Stopped));
    }
}

/// The thread of a worker whose program searches.
fn drive(exchange: &Exchange, command: &str, watched: &Watched, cancelled: &AtomicBool) {
    let mut pipes = None;
    let mut failures = 0;
    while let Some(item) = exchange.take() {
        match ask(&mut pipes, command, watched, &item) {
            Ok(answer) => {
                failures = 0;
                exchange.report(item, Ok(answer));
            }
            Err(_) if cancelled.load(Ordering::Relaxed) => {
                exchange.report(item, Err(Failure::Stopped));
            }
            Err(reason) => {
                pipes = None;
                watched.end();
                failures += 1;
                let is_closed = failures >= MOST_FAILURES;
                let reason = format!("{command}: {reason}");
                exchange.report(item, Err(Failure::Failed { reason, is_closed }));
                if is_closed {
                    return;
                }
                std::thread::sleep(BACKOFF * 2u32.pow(failures - 1));
            }
        }
    }
}

/// Asks a program for an answer; starts it first if need be.
fn ask(
    pipes: &mut Option<(ChildStdin, BufReader<ChildStdout>)>,
    command: &str,
    watched: &Watched,
    item: &SearchItem,
) -> std::result::Result<(SearchAnswer, u64), String> {
    let (input, output) = if let Some(pipes) = pipes {
        pipes
    } else {
        let mut child = program(command)
            .spawn()
            .map_err(|error| error.to_string())?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        lock(&watched.0).1 = Some(child);
        let started = input.zip(output).ok_or("no pipes")?;
        pipes.insert((started.0, BufReader::new(started.1)))
    };
    lock(&watched.0).0 = Some(Instant::now());
    let mut line = String::new();
    let written = writeln!(input, "{item}").and_then(|()| input.flush());
    let read = written.and_then(|()| output.read_line(&mut line));
    lock(&watched.0).0 = None;
    match read {
        Ok(0) => return Err("ended, or took too long".to_owned()),
        Err(error) => return Err(error.to_string()),
        Ok(_) => {}
    }
    parse_reply(line.trim_end(), item).ok_or_else(|| format!("answered {:?}", line.trim_end()))
}

/// The answer of a line `NODES ANSWER`, if it is one for the item.
pub(crate) fn parse_reply(line: &str, item: &SearchItem) -> Option<(SearchAnswer, u64)> {
    let (nodes, answer) = line.split_once(' ')?;
    let answer: SearchAnswer = answer.parse().ok()?;
    answer.fits(item).then_some((answer, nodes.parse().ok()?))
}

fn program(command: &str) -> Command {
    let mut words = command.split_ascii_whitespace();
    let mut program = Command::new(words.next().unwrap_or(command));
    program
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_checked() {
        let level = "3".parse().unwrap();
        let item = SearchItem::new(othello_core::Board::START, level).unwrap();
        let best = item.board().legal_moves().iter().next().unwrap();
        let (answer, nodes) = parse_reply(&format!("77 -3 {best}"), &item).unwrap();
        assert_eq!((answer.score, answer.line, nodes), (-3, vec![best], 77));
        for wrong in [
            "",
            "77",
            "77 3",
            "77 3 a1",
            "x 3 f5",
            "77 99 f5",
            "3 d3",
            "77 3 f5f5",
        ] {
            assert!(parse_reply(wrong, &item).is_none(), "{wrong}");
        }
    }
}
