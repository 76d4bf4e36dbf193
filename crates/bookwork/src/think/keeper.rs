//! What a run has done so far: its journal, its numbers, and who hears of it.

use std::sync::Arc;
use std::time::Instant;

use farm::{Players, Seat};
use shogi_core::Position;

use super::Think;
use super::events::{Counts, Event, Observer, Summary};
use super::ledger::Ledger;
use super::work::Thoughts;
use crate::Result;

/// Takes what comes from the seats, or over the queue.
pub(super) struct Keeper<'a> {
    options: &'a Think,
    positions: &'a [Position],
    observer: &'a dyn Observer,
    ledger: Ledger,
    summary: Summary,
    begun: Instant,
    saved: Instant,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(
        options: &'a Think,
        positions: &'a [Position],
        counts: Counts,
        ledger: Ledger,
        observer: &'a dyn Observer,
    ) -> Self {
        Self {
            options,
            positions,
            observer,
            ledger,
            summary: Summary {
                counts,
                ..Summary::default()
            },
            begun: Instant::now(),
            saved: Instant::now(),
        }
    }

    /// Tells that the run begins.
    pub(super) fn begin(&self, seats: usize) {
        let counts = &self.summary.counts;
        self.observer.event(&Event::Begun { seats, counts });
    }

    pub(super) fn hear(
        &mut self,
        players: &Players,
        event: farm::Event<'_, u64, Thoughts>,
    ) -> Result<()> {
        match event {
            farm::Event::Done { seat, unit, done } => {
                self.take(Some(seat), *unit as usize, &done)?;
            }
            farm::Event::Failed { seat, reason, .. } => {
                self.summary.failures += 1;
                let name = players.name(seat);
                self.observer.event(&Event::Failed { seat, name, reason });
            }
            farm::Event::GivenUp { unit } => self.give_up(*unit as usize),
            farm::Event::Closed { seat, reason } => {
                let name = players.name(seat);
                self.observer.event(&Event::Closed { seat, name, reason });
            }
            farm::Event::Tick { seats } => self.tick(seats)?,
            _ => {}
        }
        Ok(())
    }

    /// Makes what was thought about a position safe.
    pub(super) fn take(
        &mut self,
        seat: Option<usize>,
        index: usize,
        thoughts: &Thoughts,
    ) -> Result<()> {
        let position = &self.positions[index];
        self.ledger.put(position, &thoughts.moves)?;
        self.summary.count(thoughts, self.begun.elapsed());
        self.observer
            .event(&thoughts.event(seat, position, &self.summary));
        Ok(())
    }

    /// Leaves a position for another run.
    pub(super) fn give_up(&mut self, index: usize) {
        self.summary.given_up += 1;
        let position = &self.positions[index];
        self.observer.event(&Event::GivenUp { position });
    }

    /// Brings the book up to date if that was not done for long.
    pub(super) fn tick(&mut self, seats: &[Arc<Seat>]) -> Result<()> {
        self.observer.event(&Event::Tick { seats });
        if self.saved.elapsed() >= self.options.save_interval {
            let positions = self.ledger.save()?;
            self.saved = Instant::now();
            self.tell_saved(positions);
        }
        Ok(())
    }

    fn tell_saved(&mut self, positions: u64) {
        self.summary.saves += u64::from(positions > 0);
        self.observer.event(&Event::Saved {
            path: &self.options.book,
            positions,
        });
    }

    /// Ends a run that went well or not: the book is up to date then.
    pub(super) fn finish(mut self) -> Result<Summary> {
        let positions = self.ledger.save()?;
        self.tell_saved(positions);
        self.ledger.finish()?;
        let mut summary = self.summary;
        summary.elapsed = self.begun.elapsed();
        summary.is_complete = summary.thought + summary.given_up == summary.counts.to_do;
        Ok(summary)
    }
}
