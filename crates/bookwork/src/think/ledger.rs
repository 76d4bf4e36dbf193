//! Where positions are kept until they are in the book.

use std::path::{Path, PathBuf};

use shogi_core::Position;
use xxhash_rust::xxh3::xxh3_64;
use yane_book::BookMove;
use yane_book::db::{HEADER, LineEnd, push_move_line};
use yane_book::merge::{MergeInput, MergeOptions, merge};
use yane_io::{AtomicFile, Flush, Job, Journal, Overwrite, folder_of};

use crate::Result;
use crate::saved::journal_of;
use crate::think::has_book;

/// What the journal says it is.
const DESCRIPTION: &str = "makebook think";

/// The journal of a book.
pub(super) struct Ledger {
    book: PathBuf,
    flush: Flush,
    line_end: LineEnd,
    /// For making the book: not cancelled with the run, as it is then that the book is written.
    job: Job,
    /// `None` only while it is being exchanged.
    journal: Option<Journal>,
}

impl Ledger {
    /// Opens the journal of `book`. What an earlier run left there goes into the book first; tells how many
    /// positions that were.
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
        let mut ledger = Self {
            journal: Some(Journal::open(&journal_of(book), DESCRIPTION, flush)?),
            book: book.to_owned(),
            flush,
            line_end,
            job,
        };
        let left = ledger.save()?;
        Ok((ledger, left))
    }

    /// Makes a position safe.
    pub(super) fn put(&mut self, position: &Position, moves: &[BookMove]) -> Result<()> {
        let sfen = position.to_sfen();
        let mut text = format!("sfen {sfen}\n").into_bytes();
        for known in moves {
            push_move_line(&mut text, known);
            text.push(b'\n');
        }
        if let Some(journal) = &mut self.journal {
            journal.put(number_of(&sfen), &text)?;
        }
        Ok(())
    }

    /// Brings the book up to date and forgets what is in it; tells how many positions are new.
    pub(super) fn save(&mut self) -> Result<u64> {
        let Some(journal) = self.journal.as_mut().filter(|journal| !journal.is_empty()) else {
            return Ok(0);
        };
        let news = news_of(&self.book);
        let mut file = AtomicFile::create(&news)?;
        file.put(HEADER.as_bytes())?;
        file.put(b"\n")?;
        let numbers: Vec<u64> = journal.numbers().collect();
        for &number in &numbers {
            file.put(&journal.get(number)?.unwrap_or_default())?;
        }
        file.commit()?;
        let mut inputs = vec![MergeInput::new(&news)];
        if has_book(&self.book) {
            inputs.push(MergeInput::new(&self.book));
        }
        let options = MergeOptions {
            line_end: self.line_end,
            overwrite: Overwrite::Allow,
            ..MergeOptions::default()
        };
        merge(&inputs, &self.book, options, &self.job)?;
        std::fs::remove_file(&news).map_err(yane_io::Error::io(&news))?;
        // All of it is in the book: a new journal begins.
        if let Some(journal) = self.journal.take() {
            journal.remove()?;
        }
        let journal = Journal::open(&journal_of(&self.book), DESCRIPTION, self.flush)?;
        self.journal = Some(journal);
        Ok(numbers.len() as u64)
    }

    /// Brings the book up to date and removes the journal; tells how many positions are new.
    pub(super) fn finish(mut self) -> Result<u64> {
        let saved = self.save()?;
        if let Some(journal) = self.journal.take() {
            journal.remove()?;
        }
        Ok(saved)
    }
}

/// The number of a position in the journal.
pub(super) fn number_of(sfen: &str) -> u64 {
    xxh3_64(sfen.as_bytes())
}

/// A file for what is new in the book, beside it: `.book.db.news`
fn news_of(book: &Path) -> PathBuf {
    let name = book.file_name().unwrap_or_default().to_string_lossy();
    folder_of(book).join(format!(".{name}.news"))
}
