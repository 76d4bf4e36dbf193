//! What a run has done so far: its files, its numbers, and who hears of it.

use std::path::PathBuf;
use std::time::Instant;

use yane_io::Shard;

use super::{Event, Observer, Outline, Summary, description};
use crate::game::Played;
use crate::output::{Output, Plan};
use crate::{Format, Result, Settings, Starts};

/// The books of a run.
pub(super) struct Ledger<'a> {
    settings: &'a Settings,
    shard: Shard,
    observer: &'a dyn Observer,
    output: Output,
    summary: Summary,
    begun: Instant,
    saved: Instant,
}

impl<'a> Ledger<'a> {
    /// Opens the files of a run, or goes on with them.
    pub(super) fn open(
        settings: &'a Settings,
        starts: &Starts,
        shard: Shard,
        path: PathBuf,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let output = Output::open(Plan {
            path,
            description: description(settings, starts, shard),
            seed: settings.seed,
            shard,
            total: settings.games.map(|games| shard.share_of(games)),
            rotation: settings.rotation,
            dedup: settings.dedup_games,
        })?;
        Ok(Self {
            settings,
            shard,
            observer,
            output,
            summary: Summary::default(),
            begun: Instant::now(),
            saved: Instant::now(),
        })
    }

    pub(super) const fn output(&self) -> &Output {
        &self.output
    }

    pub(super) const fn format(&self) -> &Format {
        &self.settings.format
    }

    pub(super) fn tell(&self, event: &Event<'_>) {
        self.observer.event(event);
    }

    /// Tells that the run begins.
    pub(super) fn begin(&self, seats: usize) {
        self.tell(&Event::Begun {
            seats,
            finished: self.output.finished(),
            total: self.output.total(),
            lost: self.output.lost(),
            path: &self.output.path(),
        });
    }

    /// Makes a game safe.
    pub(super) fn put(&mut self, number: u64, bytes: &[u8]) -> Result<()> {
        self.output.put(number, bytes)
    }

    /// Counts and tells a game that was played here.
    pub(super) fn played(&mut self, seat: usize, number: u64, played: &Played) {
        self.summary.count(played.into(), self.begun.elapsed());
        self.tell(&Event::Game {
            seat,
            number: self.shard.unit(number),
            played,
            summary: &self.summary,
        });
    }

    /// Counts and tells a game that another machine played.
    pub(super) fn received(&mut self, number: u64, game: Outline) {
        self.summary.count(game, self.begun.elapsed());
        self.tell(&Event::Received {
            number: self.shard.unit(number),
            game,
            summary: &self.summary,
        });
    }

    pub(super) fn failed(&mut self, seat: usize, name: &str, reason: &str) {
        self.summary.failures += 1;
        self.tell(&Event::Failed { seat, name, reason });
    }

    pub(super) fn give_up(&mut self, number: u64) -> Result<()> {
        self.put(number, &[])?;
        self.summary.given_up += 1;
        Ok(())
    }

    /// Brings the file up to date if that was not done for long.
    pub(super) fn save_if_due(&mut self) -> Result<()> {
        if self.saved.elapsed() < self.settings.save_interval {
            return Ok(());
        }
        self.output.save()?;
        self.saved = Instant::now();
        self.tell(&Event::Saved {
            path: &self.output.path(),
            games: self.output.finished(),
        });
        Ok(())
    }

    /// Ends a run that went well or not.
    pub(super) fn finish(self, is_well: bool) -> Result<Summary> {
        let is_complete = match self.output.total() {
            // Nobody goes on with a run that has no end.
            None => is_well,
            Some(total) => self.output.finished() >= total,
        };
        self.output.finish(is_complete)?;
        Ok(Summary {
            elapsed: self.begun.elapsed(),
            is_complete,
            ..self.summary
        })
    }
}
