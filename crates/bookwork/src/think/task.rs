//! A run from its beginning to its end.

use std::path::Path;
use std::time::Instant;

use farm::{Control, Players, Rules, Units};
use shogi_core::movegen::Legal;
use shogi_core::{EnteringKingRule, Position};
use yane_book::memory::{Book, ReadOptions};
use yane_book::positions::positions;
use yane_book::records::Faults;
use yane_io::Job;

use super::events::{Counts, Event, Observer, Summary};
use super::ledger::Ledger;
use super::work::{Thinking, Thoughts};
use super::{DepthTold, Think};
use crate::{BookworkError, Result};

/// Positions that wait to be thought about.
pub struct Task {
    options: Think,
    to_do: Vec<Position>,
    counts: Counts,
    faults: Faults,
    ledger: Ledger,
}

impl Task {
    /// Reads records and book, and finds what there is to think about. What an earlier run left in the
    /// journal is in the book then.
    ///
    /// # Errors
    /// When a file cannot be read or written, or another process thinks for this book.
    pub fn prepare(options: Think, job: &Job) -> Result<Self> {
        let all = positions(&options.inputs, options.wanted, job)?;
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
        let mut keeper = Keeper {
            options: &self.options,
            positions: &self.to_do,
            players,
            observer,
            ledger: self.ledger,
            summary: Summary {
                counts: self.counts,
                ..Summary::default()
            },
            begun: Instant::now(),
            saved: Instant::now(),
        };
        observer.event(&Event::Begun {
            seats: players.seats(),
            counts: &self.counts,
        });
        let result = if self.to_do.is_empty() {
            Ok(())
        } else {
            let units = Units::new(0, Some(self.counts.to_do), std::iter::empty());
            let rules = Rules {
                think_timeout: self.options.think_timeout,
                ..Rules::default()
            };
            farm::run(players, &work, &units, control, rules, |event| {
                keeper.hear(event)
            })
        };
        let summary = keeper.finish()?;
        result.map(|()| summary)
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

/// Takes what an earlier run left in the journal over into the book; tells how many positions that were.
pub(crate) fn recover(options: &Think, job: &Job) -> Result<u64> {
    let (ledger, left) = Ledger::open(&options.book, options.flush, options.line_end, job)?;
    ledger.finish()?;
    Ok(left)
}

/// The book at `path`, empty when there is none.
pub(crate) fn read_book(path: &Path, options: ReadOptions, job: &Job) -> Result<Book> {
    if path.exists() {
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

/// Takes what comes from the seats.
struct Keeper<'a> {
    options: &'a Think,
    positions: &'a [Position],
    players: &'a Players,
    observer: &'a dyn Observer,
    ledger: Ledger,
    summary: Summary,
    begun: Instant,
    saved: Instant,
}

impl Keeper<'_> {
    fn hear(
        &mut self,
        event: farm::Event<'_, u64, Thoughts>,
    ) -> std::result::Result<(), BookworkError> {
        match event {
            farm::Event::Done { seat, unit, done } => self.take(seat, *unit, &done)?,
            farm::Event::Failed { seat, reason, .. } => {
                self.summary.failures += 1;
                let name = self.players.name(seat);
                self.observer.event(&Event::Failed { seat, name, reason });
            }
            farm::Event::GivenUp { unit } => {
                self.summary.given_up += 1;
                let position = &self.positions[*unit as usize];
                self.observer.event(&Event::GivenUp { position });
            }
            farm::Event::Closed { seat, reason } => {
                let name = self.players.name(seat);
                self.observer.event(&Event::Closed { seat, name, reason });
            }
            farm::Event::Tick { seats } => {
                self.observer.event(&Event::Tick { seats });
                if self.saved.elapsed() >= self.options.save_interval {
                    self.save()?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn take(&mut self, seat: usize, number: u64, thoughts: &Thoughts) -> Result<()> {
        let position = &self.positions[number as usize];
        self.ledger.put(position, &thoughts.moves)?;
        self.summary.thought += 1;
        self.summary.moves += thoughts.moves.len() as u64;
        self.summary.nodes += thoughts.nodes;
        self.summary.elapsed = self.begun.elapsed();
        self.observer.event(&Event::Position {
            seat,
            position,
            moves: &thoughts.moves,
            depth: thoughts.depth,
            nodes: thoughts.nodes,
            summary: &self.summary,
        });
        Ok(())
    }

    fn save(&mut self) -> Result<()> {
        let positions = self.ledger.save()?;
        self.summary.saves += u64::from(positions > 0);
        self.saved = Instant::now();
        self.observer.event(&Event::Saved {
            path: &self.options.book,
            positions,
        });
        Ok(())
    }

    fn finish(self) -> Result<Summary> {
        let mut summary = self.summary;
        let positions = self.ledger.finish()?;
        summary.saves += u64::from(positions > 0);
        self.observer.event(&Event::Saved {
            path: &self.options.book,
            positions,
        });
        summary.elapsed = self.begun.elapsed();
        summary.is_complete = summary.thought + summary.given_up == summary.counts.to_do;
        Ok(summary)
    }
}
