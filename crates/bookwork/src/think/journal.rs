//! The journal of a book: keeps positions until they are in the book.

use std::path::{Path, PathBuf};

use farm::queue::RemoteItem as _;
use yane_book::BookMove;
use yane_book::db::{HEADER, LineEnd, push_move_line};
use yane_book::merge::{MergeInput, MergeOptions, merge};
use yane_io::{AtomicFile, Flush, Job, Journal, Overwrite, folder_of};

use crate::Result;
use crate::checkpoint::journal_of;
use crate::search::PositionItem;
use crate::think::has_book;

/// The description in the header of the journal.
const DESCRIPTION: &str = "makebook think";

/// The journal of a book.
pub(super) struct BookJournal {
    book: PathBuf,
    flush: Flush,
    line_end: LineEnd,
    /// The job of merging: not cancelled with the run, as the book is written at its end.
    job: Job,
    /// `None` only while it is being replaced.
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
        let job = Job {
            threads: job.threads,
            memory: job.memory,
            temp_dir: job.temp_dir.clone(),
            ..Job::default()
        };
        let mut journal = Self {
            journal: Some(Journal::open(&journal_of(book), DESCRIPTION, flush)?),
            book: book.to_owned(),
            flush,
            line_end,
            job,
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
        merge(&inputs, &self.book, options, &self.job)?;
        std::fs::remove_file(&new).map_err(yane_io::Error::io(&new))?;
        // All of it is in the book.
        if let Some(journal) = self.journal.take() {
            journal.remove()?;
        }
        let journal = Journal::open(&journal_of(&self.book), DESCRIPTION, self.flush)?;
        self.journal = Some(journal);
        Ok(numbers.len() as u64)
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
    let name = book.file_name().unwrap_or_default().to_string_lossy();
    folder_of(book).join(format!(".{name}.news"))
}
