//! A run from its beginning to its end.

use std::collections::HashMap;
use std::path::Path;

use farm::{Control, Engine, Players, Units};
use farm_queue::{Next, Served, Serving};
use shogi_core::movegen::Legal;
use shogi_core::{EnteringKingRule, Position};
use yane_book::BookError;
use yane_book::memory::{Book, ReadOptions};
use yane_book::positions::{Positions, positions};
use yane_book::records::Faults;
use yane_io::Job;

use super::events::{Counts, Event, Observer, Summary};
use super::handed::unit;
use super::keeper::Keeper;
use super::ledger::Ledger;
use super::work::Thinking;
use super::{DepthTold, Queue, Think, queue};
use crate::Result;

/// Positions that wait to be thought about.
pub struct Task {
    options: Think,
    to_do: Vec<Position>,
    counts: Counts,
    faults: Faults,
    ledger: Ledger,
    /// Of all positions of the records.
    fingerprint: u64,
}

impl Task {
    /// Reads records and book, and finds what there is to think about. What an earlier run left in the
    /// journal is in the book then.
    ///
    /// # Errors
    /// When a file cannot be read or written, the records give no position, or another process thinks for this
    /// book.
    pub fn prepare(options: Think, job: &Job) -> Result<Self> {
        let all = positions(&options.inputs, options.wanted, job)?;
        if all.list.is_empty() {
            return Err(nothing(&options, &all).into());
        }
        let fingerprint = queue::fingerprint(&all.list);
        let (ledger, recovered) =
            Ledger::open(&options.book, options.flush, options.line_end, job)?;
        let book = match read_book(&options.book, ReadOptions::default(), job) {
            Ok(book) => book,
            Err(error) => {
                ledger.finish()?;
                return Err(error);
            }
        };
        let mut counts = Counts {
            games: all.games,
            found: all.list.len() as u64,
            recovered,
            ..Counts::default()
        };
        let mut to_do = Vec::new();
        for (number, mut position) in all.list.into_iter().enumerate() {
            if !options.shard.owns(number as u64) {
                continue;
            }
            counts.share += 1;
            if has_ended(&position) {
                counts.ended += 1;
            } else if is_known(&mut position, &book, &options) {
                counts.known += 1;
            } else {
                to_do.push(position);
            }
        }
        counts.to_do = to_do.len() as u64;
        Ok(Self {
            options,
            to_do,
            counts,
            faults: all.faults,
            ledger,
            fingerprint,
        })
    }

    /// What there is to do.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Lines of the records that could not be used.
    pub const fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Has `players` think about all of it, until that is done or `control` says so; the book is up to date
    /// then.
    ///
    /// # Errors
    /// When files cannot be written, or no engine is left. Positions that were thought about are safe.
    pub fn run(
        self,
        players: &Players,
        control: &Control,
        observer: &dyn Observer,
    ) -> Result<Summary> {
        let work = Thinking {
            positions: &self.to_do,
            options: &self.options,
        };
        let mut keeper = Keeper::new(
            &self.options,
            &self.to_do,
            self.counts,
            self.ledger,
            observer,
        );
        keeper.begin(players.seats());
        let result = if self.to_do.is_empty() {
            Ok(())
        } else {
            let units = Units::new(0, Some(self.counts.to_do), std::iter::empty());
            let rules = self.options.rules();
            farm::run(players, &work, &units, control, rules, |event| {
                keeper.hear(players, event)
            })
        };
        let summary = keeper.finish()?;
        result.map(|()| summary)
    }

    /// What machines that think for this book have in common, at the server `url`: see [`queue`](fn@super::queue).
    pub fn queue(&self, engines: &[Engine], url: &str) -> Queue {
        queue::of(&self.options, engines, self.fingerprint, url)
    }

    /// Has all of it thought about by those who [`work`](super::work) for `queue`, until that is done or
    /// `control` says so; the book is up to date then, and the same as after [`Self::run`].
    ///
    /// # Errors
    /// When files cannot be written, or the queue has no proper address. Positions that were thought about are
    /// safe.
    pub fn serve(
        self,
        queue: &Queue,
        control: &Control,
        observer: &dyn Observer,
    ) -> Result<Summary> {
        let quits = || control.is_quitting();
        let serving = Serving::new(queue, &quits);
        let summary = self.serve_round(&serving, observer)?;
        if summary.is_complete {
            serving.finish(trouble(observer))?;
        }
        Ok(summary)
    }

    /// The same for one round of several: that this one is done does not end those who work.
    pub(crate) fn serve_round(
        self,
        serving: &Serving<'_>,
        observer: &dyn Observer,
    ) -> Result<Summary> {
        let indices: HashMap<u64, usize> = self
            .to_do
            .iter()
            .enumerate()
            .map(|(index, position)| (unit(position).number, index))
            .collect();
        let mut keeper = Keeper::new(
            &self.options,
            &self.to_do,
            self.counts,
            self.ledger,
            observer,
        );
        keeper.begin(0);
        let mut units = self.to_do.iter().map(unit);
        let next = || units.next().map_or(Next::End, Next::Unit);
        let served = serving.round(usize::MAX, next, |served| match served {
            Served::Result { unit, bytes } => {
                let index = indices[&unit];
                if let Some(thoughts) = queue::unpack(bytes, &self.to_do[index]) {
                    keeper.take(None, index, &thoughts)
                } else {
                    keeper.give_up(index);
                    Ok(())
                }
            }
            Served::Tick => keeper.tick(&[]),
            other => trouble(observer)(other),
        });
        let summary = keeper.finish()?;
        served.map(|_| summary)
    }

    /// Nothing is thought about; the book is up to date.
    ///
    /// # Errors
    /// When the journal cannot be removed.
    pub fn leave(self) -> Result<Summary> {
        self.ledger.finish()?;
        Ok(Summary {
            counts: self.counts,
            is_complete: self.counts.to_do == 0,
            ..Summary::default()
        })
    }
}

/// Tells `observer` of what does not work just now, and of nothing else.
pub(crate) fn trouble(observer: &dyn Observer) -> impl Fn(Served<'_>) -> Result<()> {
    move |served| {
        if let Served::Trouble(reason) = served {
            observer.event(&Event::Trouble { reason });
        }
        Ok(())
    }
}

/// Takes what an earlier run left in the journal over into the book; tells how many positions that were.
pub(crate) fn recover(options: &Think, job: &Job) -> Result<u64> {
    let (ledger, left) = Ledger::open(&options.book, options.flush, options.line_end, job)?;
    ledger.finish()?;
    Ok(left)
}

/// Why there is no position to think about.
pub(super) fn nothing(options: &Think, all: &Positions) -> BookError {
    let names = options
        .inputs
        .iter()
        .map(|input| input.path.display().to_string());
    let (names, summary) = (names.collect::<Vec<_>>().join(", "), all.faults.summary());
    let reason = match all.games {
        0 => format!(
            "no game or position is in {names} (expected lines such as startpos moves 7g7f 3c3d)"
        ),
        games => format!("no position that is asked for is in {names} (games: {games}){summary}"),
    };
    BookError::nothing(&options.book, reason)
}

/// Whether there is a book at `path`; a file without a byte is none.
pub(crate) fn has_book(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|data| !data.is_file() || data.len() > 0)
}

/// The book at `path`, empty when there is none.
pub(crate) fn read_book(path: &Path, options: ReadOptions, job: &Job) -> Result<Book> {
    if has_book(path) {
        return Ok(Book::read(path, options, job)?);
    }
    let nothing: [(Position, Vec<yane_book::BookMove>); 0] = [];
    Ok(Book::from_entries(nothing, options))
}

/// Whether there is nothing to think about.
pub(crate) fn has_ended(position: &Position) -> bool {
    position.is_mated() || position.declaration(EnteringKingRule::CsaRule27).is_some()
}

/// Whether the book knows the position well enough. If it knows it less well at a smaller move number, that
/// is where it is thought about: a book keeps a position at its smallest move number.
fn is_known(position: &mut Position, book: &Book, options: &Think) -> bool {
    let entry = book
        .index_of_key(position.key128())
        .and_then(|index| book.entry(index));
    let Some(entry) = entry.filter(|entry| entry.ply <= position.ply()) else {
        return false;
    };
    let legal = position.moves::<Legal>().len();
    let has_enough = entry.moves.len() >= options.lines.min(legal);
    let depth = entry.moves.first().map(|first| first.depth);
    let asked = options.depth as i32;
    let is_known = match (options.depth_told, depth) {
        (_, None) => false,
        (DepthTold::Reached, Some(_)) => has_enough,
        (DepthTold::Asked, Some(depth)) => depth > asked || (depth == asked && has_enough),
    };
    if !is_known {
        *position = position.clone().with_ply(entry.ply);
    }
    is_known
}
