//! The journal of a book, which keeps positions until they are in the book, and the recorder, which writes it and the book at
//! checkpoints.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use farm::queue::RemoteItem as _;
use farm::{Recorder, RunLog};
use yane_book::BookMove;
use yane_book::db::{HEADER, LineEnd, push_move_line};
use yane_book::merge::{MergeInput, MergeOptions, merge};
use yane_io::{AtomicFile, Flush, Job, Journal, Overwrite, RunIdentity, folder_of};

use super::Think;
use crate::checkpoint::journal_of;
use crate::report::{
    BookObserver, BookReport, BookRun, BookRunEvent, BookSummary, BookTotals, ThinkCounts,
};
use crate::search::{PositionItem, Searched, log_given_up, log_searched};
use crate::think::has_book;
use crate::{BookworkError, Result};

/// The description in the header of the journal.
const DESCRIPTION: &str = "makebook think";

/// The journal of a book.
pub(super) struct BookJournal {
    book: PathBuf,
    line_end: LineEnd,
    /// The job of merging: not cancelled with the run, as the book is written at its end.
    job: Job,
    /// Comments about moves that were replaced.
    comments_left_out: u64,
    /// `None` only while it is written anew.
    journal: Option<Journal>,
}

impl BookJournal {
    /// Opens the journal of `book`. What an earlier run left there goes into the book first: the number of these
    /// positions.
    pub(super) fn open(
        book: &Path,
        flush: Flush,
        line_end: LineEnd,
        job: &Job,
    ) -> Result<(Self, u64)> {
        let opened = Journal::open(&journal_of(book), &RunIdentity::new(DESCRIPTION), flush)?;
        let opened = opened.tell(|note| job.progress.note(note));
        let job = Job {
            threads: job.threads,
            memory: job.memory,
            temp_dir: job.temp_dir.clone(),
            ..Job::default()
        };
        let mut journal = Self {
            journal: Some(opened),
            book: book.to_owned(),
            line_end,
            job,
            comments_left_out: 0,
        };
        let left = journal.save()?;
        Ok((journal, left))
    }

    /// Makes a position safe.
    pub(super) fn put(&mut self, item: &PositionItem, moves: &[BookMove]) -> Result<()> {
        let mut text = format!("sfen {}\n", item.position().to_sfen()).into_bytes();
        for known in moves {
            push_move_line(&mut text, known);
            text.push(b'\n');
        }
        if let Some(journal) = &mut self.journal {
            journal.put(item.number(), &text)?;
        }
        Ok(())
    }

    /// Merges the journal into the book and starts a new one; the number of new positions.
    pub(super) fn save(&mut self) -> Result<u64> {
        let Some(journal) = self.journal.as_mut().filter(|journal| !journal.is_empty()) else {
            return Ok(0);
        };
        let new = new_entries_of(&self.book);
        let mut file = AtomicFile::create(&new)?;
        file.put(HEADER.as_bytes())?;
        file.put(b"\n")?;
        let numbers: Vec<u64> = journal.numbers().collect();
        for &number in &numbers {
            file.put(&journal.get(number)?.unwrap_or_default())?;
        }
        file.commit()?;
        let mut inputs = vec![MergeInput::new(&new)];
        if has_book(&self.book) {
            inputs.push(MergeInput::new(&self.book));
        }
        let options = MergeOptions {
            line_end: self.line_end,
            overwrite: Overwrite::Allow,
            ..MergeOptions::default()
        };
        let merged = merge(&inputs, &self.book, options, &self.job)?;
        self.comments_left_out += merged.comments.left_out;
        std::fs::remove_file(&new).map_err(yane_io::Error::io(&new))?;
        // All of it is in the book.
        if let Some(journal) = self.journal.take() {
            self.journal = Some(journal.cleared()?);
        }
        Ok(numbers.len() as u64)
    }

    /// Comments about moves that were replaced, so far.
    const fn comments_left_out(&self) -> u64 {
        self.comments_left_out
    }

    /// Merges the journal into the book and removes it; the number of new positions.
    pub(super) fn finish(mut self) -> Result<u64> {
        let saved = self.save()?;
        if let Some(journal) = self.journal.take() {
            journal.remove()?;
        }
        Ok(saved)
    }
}

/// The file for new entries of the book, beside it: `.book.db.news`.
fn new_entries_of(book: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(book.file_name().unwrap_or_default());
    name.push(".news");
    folder_of(book).join(name)
}

// The recorder of searched positions: the journal of the book, and the book itself at checkpoints.

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
        self.log.summary.totals.comments_left_out = self.journal.comments_left_out();
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
