//! Where the results of an analysis go: into the journal, and into the book at the end.

use std::path::Path;

use farm::queue::RemoteItem as _;
use yane_book::BookMove;
use yane_book::db::{MoveLine, push_move_line};
use yane_book::rewrite::{RewriteOptions, rewrite};
use yane_io::{Job, Journal};

use super::BookAnalysis;
use crate::search::{PositionItem, position_number};
use crate::task::{PositionStore, RunEnd, Stored};
use crate::think::BookLock;
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

/// The journal of an analysis and the book that it is for.
pub(super) struct AnalyzedBook {
    pub(super) options: BookAnalysis,
    pub(super) journal: AnalyzeJournal,
    /// Keeps other runs away from the output.
    pub(super) lock: BookLock,
    /// For the work at the end: not cancelled with the run.
    pub(super) job: Job,
}

impl AnalyzedBook {
    /// Writes the book with what was searched.
    fn write(&mut self) -> Result<()> {
        let options = RewriteOptions {
            line_end: self.options.think.line_end,
            overwrite: self.options.overwrite,
            bad_lines: self.options.bad_lines,
        };
        let (source, output) = (&self.options.source, &self.options.think.book);
        let journal = &mut self.journal;
        rewrite(source, output, options, &self.job, |position, moves| {
            if let Some(searched) = journal.moves(position_number(position))? {
                self.options.join(moves, &searched);
            }
            Ok::<_, BookworkError>(())
        })?;
        Ok(())
    }

    /// Writes the book when nothing is left to search; the journal stays for positions that were given up.
    fn end(mut self, end: RunEnd) -> Result<(BookLock, Stored)> {
        let mut stored = Stored::default();
        let written = self.journal.0.flush().map_err(Into::into);
        let written = written.and_then(|()| {
            if end.completion.is_complete() {
                self.write()?;
                stored.saved = Some(end.searched);
            }
            Ok(())
        });
        if let Err(error) = written {
            self.lock.release()?;
            return Err(error);
        }
        if end.completion.is_complete() && end.given_up == 0 {
            self.journal.0.remove()?;
        }
        Ok((self.lock, stored))
    }
}

impl PositionStore for AnalyzedBook {
    fn book(&self) -> &Path {
        &self.options.think.book
    }

    fn put(&mut self, item: &PositionItem, moves: &[BookMove]) -> Result<()> {
        self.journal.put(item, moves)
    }

    fn save(&mut self) -> Result<u64> {
        // There is no book before all is searched: it would be half of one thing and half of another.
        Ok(0)
    }

    fn finish(self, end: RunEnd) -> Result<Stored> {
        let (lock, stored) = self.end(end)?;
        lock.release()?;
        Ok(stored)
    }
}
