//! A book that is mined: peta shock, next positions, search, and again (`makebook mine`).
//!
//! In every round the book is peta-shocked ([`mod@yane_book::peta_shock`]), the positions that the best lines of
//! the result lead to are listed ([`yane_book::peta_next`]), and engines search them ([`crate::think`]).
//! A run has budgets, of positions and of time, and ends when one is used up or nothing is left to search.
//!
//! # Crash safety
//!
//! Positions are safe when they have been searched ([`crate::think`]). Round, budgets and list of the round are in
//! the checkpoint beside the book, so that the same call resumes in the same round; an uninterrupted run gives the
//! same book.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use farm::RunControl;
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use shogi_core::{Color, Position};
use shogi_farm::{EnginePool, with_contents};
use yane_book::BookError;
use yane_book::db::LineEnd;
use yane_book::from_sfen::RecordInput;
use yane_book::memory::{Book, ReadOptions};
use yane_book::peta_next::{PetaNext, next_positions};
use yane_book::peta_shock::{PetaShockOptions, PetaShockReport, peta_shock};
use yane_book::positions::Wanted;
use yane_book::records::{Root, read_roots};
use yane_io::{AtomicFile, Job, RunIdentity, RunLock, Snapshot, beside};

pub use crate::report::MineStep;
use crate::report::{BookObserver, BookReport, BookRunEvent, BookSummary, BookTotals, StopReason};
use crate::think::{
    Task, Think, fingerprint, has_book, has_ended, read_book, recover, search_description,
};
use crate::{Result, checkpoint};

/// Options of a run that mines a book.
#[derive(Clone, Debug)]
pub struct Mine {
    /// Options of the search, and the book; its records and positions are replaced.
    pub think: Think,
    /// The book after peta shock, `.db`, written in every round and at the end.
    pub peta: PathBuf,
    /// Root positions: a record file; `None`: the even game.
    pub roots: Option<PathBuf>,
    /// Options for the choice of lines.
    pub next: PetaNext,
    /// The limit of positions in a round, at least 1.
    pub batch: usize,
    /// The limit of positions in all; `None`: no limit.
    pub positions: Option<u64>,
    /// The time limit in all; `None`: no limit.
    pub time: Option<Duration>,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MineSummary {
    /// Rounds, those before an interruption included.
    pub rounds: u64,
    /// Positions searched, those before an interruption included.
    pub searched: u64,
    /// Summary of this process; the counts are those of its last round.
    pub summary: BookSummary,
    /// Reason for the end.
    pub reason: StopReason,
}

/// Mines a book.
///
/// # Errors
/// When a file cannot be read or written, or no engine is left. What was searched by then is safe, and the same
/// call resumes from there.
pub fn mine(
    options: &Mine,
    pool: &EnginePool,
    control: &RunControl,
    job: &Job,
    observer: &BookObserver<'_>,
) -> Result<MineSummary> {
    let roots = match &options.roots {
        Some(path) => read_roots(path)?,
        None => vec![Root::startpos()],
    };
    // One run mines a book at a time, also between two rounds.
    let path = beside(&options.think.book, ".mine.state");
    let _lock = RunLock::file(&path)?;
    let recovered = recover(&options.think, job)?;
    let identity = RunIdentity::new("makebook mine 2")
        .with(
            "roots",
            format!(
                "{:016x}",
                fingerprint(roots.iter().map(|root| root.game().position()))
            ),
        )
        .with("lines", format!("{:?}", options.next))
        .with("search", search_description(&options.think, &[]));
    let identity = with_contents(identity, &options.think.contents);
    let state = MineCheckpoint::read(path, identity, job)?;
    let mut run = MineRun {
        options,
        pool,
        control,
        job,
        observer,
        roots,
        state,
        begun: Instant::now(),
        summary: BookSummary::default(),
    };
    if run.state.round > 0 {
        run.report(MineStep::Resumed {
            round: run.state.round,
            searched: run.state.searched(),
        });
    }
    let reason = run.rounds()?;
    if reason != StopReason::Interrupted {
        run.finish()?;
    }
    run.summary.totals.counts.recovered += recovered;
    run.summary.is_complete = reason != StopReason::Interrupted;
    Ok(MineSummary {
        rounds: run.state.round,
        searched: run.state.searched(),
        summary: run.summary,
        reason,
    })
}

struct MineRun<'a> {
    options: &'a Mine,
    pool: &'a EnginePool,
    control: &'a RunControl,
    job: &'a Job,
    observer: &'a BookObserver<'a>,
    roots: Vec<Root>,
    state: MineCheckpoint,
    begun: Instant,
    summary: BookSummary,
}

impl MineRun<'_> {
    fn report(&self, step: MineStep<'_>) {
        (self.observer)(&BookRunEvent::Report(BookReport::Mine(step)));
    }

    fn rounds(&mut self) -> Result<StopReason> {
        loop {
            if self.control.is_quitting() {
                return Ok(StopReason::Interrupted);
            }
            if self.time_left().is_some_and(|left| left.is_zero()) {
                return Ok(StopReason::Time);
            }
            if self.state.list.is_empty() {
                let left = self
                    .options
                    .positions
                    .map(|most| most.saturating_sub(self.state.searched_before));
                if left == Some(0) {
                    return Ok(StopReason::Positions);
                }
                if !self.begin_round(left)? {
                    return Ok(StopReason::NothingLeft);
                }
            }
            if let Some(reason) = self.search()? {
                return Ok(reason);
            }
        }
    }

    /// The time that is left of the limit.
    fn time_left(&self) -> Option<Duration> {
        let taken = self.state.time() + self.begun.elapsed();
        Some(self.options.time?.saturating_sub(taken))
    }

    /// Lists the positions of a new round, `most` at most; whether there are any.
    fn begin_round(&mut self, most: Option<u64>) -> Result<bool> {
        let peta = self.shock()?;
        let ignore_ply = ReadOptions { ignore_ply: true };
        let book = match peta {
            Some(_) => Book::read(&self.options.peta, ignore_ply, self.job)?,
            None => read_book(&self.options.think.book, ignore_ply, self.job)?,
        };
        let list = self.leaves(&book)?;
        let found = list.len() as u64;
        let most = most
            .unwrap_or(u64::MAX)
            .min(self.options.batch.max(1) as u64);
        let list: Vec<String> = list.into_iter().take(most as usize).collect();
        if list.is_empty() {
            return Ok(false);
        }
        self.state.round += 1;
        self.report(MineStep::Listed {
            round: self.state.round,
            peta: peta.as_ref(),
            found,
            chosen: list.len() as u64,
        });
        self.state.list = list;
        self.save_state()?;
        Ok(true)
    }

    /// The positions outside of the book that its best lines lead to, those for black's book and for white's in
    /// turn, without those at which the game ends.
    fn leaves(&self, book: &Book) -> Result<Vec<String>> {
        let next = &self.options.next;
        let side = |side: Color| {
            if next.side.is_some_and(|only| only != side) {
                return Ok(Vec::new().into_iter());
            }
            let found = next_positions(book, &self.roots, side, next, self.job)?;
            Ok::<_, crate::BookworkError>(found.leaves.into_iter())
        };
        let (mut black, mut white) = (side(Color::Black)?, side(Color::White)?);
        let mut list = Vec::new();
        let mut known = HashSet::new();
        loop {
            let pair = [black.next(), white.next()];
            if pair.iter().all(Option::is_none) {
                return Ok(list);
            }
            for leaf in pair.into_iter().flatten() {
                let position = Position::from_sfen(&leaf.sfen);
                let goes_on = position.is_ok_and(|position| !has_ended(&position));
                if goes_on && known.insert(leaf.sfen.clone()) {
                    list.push(leaf.sfen);
                }
            }
        }
    }

    /// Writes the peta-shock book; `None` when there is no book yet, or nothing in it.
    fn shock(&self) -> Result<Option<PetaShockReport>> {
        let Mine { think, peta, .. } = self.options;
        if !has_book(&think.book) {
            return Ok(None);
        }
        let options = PetaShockOptions {
            line_end: think.line_end,
            ..PetaShockOptions::default()
        };
        match peta_shock(&think.book, peta, options, self.job) {
            Ok(report) => Ok(Some(report)),
            Err(BookError::NothingToWrite { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Searches the positions of the round; why the run ends, if it does.
    fn search(&mut self) -> Result<Option<StopReason>> {
        let path = self.state.list_path();
        let mut file = AtomicFile::create(&path)?;
        for sfen in &self.state.list {
            file.put(sfen.as_bytes())?;
            file.put(LineEnd::Lf.bytes())?;
        }
        file.commit()?;
        let think = Think {
            inputs: vec![RecordInput::new(&path)],
            wanted: Wanted {
                first: 1,
                last: 1,
                ..Wanted::default()
            },
            ..self.options.think.clone()
        };
        let task = Task::prepare(think, self.job)?;
        let to_do = task.counts().to_do;
        let (control, end) = (
            RunControl::default(),
            self.time_left().map(|left| Instant::now() + left),
        );
        let observer = |event: &BookRunEvent<'_>| {
            let is_late = end.is_some_and(|end| Instant::now() >= end);
            if is_late || self.control.is_quitting() {
                control.quit();
            }
            (self.observer)(event);
        };
        let summary = task.run(self.pool, &control, &observer)?;
        self.report(MineStep::Grown { summary: &summary });
        self.summary.add(&summary, BookTotals::add);
        let left = to_do - summary.finished;
        if !summary.is_complete {
            self.state.searched_of_list = self.state.list.len() as u64 - left;
            self.save_state()?;
            let is_late = self.time_left().is_some_and(|left| left.is_zero());
            let is_time = is_late && !self.control.is_quitting();
            return Ok(Some(if is_time {
                StopReason::Time
            } else {
                StopReason::Interrupted
            }));
        }
        // Positions of this list that an earlier process searched count too.
        self.state.searched_before += self.state.list.len() as u64 - summary.given_up;
        self.state.list.clear();
        self.state.searched_of_list = 0;
        self.save_state()?;
        let fails = summary.given_up > 0 && summary.given_up == to_do;
        Ok(fails.then_some(StopReason::Failing))
    }

    /// Writes the checkpoint.
    fn save_state(&mut self) -> Result<()> {
        self.state.add_time(self.begun.elapsed());
        self.begun = Instant::now();
        self.state.write()
    }

    /// Writes the final book and removes the checkpoint.
    fn finish(&mut self) -> Result<()> {
        if let Some(peta) = self.shock()? {
            self.report(MineStep::Finished { peta: &peta });
        }
        self.state.remove()
    }
}

/// The checkpoint of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct MineCheckpoint {
    /// The round, from 1; 0 before the first.
    round: u64,
    /// Positions searched in the rounds before.
    #[serde(rename = "thought")]
    searched_before: u64,
    /// Seconds taken so far.
    seconds: f64,
    /// SFENs of this round; empty between rounds.
    list: Vec<String>,
    /// Number of positions of the list that were searched before an interruption.
    #[serde(default, rename = "thought_of_list")]
    searched_of_list: u64,
    #[serde(skip)]
    path: PathBuf,
    #[serde(skip)]
    identity: Option<RunIdentity>,
}

impl MineCheckpoint {
    /// Reads the state of the run `identity`; that of a new run when there is none.
    fn read(path: PathBuf, identity: RunIdentity, job: &Job) -> Result<Self> {
        let opened = checkpoint::open(&path, &identity)?;
        let state = checkpoint::parse(opened, job)?.unwrap_or_default();
        Ok(Self {
            path,
            identity: Some(identity),
            ..state
        })
    }

    /// The time taken so far.
    fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }

    /// Positions searched by now.
    const fn searched(&self) -> u64 {
        self.searched_before + self.searched_of_list
    }

    /// Adds time.
    fn add_time(&mut self, time: Duration) {
        self.seconds += time.as_secs_f64();
    }

    fn write(&self) -> Result<()> {
        match &self.identity {
            Some(identity) => checkpoint::write(&self.path, identity, self),
            None => Ok(()),
        }
    }

    /// The record file of the list of the round.
    fn list_path(&self) -> PathBuf {
        self.path.with_extension("sfen")
    }

    /// Removes the checkpoint, as the run is over.
    fn remove(&self) -> Result<()> {
        // The list first: a run without the list can be resumed.
        checkpoint::remove(&self.list_path())?;
        Ok(Snapshot::remove(&self.path)?)
    }
}
