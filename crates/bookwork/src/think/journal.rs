//! The journal of a book, which keeps positions until a checkpoint, when they go into the book.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use farm::queue::RemoteItem as _;
use shogi_farm::with_contents;
use yane_book::BookMove;
use yane_book::db::{HEADER, LineEnd, push_move_line};
use yane_book::merge::{MergeInput, MergeOptions, merge};
use yane_io::{AtomicFile, Job, Journal, Overwrite, RunIdentity, folder_of};

use super::Think;
use crate::Result;
use crate::search::PositionItem;
use crate::task::{PositionStore, RunEnd, Stored};
use crate::think::has_book;

/// The kind of the run in the header of the journal; contents of engines follow.
const DESCRIPTION: &str = "makebook think";

/// The journal of a book.
pub(super) struct BookJournal {
    book: PathBuf,
    save_interval: Duration,
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
    pub(super) fn open(options: &Think, job: &Job) -> Result<(Self, u64)> {
        let book = &options.book;
        let identity = with_contents(RunIdentity::new(DESCRIPTION), &options.contents);
        let opened = Journal::open(&Journal::path_of(book), &identity, options.flush)?;
        let opened = opened.tell(|note| job.progress.note(note));
        let job = Job {
            threads: job.threads,
            memory: job.memory,
            temp_dir: job.temp_dir.clone(),
            ..Job::default()
        };
        let mut journal = Self {
            journal: Some(opened),
            book: book.clone(),
            save_interval: options.save_interval,
            line_end: options.line_end,
            job,
            comments_left_out: 0,
        };
        let left = journal.merge()?;
        Ok((journal, left))
    }

    /// Merges the journal into the book and starts a new one; the number of new positions.
    fn merge(&mut self) -> Result<u64> {
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

    /// Merges the journal into the book and removes it, so that other runs can have the book.
    pub(super) fn remove(mut self) -> Result<()> {
        self.merge()?;
        if let Some(journal) = self.journal.take() {
            journal.remove()?;
        }
        Ok(())
    }
}

impl PositionStore for BookJournal {
    fn book(&self) -> &Path {
        &self.book
    }

    fn put(&mut self, item: &PositionItem, moves: &[BookMove]) -> Result<()> {
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

    fn save_interval(&self) -> Option<Duration> {
        Some(self.save_interval)
    }

    fn save(&mut self) -> Result<u64> {
        self.merge()
    }

    fn finish(mut self, _: RunEnd) -> Result<Stored> {
        let saved = self.merge()?;
        let comments_left_out = self.comments_left_out;
        self.remove()?;
        Ok(Stored {
            saved: Some(saved),
            comments_left_out,
        })
    }
}

/// The file for new entries of the book, beside it: `.book.db.news`.
fn new_entries_of(book: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(book.file_name().unwrap_or_default());
    name.push(".news");
    folder_of(book).join(name)
}

#[cfg(test)]
mod tests {
    use shogi_farm::EngineContents;
    use test_support::TestFolder;
    use yane_io::{Checksum, NamedContents};

    use super::*;

    #[test]
    fn a_journal_belongs_to_the_contents_of_the_engines() {
        let folder = TestFolder::new();
        let open = |network: &[u8]| {
            let mut options = Think::new(Vec::new(), folder.path("book.db"));
            options.contents.push(EngineContents {
                engine: "e".to_owned(),
                part: "EvalDir".to_owned(),
                contents: NamedContents::Checksum(Checksum::of_bytes(network)),
            });
            BookJournal::open(&options, &Job::default()).map(|_| ())
        };
        open(b"network").unwrap();
        open(b"network").unwrap();
        let error = open(b"other").unwrap_err().to_string();
        assert!(error.contains("e EvalDir differs"), "{error}");
    }
}
