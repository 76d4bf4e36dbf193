//! The recorder of searched positions: the journal of the book, and the book itself at checkpoints.

use farm::{Recorder, RunLog};

use super::Think;
use super::journal::BookJournal;
use crate::report::{
    BookObserver, BookReport, BookRun, BookRunEvent, BookSummary, BookTotals, ThinkCounts,
};
use crate::search::{PositionItem, Searched, log_given_up, log_searched};
use crate::{BookworkError, Result};

/// Puts positions into a journal, and the journal into the book at intervals.
pub(super) struct ThinkRecorder<'a> {
    options: &'a Think,
    journal: BookJournal,
    log: RunLog<'a, BookRun>,
}

impl<'a> ThinkRecorder<'a> {
    /// Reports that the search starts, with so many `workers` of this process.
    pub(super) fn start(
        options: &'a Think,
        counts: ThinkCounts,
        journal: BookJournal,
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
        Self {
            options,
            journal,
            log,
        }
    }

    /// Writes a checkpoint: the book with everything that was searched.
    fn save(&mut self) -> Result<()> {
        let positions = self.journal.save()?;
        self.log.saved(&self.options.book, positions);
        Ok(())
    }

    /// Ends a run, successful or not: the book is up to date then.
    pub(super) fn finish(mut self) -> Result<BookSummary> {
        self.save()?;
        self.journal.finish()?;
        let summary = &self.log.summary;
        let is_complete = summary.finished + summary.given_up == summary.totals.counts.to_do;
        Ok(self.log.finish(is_complete))
    }
}

impl Recorder for ThinkRecorder<'_> {
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
        self.journal.put(item, &searched.moves)?;
        log_searched(&mut self.log, worker, item.position(), &searched);
        Ok(())
    }

    /// Leaves the position for another run.
    fn give_up(&mut self, item: &PositionItem) -> Result<()> {
        log_given_up(&mut self.log, item.position());
        Ok(())
    }

    fn save_if_due(&mut self) -> Result<()> {
        if self.log.is_save_due(self.options.save_interval) {
            self.save()?;
        }
        Ok(())
    }

    fn on_event(&mut self, event: &BookRunEvent<'_>) {
        self.log.on_event(event);
    }
}
