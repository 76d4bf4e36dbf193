//! A run from its start to its end.

use farm::RunControl;
use farm::queue::{Queue, Server};
use shogi_core::Position;
use shogi_core::movegen::Legal;
use shogi_farm::{Engine, EnginePool, WorkerContext};
use yane_book::lacks_values;
use yane_book::memory::{Book, ReadOptions};
use yane_book::positions::positions;
use yane_book::records::Problems;
use yane_io::Job;

use super::journal::BookJournal;
use super::{DepthSource, Think, search};
use crate::Result;
use crate::report::{BookObserver, BookSummary, ThinkCounts};
use crate::search::PositionItem;
use crate::task::PositionTask;
use crate::think::books::{has_ended, read_book};
use crate::think::options::no_positions;

/// Positions that wait to be searched.
pub struct Task {
    options: Think,
    positions: PositionTask<BookJournal>,
    problems: Problems,
    variations_left_out: u64,
    /// The hash of all positions of the records.
    fingerprint: u64,
}

impl Task {
    /// Reads records and book, and finds the positions to search. What an earlier run left in the journal is in
    /// the book then.
    ///
    /// # Errors
    /// When a file cannot be read or written, the records give no position, or another process searches for
    /// this book.
    pub fn prepare(options: Think, job: &Job) -> Result<Self> {
        let all = positions(&options.inputs, options.wanted, job)?;
        if all.list.is_empty() {
            return Err(no_positions(&options, &all).into());
        }
        let fingerprint = super::fingerprint(&all.list);
        let (journal, recovered) = BookJournal::open(&options, job)?;
        let book = match read_book(&options.book, ReadOptions::default(), job) {
            Ok(book) => book,
            Err(error) => {
                journal.remove()?;
                return Err(error);
            }
        };
        let mut counts = ThinkCounts {
            games: all.games,
            found: all.list.len() as u64,
            recovered,
            ..ThinkCounts::default()
        };
        let mut to_do = Vec::new();
        for (number, mut position) in all.list.into_iter().enumerate() {
            if !options.shard.owns(number as u64) {
                continue;
            }
            counts.share += 1;
            if has_ended(&position) {
                counts.ended += 1;
                continue;
            }
            match knowledge(&mut position, &book, &options) {
                Knowledge::TooLittle => to_do.push(PositionItem::new(position)),
                Knowledge::Enough => counts.known += 1,
                Knowledge::WithoutValue => {
                    counts.known += 1;
                    counts.known_without_value += 1;
                }
            }
        }
        Ok(Self {
            options,
            positions: PositionTask::new(to_do, counts, journal),
            problems: all.problems,
            variations_left_out: all.variations_left_out,
            fingerprint,
        })
    }

    /// Returns the number of positions to search, by kind.
    pub const fn counts(&self) -> &ThinkCounts {
        self.positions.counts()
    }

    /// Lines of the records that could not be used.
    pub const fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Variations of the records that were left out.
    pub const fn variations_left_out(&self) -> u64 {
        self.variations_left_out
    }

    /// Searches all positions with the engines of `pool`, until that is done or `control` ends the run; the book
    /// is up to date then.
    ///
    /// # Errors
    /// When files cannot be written, or no engine is left. Positions that were searched are safe.
    pub fn run(
        self,
        pool: &EnginePool,
        control: &RunControl,
        observer: &BookObserver<'_>,
    ) -> Result<BookSummary> {
        let Self {
            options, positions, ..
        } = self;
        let search = |item: &PositionItem, context: &mut WorkerContext<'_>| {
            search::search(item.position(), &options, context)
        };
        positions.run(pool, options.retry_policy(), control, observer, search)
    }

    /// The queue at the server `url` by which machines share these positions: see [`queue`](fn@super::queue).
    pub fn queue(&self, engines: &[Engine], url: &str) -> Queue {
        super::queue_of(&self.options, engines, self.fingerprint, url)
    }

    /// Lets the workers of `queue` ([`work`](super::work)) search all positions, until that is done or `control`
    /// ends the run; the book is up to date then, and the same as after [`Self::run`].
    ///
    /// # Errors
    /// When files cannot be written, or the address of the queue is invalid. Positions that were searched are
    /// safe.
    pub fn serve(
        self,
        queue: &Queue,
        control: &RunControl,
        observer: &BookObserver<'_>,
    ) -> Result<BookSummary> {
        let server = Server::new(queue, control);
        let known = &self.options.contents;
        self.positions.serve(&server, known, observer)
    }

    /// The same for one round of several: workers wait at its end.
    pub(crate) fn serve_round(
        self,
        server: &Server<'_>,
        observer: &BookObserver<'_>,
    ) -> Result<BookSummary> {
        let known = &self.options.contents;
        self.positions.serve_round(server, known, observer)
    }

    /// Ends without a search; the book is up to date.
    ///
    /// # Errors
    /// When the journal cannot be removed.
    pub fn leave(self) -> Result<BookSummary> {
        let (journal, summary) = self.positions.leave();
        journal.remove()?;
        Ok(summary)
    }
}

/// Keeps other runs away from a book.
pub(crate) struct BookLock(BookJournal);

impl BookLock {
    /// Locks the book of `options`. What an earlier run left in its journal is in the book then: the number of these
    /// positions.
    pub(crate) fn new(options: &Think, job: &Job) -> Result<(Self, u64)> {
        let (journal, left) = BookJournal::open(options, job)?;
        Ok((Self(journal), left))
    }

    /// Lets others have the book.
    pub(crate) fn release(self) -> Result<()> {
        self.0.remove()
    }
}

/// Merges the positions that an earlier run left in the journal into the book. Returns their
/// number.
pub(crate) fn recover(options: &Think, job: &Job) -> Result<u64> {
    let (journal, left) = BookJournal::open(options, job)?;
    journal.remove()?;
    Ok(left)
}

/// What a book knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knowledge {
    /// The position is searched.
    TooLittle,
    /// It is not searched.
    Enough,
    /// It is not searched, since its depth is that of records; none of its moves has a value.
    WithoutValue,
}

/// Returns what the book knows about the position. If it knows it less well at a smaller move
/// number, it is searched at that number: a book keeps a position at its smallest move number.
fn knowledge(position: &mut Position, book: &Book, options: &Think) -> Knowledge {
    let entry = book
        .index_of_key(position.key128())
        .and_then(|index| book.entry(index));
    let Some(entry) = entry.filter(|entry| entry.ply <= position.ply()) else {
        return Knowledge::TooLittle;
    };
    let legal = position.moves::<Legal>().len();
    let has_enough = entry.moves.len() >= options.lines.min(legal);
    let depth = entry.moves.first().map(|first| first.depth);
    let asked = options.depth as i32;
    let is_known = match (options.depth_source, depth) {
        (_, None) => false,
        (DepthSource::Reached, Some(_)) => has_enough,
        (DepthSource::Asked, Some(depth)) => depth > asked || (depth == asked && has_enough),
    };
    if !is_known {
        *position = position.clone().with_ply(entry.ply);
        Knowledge::TooLittle
    } else if lacks_values(entry.moves) {
        Knowledge::WithoutValue
    } else {
        Knowledge::Enough
    }
}
