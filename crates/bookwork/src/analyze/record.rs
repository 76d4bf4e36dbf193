//! The recorder of an analysis: results into the journal, and the book at the end.

use farm::queue::RemoteItem as _;
use farm::{Recorder, RunLog};
use yane_book::BookMove;
use yane_book::db::{MoveLine, push_move_line};
use yane_book::rewrite::{RewriteOptions, rewrite};
use yane_io::{Job, Journal};

use super::BookAnalysis;
use crate::report::{
    BookObserver, BookReport, BookRun, BookRunEvent, BookSummary, BookTotals, ThinkCounts,
};
use crate::search::{PositionItem, Searched, log_given_up, log_searched, position_number};
use crate::{BookworkError, Result};

/// What was searched about positions, by their numbers.
pub(super) struct AnalyzeJournal(pub(super) Journal);

impl AnalyzeJournal {
    fn put(&mut self, item: &PositionItem, moves: &[BookMove]) -> Result<()> {
        let mut text = Vec::new();
        for known in moves {
            push_move_line(&mut text, known);
            text.push(b'\n');
        }
        Ok(self.0.put(item.number(), &text)?)
    }

    /// The moves that were searched in a position.
    pub(super) fn moves(&mut self, number: u64) -> Result<Option<Vec<BookMove>>> {
        let Some(text) = self.0.get(number)? else {
            return Ok(None);
        };
        let lines = text
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        // The lines are those of `put`, with a checksum.
        let parse = |line| MoveLine::parse(line).ok().map(|line| line.book_move);
        Ok(Some(lines.filter_map(parse).collect()))
    }
}

/// Puts positions into the journal.
pub(super) struct AnalyzeRecorder<'a> {
    options: &'a BookAnalysis,
    journal: AnalyzeJournal,
    log: RunLog<'a, BookRun>,
}

impl<'a> AnalyzeRecorder<'a> {
    /// Reports that the search starts, with so many `workers` of this process.
    pub(super) fn start(
        options: &'a BookAnalysis,
        counts: ThinkCounts,
        journal: AnalyzeJournal,
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

    /// Ends a run, successful or not. When nothing is left to search the book is written; the journal stays for positions
    /// that were given up.
    pub(super) fn finish(mut self, job: &Job) -> Result<BookSummary> {
        self.journal.0.flush()?;
        let summary = &self.log.summary;
        let given_up = summary.given_up;
        let is_complete = summary.finished + given_up == summary.totals.counts.to_do;
        if is_complete {
            self.write(job)?;
            let count = self.log.summary.finished;
            self.log.saved(&self.options.think.book, count);
            if given_up == 0 {
                self.journal.0.remove()?;
            }
        }
        Ok(self.log.finish(is_complete))
    }

    /// Writes the book with what was searched.
    fn write(&mut self, job: &Job) -> Result<()> {
        let options = RewriteOptions {
            line_end: self.options.think.line_end,
            overwrite: self.options.overwrite,
            bad_lines: self.options.bad_lines,
        };
        let (source, output) = (&self.options.source, &self.options.think.book);
        let journal = &mut self.journal;
        rewrite(source, output, options, job, |position, moves| {
            if let Some(searched) = journal.moves(position_number(position))? {
                self.options.join(moves, &searched);
            }
            Ok::<_, BookworkError>(())
        })?;
        Ok(())
    }
}

impl Recorder for AnalyzeRecorder<'_> {
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
        Ok(())
    }

    fn on_event(&mut self, event: &BookRunEvent<'_>) {
        self.log.on_event(event);
    }
}
