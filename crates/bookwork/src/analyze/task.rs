//! An analysis from its start to its end.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use farm::RunControl;
use farm::queue::{Queue, Server};
use shogi_core::movegen::Legal;
use shogi_core::{Move, Move16, Position};
use shogi_farm::{Engine, EnginePool, WorkerContext};
use xxhash_rust::xxh3::Xxh3;
use yane_book::db::SkippedLine;
use yane_book::rewrite::{ListedPosition, list_positions};
use yane_book::{BookError, BookMove};
use yane_io::{Job, Journal, RunIdentity, beside};

use super::record::{AnalyzeJournal, AnalyzedBook};
use super::{AnalyzeScope, BookAnalysis, OtherMoves, search};
use crate::Result;
use crate::report::{BookObserver, BookSummary, ThinkCounts};
use crate::search::{PositionItem, position_number};
use crate::task::PositionTask;
use crate::think::{BookLock, DepthSource, has_ended};

/// A position of the book with its moves.
#[derive(Clone, Debug)]
struct Pending {
    /// The SFEN with the smallest ply at which the book has the position.
    sfen: String,
    ply: u32,
    moves: Vec<BookMove>,
}

impl Pending {
    fn of(listed: ListedPosition<'_>) -> Self {
        Self {
            sfen: listed.sfen.to_owned(),
            ply: listed.ply,
            moves: listed.moves.to_vec(),
        }
    }

    /// Adds the same position at another ply.
    fn join(&mut self, other: Self) {
        if other.ply < self.ply {
            (self.sfen, self.ply) = (other.sfen, other.ply);
        }
        for known in other.moves {
            if self.moves.iter().all(|mine| mine.mv != known.mv) {
                self.moves.push(known);
            }
        }
    }
}

/// The positions of a book that are asked for, each once, by their numbers in the order of the book.
pub(super) struct ListedBook {
    list: Vec<(u64, Pending)>,
    skipped: Vec<SkippedLine>,
}

impl ListedBook {
    /// Reads the book.
    pub(super) fn read(options: &BookAnalysis, job: &Job) -> Result<Self> {
        let (plies, side) = (options.plies.clone(), options.side);
        let visit = move |part: &mut Vec<(u64, Pending)>, listed: ListedPosition<'_>| {
            let is_wanted = plies
                .as_ref()
                .is_none_or(|plies| plies.contains(&listed.ply))
                && side.is_none_or(|side| side == listed.side);
            if is_wanted && listed.moves.iter().any(|known| known.mv.is_some()) {
                part.push((position_number(listed.position), Pending::of(listed)));
            }
        };
        let mut list: Vec<(u64, Pending)> = Vec::new();
        let mut places = BTreeMap::new();
        let take = |part: Vec<(u64, Pending)>| {
            for (number, pending) in part {
                match places.entry(number) {
                    Entry::Vacant(place) => {
                        place.insert(list.len());
                        list.push((number, pending));
                    }
                    Entry::Occupied(place) => list[*place.get()].1.join(pending),
                }
            }
        };
        let skipped = list_positions(&options.source, options.bad_lines, job, visit, take)?;
        if list.is_empty() {
            let source = options.source.display();
            let reason = format!("no position with a move that is asked for is in {source}");
            return Err(BookError::nothing(&options.think.book, reason).into());
        }
        Ok(Self { list, skipped })
    }

    /// The hash of all positions and their moves.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hash = Xxh3::new();
        for (_, pending) in &self.list {
            hash.update(pending.sfen.as_bytes());
            for known in &pending.moves {
                hash.update(&known.mv.map_or(0, |mv| mv.0).to_le_bytes());
            }
        }
        hash.digest()
    }
}

/// A book whose positions wait to be searched.
pub struct AnalyzeTask {
    task: PositionTask<AnalyzedBook>,
    skipped: Vec<SkippedLine>,
    fingerprint: u64,
}

impl AnalyzeTask {
    /// Reads the book and finds the positions to search. `engines` are those that search.
    ///
    /// # Errors
    /// When a file cannot be read or written, the book has no position that is asked for, the output exists and may not be
    /// replaced, another process works on it, or the journal there belongs to an analysis with other settings.
    pub fn prepare(options: BookAnalysis, engines: &[Engine], job: &Job) -> Result<Self> {
        let output = &options.think.book;
        options.overwrite.check(output, &[&options.source])?;
        let (lock, _) = BookLock::new(&options.think, job)?;
        // The one who had the lock before may have made it.
        if let Err(error) = options.overwrite.check(output, &[&options.source]) {
            lock.release()?;
            return Err(error.into());
        }
        let identity = options.identity(engines);
        match Selection::read(options, &identity, job) {
            Ok(selection) => Ok(selection.task(lock, job)),
            Err(error) => {
                lock.release()?;
                Err(error)
            }
        }
    }

    /// Returns the number of positions to search, by kind.
    pub const fn counts(&self) -> &ThinkCounts {
        self.task.counts()
    }

    /// Lines of the book that were left out.
    pub fn skipped(&self) -> &[SkippedLine] {
        &self.skipped
    }

    /// Searches all positions with the engines of `pool`, until that is done or `control` ends the run; the book is written
    /// when nothing is left.
    ///
    /// # Errors
    /// When files cannot be written, or no engine is left. Positions that were searched are safe.
    pub fn run(
        self,
        pool: &EnginePool,
        control: &RunControl,
        observer: &BookObserver<'_>,
    ) -> Result<BookSummary> {
        let options = self.task.store().options.clone();
        let search = |item: &PositionItem, context: &mut WorkerContext<'_>| {
            search::search(item, &options, context)
        };
        let policy = options.think.retry_policy();
        self.task.run(pool, policy, control, observer, search)
    }

    /// The queue at the server `url` by which machines share these positions: see [`queue`](fn@super::queue).
    pub fn queue(&self, engines: &[Engine], url: &str) -> Queue {
        super::queue_of(&self.task.store().options, engines, self.fingerprint, url)
    }

    /// Lets the workers of `queue` ([`work`](super::work)) search all positions, until that is done or `control` ends the run;
    /// the book is written as after [`Self::run`].
    ///
    /// # Errors
    /// When files cannot be written, or the address of the queue is invalid. Positions that were searched are safe.
    pub fn serve(
        self,
        queue: &Queue,
        control: &RunControl,
        observer: &BookObserver<'_>,
    ) -> Result<BookSummary> {
        let known = self.task.store().options.think.contents.clone();
        let server = Server::new(queue, control);
        self.task.serve(&server, &known, observer)
    }

    /// Ends without a search. Values of an interrupted run go into the book; an output of its own is written in any case.
    ///
    /// # Errors
    /// When files cannot be written.
    pub fn leave(self, observer: &BookObserver<'_>) -> Result<BookSummary> {
        let AnalyzedBook {
            options, journal, ..
        } = self.task.store();
        let is_new = options.think.book != options.source;
        if self.task.counts().to_do == 0 && (is_new || !journal.0.is_empty()) {
            return self.task.finish(observer);
        }
        let (store, summary) = self.task.leave();
        if store.journal.0.is_empty() {
            store.journal.0.remove()?;
        }
        store.lock.release()?;
        Ok(summary)
    }
}

/// The positions that are to be searched, among those of a book.
struct Selection {
    options: BookAnalysis,
    to_do: Vec<PositionItem>,
    counts: ThinkCounts,
    skipped: Vec<SkippedLine>,
    journal: AnalyzeJournal,
    fingerprint: u64,
}

impl Selection {
    fn read(options: BookAnalysis, identity: &RunIdentity, job: &Job) -> Result<Self> {
        let positions = ListedBook::read(&options, job)?;
        let path = beside(&options.think.book, ".analyze.journal");
        let journal = Journal::open(&path, identity, options.think.flush)?
            .tell(|note| job.progress.note(note));
        let mut selection = Self {
            fingerprint: positions.fingerprint(),
            counts: ThinkCounts {
                found: positions.list.len() as u64,
                share: positions.list.len() as u64,
                ..ThinkCounts::default()
            },
            to_do: Vec::new(),
            skipped: positions.skipped,
            journal: AnalyzeJournal(journal),
            options,
        };
        for (number, pending) in positions.list {
            selection.add(number, &pending)?;
        }
        Ok(selection)
    }

    fn task(self, lock: BookLock, job: &Job) -> AnalyzeTask {
        let job = Job {
            threads: job.threads,
            memory: job.memory,
            temp_dir: job.temp_dir.clone(),
            ..Job::default()
        };
        let store = AnalyzedBook {
            options: self.options,
            journal: self.journal,
            lock,
            job,
        };
        AnalyzeTask {
            task: PositionTask::new(self.to_do, self.counts, store),
            skipped: self.skipped,
            fingerprint: self.fingerprint,
        }
    }

    /// Adds a position to those to be searched, unless that is not needed.
    fn add(&mut self, number: u64, pending: &Pending) -> Result<()> {
        let Ok(position) = Position::from_sfen(&pending.sfen) else {
            // Not reached: the book's reader has checked it.
            return Ok(());
        };
        let legal = position.moves::<Legal>();
        let moves: Vec<Move> = pending
            .moves
            .iter()
            .filter_map(|known| position.move_from_16(known.mv?))
            .filter(|&m| position.is_legal(m))
            .collect();
        if has_ended(&position) || moves.is_empty() {
            self.counts.ended += 1;
        } else if self.is_searched(number, &moves)? {
            self.counts.recovered += 1;
        } else if self.is_known(&pending.moves, legal.len()) {
            self.counts.known += 1;
        } else {
            self.to_do.push(PositionItem::with_moves(position, moves));
        }
        Ok(())
    }

    /// Returns whether an interrupted run has searched all the moves.
    fn is_searched(&mut self, number: u64, moves: &[Move]) -> Result<bool> {
        let Some(searched) = self.journal.moves(number)? else {
            return Ok(false);
        };
        let has = |m: &Move| {
            let code = Move16::encode(shogi_core::MoveText::from(*m));
            searched.iter().any(|found| found.mv == Some(code))
        };
        Ok(moves.iter().all(has))
    }

    /// Returns whether all moves have values by a search that is deep enough, and there are enough of them.
    fn is_known(&self, moves: &[BookMove], legal: usize) -> bool {
        let think = &self.options.think;
        let is_deep_enough = |known: &BookMove| match think.depth_source {
            DepthSource::Asked => known.depth >= think.depth as i32,
            DepthSource::Reached => true,
        };
        let has_enough = match self.options.others {
            OtherMoves::Add => moves.len() >= think.lines.min(legal),
            OtherMoves::Ignore => true,
        };
        self.options.scope == AnalyzeScope::Unknown
            && has_enough
            && moves
                .iter()
                .filter(|known| known.mv.is_some())
                .all(|known| known.has_value() && is_deep_enough(known))
    }
}
