//! The recorder of a run: the journal, and the book at checkpoints.

use farm::{Recorder, RunControl, RunLog, SharedBacklog};
use yane_io::Journal;

use super::choice::Choice;
use super::journal::encode;
use super::{SteraOptions, SteraStep, SteraSummary, books};
use crate::checkpoint::beside;
use crate::report::{BookObserver, BookReport, BookRun, BookRunEvent};
use crate::search::{PositionItem, Searched, log_given_up, log_searched};
use crate::{BookworkError, Result};

/// Keeps the journal and the book of a run.
pub(super) struct SteraRecorder<'a> {
    options: &'a SteraOptions,
    choice: &'a SharedBacklog<Choice>,
    journal: Journal,
    log: RunLog<'a, BookRun>,
    /// Positions of the book.
    positions: u64,
    /// Positions that are finished, those of interrupted runs included.
    finished: u64,
    since_save: u64,
    numbered_saves: u32,
}

impl<'a> SteraRecorder<'a> {
    /// The recorder of a run that starts now.
    pub(super) fn new(
        options: &'a SteraOptions,
        choice: &'a SharedBacklog<Choice>,
        journal: Journal,
        observer: &'a BookObserver<'a>,
    ) -> Self {
        let known = choice.lock();
        Self {
            positions: known.store.graph.len() as u64,
            finished: known.turn,
            options,
            choice,
            journal,
            log: RunLog::new(observer),
            since_save: 0,
            numbered_saves: 0,
        }
    }

    /// Makes a finished position safe; `moves` are none when it was given up.
    fn put(&mut self, item: &PositionItem, moves: Option<&[yane_book::BookMove]>) -> Result<()> {
        if let Some(bytes) = encode(item, moves) {
            self.journal.put(self.finished, &bytes)?;
        }
        self.finished += 1;
        let mut choice = self.choice.lock();
        choice.unsaved.remove(&item.key());
        let graph = &choice.store.graph;
        self.positions = (graph.len() - choice.unsaved.len()) as u64;
        let root = graph.find(choice.roots[0].0);
        let root_value = root.map(|root| graph.value(root));
        drop(choice);
        self.log.report(BookReport::Stera(SteraStep::Grown {
            root_value,
            positions: self.positions,
            finished: self.finished,
        }));
        self.since_save += 1;
        if self.since_save >= self.options.save_interval.max(1) {
            self.save()?;
        }
        Ok(())
    }

    /// Writes a checkpoint: the book.
    fn save(&mut self) -> Result<()> {
        let new = std::mem::take(&mut self.since_save);
        let path = &self.options.write_book;
        // A crash of the machine must not leave a book that is ahead of it.
        self.journal.flush()?;
        self.positions = books::write(self.choice, path, self.options.line_end)?;
        if self.options.numbered_saves {
            let numbered = loop {
                self.numbered_saves += 1;
                let path = beside(path, &format!("{:06}", self.numbered_saves));
                if !path.exists() {
                    break path;
                }
            };
            books::write(self.choice, &numbered, self.options.line_end)?;
        }
        let saves = self.log.summary.saves + 1;
        self.log.saved(path, new);
        self.log.summary.saves = saves;
        Ok(())
    }

    /// Writes the book for the last time. The journal is not needed any more when the run is complete.
    pub(super) fn finish(
        mut self,
        result: Result<()>,
        control: &RunControl,
    ) -> Result<SteraSummary> {
        // A run that found nothing leaves no book.
        if self.positions > 0 {
            self.save()?;
        } else {
            // It has the positions that were given up.
            self.journal.flush()?;
        }
        if let Err(error) = result {
            if self.journal.is_empty() {
                self.journal.remove()?;
            }
            return Err(error);
        }
        let is_complete = !control.is_quitting();
        if is_complete {
            self.journal.remove()?;
        }
        Ok(SteraSummary {
            positions: self.positions,
            finished: self.finished,
            summary: self.log.finish(is_complete),
        })
    }
}

impl Recorder for SteraRecorder<'_> {
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
        // Workers of this process have put it into the graph already.
        if worker.is_none() {
            let learned = self.choice.lock().learn(item, Some(&searched.moves));
            if learned.is_err() {
                // It lacks a legal move, which is worth as little as none.
                return self.give_up(item);
            }
        }
        log_searched(&mut self.log, worker, item.position(), &searched);
        self.put(item, Some(&searched.moves))
    }

    fn give_up(&mut self, item: &PositionItem) -> Result<()> {
        self.choice.lock().learn(item, None).ok();
        log_given_up(&mut self.log, item.position());
        self.put(item, None)
    }

    fn on_event(&mut self, event: &BookRunEvent<'_>) {
        self.log.on_event(event);
    }
}
