//! A list of positions that is searched, whatever becomes of the results: by engines of this process, or by others over a queue.
//! [`crate::think`] and [`crate::analyze`] differ in which positions these are and in where results go.

use std::path::Path;
use std::time::Duration;

use farm::queue::{RefusedResult, Server};
use farm::{
    InOrder, Recorder, RetryPolicy, RunCompletion, RunControl, RunLog, SharedBacklog, WorkError,
};
use shogi_farm::{EngineContents, EnginePool, EngineWorkers, SharedContents, WorkerContext};
use yane_book::BookMove;

use crate::report::{
    BookObserver, BookReport, BookRun, BookRunEvent, BookSummary, BookTotals, ThinkCounts,
};
use crate::search::{PositionItem, SearchWork, Searched, log_given_up, log_searched};
use crate::think::search::{NO_ENTRY, decode};
use crate::{BookworkError, Result};

/// Where the results of positions go.
pub(crate) trait PositionStore {
    /// The book that they are for.
    fn book(&self) -> &Path;

    /// Makes the moves that were found in a position safe.
    fn put(&mut self, item: &PositionItem, moves: &[BookMove]) -> Result<()>;

    /// The interval at which the book is written during the search; none if it is written at the end alone.
    fn save_interval(&self) -> Option<Duration> {
        None
    }

    /// Writes the book with everything that was searched; the number of positions that are new in it.
    fn save(&mut self) -> Result<u64>;

    /// Ends a run, successful or not: the last checkpoint, if there has to be one. Lets other runs have the book.
    fn finish(self, end: RunEnd) -> Result<Stored>;
}

/// The end of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunEnd {
    /// Positions that were searched.
    pub(crate) searched: u64,
    /// Positions that were given up.
    pub(crate) given_up: u64,
    /// Complete when no position is left.
    pub(crate) completion: RunCompletion,
}

/// What a store did at the end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stored {
    /// If the book was written, the number of positions that are new in it.
    pub(crate) saved: Option<u64>,
    /// Comments of the book about moves that were replaced, which are left out.
    pub(crate) comments_left_out: u64,
}

/// The positions of a task, as work items.
type ToDo = SharedBacklog<InOrder<std::vec::IntoIter<PositionItem>>>;

/// Positions that wait to be searched.
pub(crate) struct PositionTask<S> {
    to_do: Vec<PositionItem>,
    counts: ThinkCounts,
    store: S,
}

impl<S: PositionStore> PositionTask<S> {
    /// The positions `to_do`, which are what is left of `counts`.
    pub(crate) fn new(to_do: Vec<PositionItem>, counts: ThinkCounts, store: S) -> Self {
        let counts = ThinkCounts {
            to_do: to_do.len() as u64,
            ..counts
        };
        Self {
            to_do,
            counts,
            store,
        }
    }

    /// The number of positions by kind.
    pub(crate) const fn counts(&self) -> &ThinkCounts {
        &self.counts
    }

    /// Where results go.
    pub(crate) const fn store(&self) -> &S {
        &self.store
    }

    /// Takes the store out: the task ends without a search. The numbers of that.
    pub(crate) fn leave(self) -> (S, BookSummary) {
        let summary = BookSummary {
            totals: BookTotals {
                counts: self.counts,
                ..BookTotals::default()
            },
            is_complete: self.counts.to_do == 0,
            ..BookSummary::default()
        };
        (self.store, summary)
    }

    /// Has all positions searched with `search` by the engines of `pool`, until that is done or `control` ends the run.
    pub(crate) fn run<F>(
        self,
        pool: &EnginePool,
        policy: RetryPolicy,
        control: &RunControl,
        observer: &BookObserver<'_>,
        search: F,
    ) -> Result<BookSummary>
    where
        F: Fn(&PositionItem, &mut WorkerContext<'_>) -> std::result::Result<Searched, WorkError>
            + Sync,
    {
        self.record(pool.workers(), observer, |to_do, recorder| {
            let work = SearchWork(search);
            let workers = EngineWorkers::new(pool, &work);
            farm::run(&workers, to_do, control, policy, recorder)
        })
    }

    /// Has all positions searched by the workers of a queue, as one round of it. `known` is what the engines read on this machine.
    pub(crate) fn serve_round(
        self,
        server: &Server<'_>,
        known: &[EngineContents],
        observer: &BookObserver<'_>,
    ) -> Result<BookSummary> {
        self.record(0, observer, |to_do, recorder| {
            let shared = SharedContents::new(known);
            let decode = |item: &PositionItem, message: &[u8]| {
                shared.read(message, RefusedResult::new, |bytes| {
                    decode(bytes, item.position()).ok_or_else(|| RefusedResult::new(NO_ENTRY))
                })
            };
            let served = server.round(usize::MAX, to_do, decode, recorder);
            served.map(|_| ())
        })
    }

    /// The same, after which workers are told that there is nothing left.
    pub(crate) fn serve(
        self,
        server: &Server<'_>,
        known: &[EngineContents],
        observer: &BookObserver<'_>,
    ) -> Result<BookSummary> {
        let summary = self.serve_round(server, known, observer)?;
        if summary.is_complete {
            server.close(|reason| observer(&BookRunEvent::TransientError { reason }))?;
        }
        Ok(summary)
    }

    /// Writes what earlier runs have left, as if all had been searched.
    pub(crate) fn finish(self, observer: &BookObserver<'_>) -> Result<BookSummary> {
        self.record(0, observer, |_, _| Ok(()))
    }

    /// Records the results of `search` for all positions.
    fn record(
        self,
        workers: usize,
        observer: &BookObserver<'_>,
        search: impl FnOnce(&ToDo, &mut PositionRecorder<'_, S>) -> Result<()>,
    ) -> Result<BookSummary> {
        let mut recorder = PositionRecorder::start(self.store, self.counts, workers, observer);
        let result = if self.to_do.is_empty() {
            Ok(())
        } else {
            let to_do = SharedBacklog::new(InOrder::new(self.to_do.into_iter()));
            search(&to_do, &mut recorder)
        };
        let summary = recorder.finish()?;
        result.map(|()| summary)
    }
}

/// Puts positions into a store, and has it write the book at intervals.
struct PositionRecorder<'a, S> {
    store: S,
    log: RunLog<'a, BookRun>,
}

impl<'a, S: PositionStore> PositionRecorder<'a, S> {
    /// Reports that the search starts, with so many `workers` of this process.
    fn start(
        store: S,
        counts: ThinkCounts,
        workers: usize,
        observer: &'a BookObserver<'a>,
    ) -> Self {
        let mut log = RunLog::new(observer);
        log.summary.totals = BookTotals {
            counts,
            ..BookTotals::default()
        };
        log.report(BookReport::Started {
            workers,
            counts: &counts,
        });
        Self { store, log }
    }

    /// Ends a run, successful or not.
    fn finish(mut self) -> Result<BookSummary> {
        let summary = &self.log.summary;
        let (searched, given_up) = (summary.finished, summary.given_up);
        let completion = RunCompletion::of_counts(searched + given_up, summary.totals.counts.to_do);
        let book = self.store.book().to_owned();
        let stored = self.store.finish(RunEnd {
            searched,
            given_up,
            completion,
        })?;
        if let Some(positions) = stored.saved {
            self.log.saved(&book, positions);
        }
        self.log.summary.totals.comments_left_out = stored.comments_left_out;
        Ok(self.log.finish(completion))
    }
}

impl<S: PositionStore> Recorder for PositionRecorder<'_, S> {
    type Kind = BookRun;
    type Item = PositionItem;
    type Output = Searched;
    type Error = BookworkError;

    fn record(
        &mut self,
        worker: Option<usize>,
        item: &PositionItem,
        searched: Searched,
    ) -> Result<()> {
        self.store.put(item, &searched.moves)?;
        log_searched(&mut self.log, worker, item.position(), &searched);
        Ok(())
    }

    /// Leaves the position for another run.
    fn give_up(&mut self, item: &PositionItem) -> Result<()> {
        log_given_up(&mut self.log, item.position());
        Ok(())
    }

    fn save_if_due(&mut self) -> Result<()> {
        let interval = self.store.save_interval();
        if interval.is_some_and(|interval| self.log.is_save_due(interval)) {
            let positions = self.store.save()?;
            self.log.saved(self.store.book(), positions);
        }
        Ok(())
    }

    fn on_event(&mut self, event: &BookRunEvent<'_>) {
        self.log.on_event(event);
    }
}
