//! Runs: stages done one after the other, with budgets, saves, a journal, and a state to resume from.
//!
//! # Crash safety
//!
//! Beside the output `book.egbk3` there are, until the run is complete, `book.egbk3.journal` with every answer since the last
//! save, and `book.egbk3.state` with the book, the place in the stages and the list that is worked on, as they were at that
//! save. The same command reads the state, does what follows with the answers of the journal at once, and goes on. The output
//! is a copy with values and lines made right, written at each save and at the end. Every file is written beside its old
//! version, which it then replaces.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use farm::queue::Queue;
use farm::{FarmError, RetryPolicy, RunControl, Worker, Workers};
use othello_book::edax::EdaxHeader;
use othello_book::egaroucid::BookLeaf;
use othello_book::files::{self, BookInput, BookOutputMode, BookReadOptions, BookWriteOptions};
use othello_book::ops::{self, LeafValues};
use othello_book::store::{
    GrowingBook, MemoryBook, PositionData, PositionLookup as _, PositionStore as _,
};
use othello_book::{BookFormat, Edge};
use othello_core::Board;
use serde_json::json;
use yane_io::{
    Checksum, Error, Flush, Job, Journal, RunIdentity, Snapshot, TempFolder, Unit, beside,
};

use crate::backlog::{AnswerRecorder, CloseAtEnd, SearchBacklog};
use crate::error::Result;
use crate::item::{BookLevel, FoundAnswer, SearchAnswer, SearchItem};
use crate::links::{links, open_leaf, searched};
use crate::list::{GrowthEnd, ListEnd, ListLimits, ListWork};
use crate::queue;
use crate::recipe::{BookStage, GrowthLimit, Learn, Schedule, Store};
use crate::state::{self, Position, State};
use crate::tasks::{TaskCounts, TaskFn, Tasks, put_all};
use crate::todo::{TodoList, TodoWriter};

/// Items that are asked for ahead of each worker.
const AHEAD: usize = 8;

/// Limits of one run; the next run goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Time from the start.
    pub time: Option<Duration>,
    /// Positions to add.
    pub positions: Option<u64>,
}

/// Stages to do with a book.
#[derive(Clone, Debug)]
pub struct BookTask {
    /// The book to begin with; none for a new one, which has the start position alone, or nothing if every stage says where
    /// to begin.
    pub input: Option<PathBuf>,
    /// How it is read.
    pub reading: BookReadOptions,
    /// True if side-cars of the input are left alone.
    pub alone: bool,
    /// The book to write.
    pub output: PathBuf,
    /// How it is written.
    pub writing: BookWriteOptions,
    /// The stages.
    pub stages: Vec<BookStage>,
    /// Seed of everything random.
    pub seed: u64,
    /// Time between saves.
    pub save_interval: Duration,
    /// When answers are flushed to the disk.
    pub flush: Flush,
    /// Limits of this run.
    pub budget: Budget,
    /// What tells the weights of those who search from others.
    pub weights: String,
}

/// What a run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookGrowth {
    /// Positions of the book that was written.
    pub positions: u64,
    /// Positions that were added, by this run and those that it resumed.
    pub added: u64,
    /// Searches that were used, by this run and those that it resumed.
    pub searches: u64,
    /// Rounds, by this run and those that it resumed.
    pub rounds: u64,
    /// Boards visited by the searches of this run.
    pub nodes: u64,
    /// Positions that the format of the output cannot hold.
    pub left_out: u64,
    /// Lines of lists of games that are no games; the others were taken.
    pub bad_lines: u64,
    /// Why it ended.
    pub reason: GrowthEnd,
}

impl BookTask {
    /// A task with the default settings: saves every 15 minutes, a flush every 10 seconds, no limits.
    pub fn new(
        input: Option<PathBuf>,
        output: PathBuf,
        writing: BookWriteOptions,
        stages: Vec<BookStage>,
    ) -> Self {
        Self {
            input,
            reading: BookReadOptions::default(),
            alone: false,
            output,
            writing,
            stages,
            seed: 1,
            save_interval: Duration::from_secs(900),
            flush: Flush::Every(Duration::from_secs(10)),
            budget: Budget::default(),
            weights: String::new(),
        }
    }

    /// A task that lets a book grow in its own file, which is replaced at each save by a whole one; a new book if there is none.
    pub fn in_place(book: &Path, writing: BookWriteOptions, stages: Vec<BookStage>) -> Self {
        let input = book.exists().then(|| book.to_owned());
        Self::new(input, book.to_owned(), writing, stages)
    }

    /// The file of answers beside the output.
    pub fn journal(&self) -> PathBuf {
        Journal::path_of(&self.output)
    }

    /// The file of the state beside the output.
    pub fn state(&self) -> PathBuf {
        beside(&self.output, ".state")
    }

    /// Returns whether an earlier run left something to resume from.
    pub fn is_begun(&self) -> bool {
        self.journal().exists() || self.state().exists()
    }

    /// Does the stages, or goes on with them, with workers of this machine ([`crate::searchers`]). A search that panics is
    /// handed out again; at the third time the run ends, as it does when nobody is left to search: what is done by then is
    /// kept.
    ///
    /// # Errors
    ///
    /// Files, and [`yane_io::Error::Cancelled`] while they are read; a journal or a state of another run; starts that are no
    /// games; nobody is left to search.
    pub fn run<W>(&self, workers: &W, retries: RetryPolicy, job: &Job) -> Result<BookGrowth>
    where
        W: Workers<Worker: Worker<Item = SearchItem, Output = FoundAnswer>>,
    {
        self.run_with(
            workers.count() * AHEAD,
            job,
            |backlog: &SearchBacklog<'_>, control: &RunControl| {
                let mut recorder = AnswerRecorder::new(backlog, &*job.progress, Box::new(|| ()));
                farm::run(workers, backlog, control, retries, &mut recorder)
            },
        )
    }

    /// Does the stages, or goes on with them, with the machines that work for a queue ([`crate::work_for_queue`]). Waits for
    /// the server if need be.
    ///
    /// # Errors
    ///
    /// As [`Self::run`]; the address of the queue is invalid.
    pub fn run_on_queue(&self, queue: &Queue, job: &Job) -> Result<BookGrowth> {
        let progress = &*job.progress;
        let growth = self.run_with(
            queue::PUBLISHED,
            job,
            |backlog: &SearchBacklog<'_>, control: &RunControl| {
                queue::serve(queue, backlog, control, progress)
            },
        )?;
        if growth.reason == GrowthEnd::Complete {
            queue::close(queue, progress)?;
        }
        Ok(growth)
    }

    /// Does the stages on this thread, while `serve` on another one has the lists searched that come to its backlog. So many
    /// items are worth being asked for at a time.
    fn run_with<'t>(
        &'t self,
        ahead: usize,
        job: &'t Job,
        serve: impl FnOnce(&SearchBacklog<'t>, &RunControl) -> Result<()> + Send,
    ) -> Result<BookGrowth> {
        let identity = self.identity()?;
        // The journal first: one process at a time.
        let journal = Journal::open(&self.journal(), &identity, self.flush)?
            .tell(|note| job.progress.note(note));
        let folder = job.temp_for(&self.output);
        let (book, position, list) = match state::read(&self.state(), &identity, &folder, job)? {
            Some(State {
                position,
                book,
                list,
            }) => (book, position, list),
            None => (self.open(&folder, job)?, Position::default(), None),
        };
        let backlog = SearchBacklog::new();
        let run = Run {
            task: self,
            identity,
            folder,
            job,
            backlog: &backlog,
            ahead,
            journal: Some(journal),
            book,
            position,
            list,
            began: Instant::now(),
            saved: Instant::now(),
            added: 0,
            nodes: 0,
            bad_lines: 0,
        };
        let control = RunControl::of_job(job).child();
        std::thread::scope(|scope| {
            // Those who search end when this ends by a panic, and the other way round.
            let end = CloseAtEnd(&backlog);
            let thread = std::thread::Builder::new().name("searches".to_owned());
            let serving = thread.spawn_scoped(scope, || {
                let _end = CloseAtEnd(&backlog);
                serve(&backlog, &control)
            });
            let serving = serving.map_err(FarmError::from)?;
            let growth = run.run();
            control.quit();
            drop(end);
            let served = serving.join();
            let served = served.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            match growth {
                // Whoever failed at last was not needed any more.
                Ok(growth) if growth.reason == GrowthEnd::Complete => Ok(growth),
                growth => served.and(growth),
            }
        })
    }

    /// All that the book depends on.
    fn identity(&self) -> Result<RunIdentity> {
        let format = match self.writing.format {
            BookFormat::Edax | BookFormat::EdaxText => "Edax",
            BookFormat::Egaroucid(_) => "Egaroucid",
        };
        let mut identity = RunIdentity::new("othello book 2")
            .with("reading", format!("{:?} {}", self.reading, self.alone))
            .with("format", format)
            .with("seed", self.seed)
            .with("weights", &self.weights);
        // A book that grows in its own file is another one after each save, and may not be there when the run begins.
        let other = self.input.as_ref();
        let book = match other.filter(|input| !same_file(input, &self.output)) {
            Some(input) => Checksum::of_file(input)?.to_string(),
            None => "the output".to_owned(),
        };
        identity.push("book", book);
        for (number, stage) in self.stages.iter().enumerate() {
            identity.push(&format!("stage {number}"), json!(stage));
            if let BookStage::Learn(Learn {
                games: Some(games), ..
            })
            | BookStage::Store(Store {
                games: Some(games), ..
            }) = stage
            {
                identity.push(
                    &format!("games of stage {number}"),
                    Checksum::of_file(games)?,
                );
            }
        }
        Ok(identity)
    }

    fn open(&self, folder: &TempFolder, job: &Job) -> Result<GrowingBook> {
        let Some(input) = &self.input else {
            let mut book = GrowingBook::in_memory(MemoryBook::default());
            book.put(Board::START, new_start());
            return Ok(book);
        };
        let input = BookInput::open(input)?;
        let input = if self.alone { input.alone() } else { input };
        let opened = files::open(&input, self.reading, folder.clone(), job)?;
        Ok(GrowingBook::new(opened.book))
    }
}

/// The start position of a new book, as in Egaroucid: a draw, and a leaf that is one too (all first moves are alike).
fn new_start() -> PositionData {
    let mut start = searched(0, -1, false);
    start.leaf = BookLeaf {
        edge: Edge {
            score: 0,
            number: 19,
        },
        level: -1,
    };
    start
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b
        || std::fs::canonicalize(a)
            .ok()
            .is_some_and(|a| std::fs::canonicalize(b).is_ok_and(|b| a == b))
}

/// How a part of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It is done.
    Done,
    /// The run ends.
    Stop(GrowthEnd),
}

/// A run.
pub(crate) struct Run<'d, 't> {
    pub(crate) task: &'t BookTask,
    identity: RunIdentity,
    folder: TempFolder,
    pub(crate) job: &'t Job,
    backlog: &'d SearchBacklog<'t>,
    /// Items that are worth being asked for at a time.
    ahead: usize,
    /// Open but for the moment when it is replaced.
    journal: Option<Journal>,
    pub(crate) book: GrowingBook,
    pub(crate) position: Position,
    /// The list that an earlier run did not finish.
    pub(crate) list: Option<TodoList>,
    began: Instant,
    saved: Instant,
    /// Positions added by this run.
    added: u64,
    nodes: u64,
    /// Lines of lists of games that are none.
    pub(crate) bad_lines: u64,
}

impl<'t> Run<'_, 't> {
    fn run(mut self) -> Result<BookGrowth> {
        let task = self.task;
        while let Some(stage) = task.stages.get(self.position.stage) {
            match self.stage(stage)? {
                Flow::Done => self.next_stage(),
                Flow::Stop(reason) => return self.stop(reason),
            }
        }
        if self.is_for_edax()
            && let Flow::Stop(reason) = self.complete_leaves()?
        {
            return self.stop(reason);
        }
        let growth = self.publish(GrowthEnd::Complete)?;
        if let Some(journal) = self.journal {
            journal.remove()?;
        }
        Snapshot::remove(&task.state())?;
        Ok(growth)
    }

    fn next_stage(&mut self) {
        self.position = Position {
            stage: self.position.stage + 1,
            added: self.position.added,
            searches: self.position.searches,
            rounds: self.position.rounds,
            ..Position::default()
        };
    }

    pub(crate) fn next_start(&mut self) {
        self.position.start += 1;
        self.position.game = None;
        (
            self.position.round,
            self.position.phase,
            self.position.added_in_round,
        ) = (0, 0, 0);
    }

    /// Ends a round; returns true if it added nothing, or was the last one.
    pub(crate) fn end_round(&mut self, most: GrowthLimit) -> bool {
        let added = std::mem::take(&mut self.position.added_in_round);
        self.position.phase = 0;
        self.position.round += 1;
        self.position.rounds += 1;
        added == 0 || most.0.is_some_and(|most| self.position.round >= most)
    }

    const fn is_for_edax(&self) -> bool {
        matches!(
            self.task.writing.format,
            BookFormat::Edax | BookFormat::EdaxText
        )
    }

    pub(crate) fn header(&self) -> EdaxHeader {
        self.book.header().unwrap_or_default()
    }

    // Lists.

    /// Does a list of a round, unless that is done: what `collect` puts into it, or what is left of it.
    pub(crate) fn list(
        &mut self,
        phase: u32,
        name: &str,
        schedule: Option<Schedule>,
        task: &Arc<TaskFn<'t>>,
        collect: &mut dyn FnMut(&GrowingBook, &Job, &mut TodoWriter<'_>) -> yane_io::Result<()>,
    ) -> Result<Flow> {
        if self.position.phase > phase {
            return Ok(Flow::Done);
        }
        let memory = self.job.memory / 8;
        let mut list = if let Some(list) = self.list.take() {
            list
        } else {
            let by = (schedule == Some(Schedule::Accuracy)).then_some(&self.book);
            let mut todo = TodoWriter::new(&self.folder, memory, by);
            collect(&self.book, self.job, &mut todo)?;
            todo.finish()?
        };
        loop {
            let done = self.some_of(name, list, task)?;
            match done.end {
                ListEnd::Done => break,
                ListEnd::Save => {
                    self.save(&done.rest, &done.kept)?;
                    self.publish(GrowthEnd::Time)?;
                    let state =
                        state::read(&self.task.state(), &self.identity, &self.folder, self.job)?;
                    if let Some(state) = state {
                        self.book = state.book;
                    }
                    list = done.rest;
                }
                ListEnd::Stop(reason) => {
                    self.save(&done.rest, &done.kept)?;
                    return Ok(Flow::Stop(reason));
                }
            }
        }
        self.position.phase = phase + 1;
        Ok(Flow::Done)
    }

    /// Does tasks of a list until it is done, or it is time to save or to stop.
    fn some_of(&mut self, name: &str, list: TodoList, task: &Arc<TaskFn<'t>>) -> Result<SomeDone> {
        let title = format!("round {}, {name}", self.position.round + 1);
        let progress = &self.job.progress;
        progress.stage(&title, Some(list.len()), Unit::Positions);
        let ahead = self.ahead.max(2) * 4;
        let budget = &self.task.budget;
        let left = budget.positions.map(|most| most.saturating_sub(self.added));
        let limits = ListLimits {
            until: budget.time.map(|time| self.began + time),
            save_at: self.saved + self.task.save_interval,
            most_new: (self.job.memory / 3 / GrowingBook::NEW_POSITION).max(1 << 12),
        };
        let journal = self.journal.take();
        let journal = journal.ok_or_else(|| Error::file(self.task.journal(), "is closed"))?;
        let nothing = GrowingBook::in_memory(MemoryBook::default());
        let book = std::mem::replace(&mut self.book, nothing);
        let mut tasks = Tasks::new(list, Arc::clone(task), book, journal, ahead);
        tasks.stop_after(left);
        let work = ListWork::new(tasks, self.job, limits);
        let work = self.backlog.work_on(work)?;
        let end = work.end();
        let tasks = work.tasks;
        let rest = TodoList::of_rows(tasks.rest(), &self.folder, self.job.memory / 8)?;
        let kept = tasks
            .kept()
            .map(|(item, answer)| (item, answer.clone()))
            .collect();
        self.count(tasks.counts);
        self.book = tasks.book;
        self.journal = Some(tasks.journal);
        Ok(SomeDone { end, rest, kept })
    }

    fn count(&mut self, counts: TaskCounts) {
        self.added += counts.added;
        self.nodes += counts.nodes;
        self.position.added += counts.added;
        self.position.added_in_round += counts.added;
        self.position.searches += counts.searches;
    }

    // Values, saves and the end.

    /// Makes values and lines right: from a root, and on the way to it; or of the whole book.
    pub(crate) fn settle(&mut self, from: Option<(Board, &[(Board, bool)])>) {
        let is_edax = self.book.header().is_some();
        let root = from.map_or(Board::START, |(root, _)| root);
        if is_edax {
            let header = self.header();
            ops::negamax_edax(&mut self.book, root, &header);
        } else {
            ops::negamax(&mut self.book, root, LeafValues::CountOpen);
        }
        for &(board, _) in from.map_or(&[][..], |(_, way)| way).iter().rev().skip(1) {
            refresh(&mut self.book, board);
        }
    }

    /// Writes the state, with the rest of a list, and begins a new journal.
    fn save(&mut self, rest: &TodoList, kept: &[(SearchItem, SearchAnswer)]) -> Result<()> {
        self.position.has_list = true;
        let rows = (0..rest.len()).filter_map(|n| rest.get(n));
        state::write(
            &self.task.state(),
            &self.identity,
            &self.position,
            &self.book,
            rows,
            rest.len(),
        )?;
        self.position.has_list = false;
        if let Some(journal) = self.journal.take() {
            let mut journal = journal.cleared()?;
            put_all(&mut journal, kept.iter().cloned())?;
            self.journal = Some(journal);
        }
        self.saved = Instant::now();
        Ok(())
    }

    /// Writes the output with right values. The book is another one then.
    fn publish(&mut self, reason: GrowthEnd) -> Result<BookGrowth> {
        if self.is_for_edax() {
            let header = self.header();
            ops::negamax_edax(&mut self.book, Board::START, &header);
        } else {
            self.settle(None);
        }
        let saved = files::save(
            &self.book,
            &self.task.output,
            BookOutputMode::Write,
            self.task.writing,
        )?;
        self.job.progress.saved(&self.task.output);
        Ok(BookGrowth {
            positions: saved.positions,
            added: self.position.added,
            searches: self.position.searches,
            rounds: self.position.rounds,
            nodes: self.nodes,
            left_out: saved.left_out,
            bad_lines: self.bad_lines,
            reason,
        })
    }

    /// Ends before all is done; the state is written.
    fn stop(mut self, reason: GrowthEnd) -> Result<BookGrowth> {
        self.publish(reason)
    }
}

pub(crate) fn level_of_stage(stage: &BookStage) -> Option<BookLevel> {
    Some(match stage {
        BookStage::Learn(stage) => stage.level,
        BookStage::Leaves(stage) => stage.level,
        BookStage::Store(stage) => stage.level,
        BookStage::Deviate(stage) => stage.level,
        BookStage::Enhance(stage) => stage.level,
        BookStage::Fill(stage) => stage.level,
        BookStage::Play(stage) => stage.level,
        BookStage::Fix(_) | BookStage::Prune(_) => return None,
    })
}

/// The value and the lines of a position from those of its links and its leaf.
fn refresh(book: &mut GrowingBook, board: Board) {
    let Some(known) = book.look_up(board) else {
        return;
    };
    let canonical = board.canonical().board;
    let links = links(book, canonical);
    let leaf = open_leaf(canonical, &links, known.leaf).map(|_| i32::from(known.leaf.edge.score));
    let best = links.iter().map(|link| link.value).max().max(leaf);
    let lines = links.iter().map(|link| {
        link.number
            .map_or(1, |number| u64::from(book.known(number).lines))
    });
    let lines = 1 + lines.sum::<u64>();
    let new = PositionData {
        value: best.map_or(known.value, |best| best.clamp(-64, 64) as i8),
        lines: lines.min(4_000_000_000) as u32,
        ..known
    };
    book.put(canonical, new);
}

struct SomeDone {
    end: ListEnd,
    /// The tasks that are not done.
    rest: TodoList,
    /// Answers that they may need.
    kept: Vec<(SearchItem, SearchAnswer)>,
}
