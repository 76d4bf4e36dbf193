//! The same lines on several threads, in alphabetical order.
//!
//! The walk along lines takes one position after the other, as each may take moves away from the next. But which line
//! leads to a position does not depend on walking: discs only become more, so the walk reaches a position on the first
//! of all lines that lead to it, in the order of the moves. Therefore positions can be taken in the order of their discs
//! instead. Those of as many discs stand in the order of their lines; their moves, looked at on all threads, then give
//! those with one disc more in the same order, each by the first move that leads there. A position behind a pass has
//! as many discs as the one before; it stands right behind that.
//!
//! Beside the index this takes five bytes a position for the lines, eight for positions of two numbers of discs, and
//! what sorting may use.

mod lines;
mod part;
mod tree;

use std::path::Path;

use othello_core::Symmetry;
use rayon::prelude::*;
use yane_io::{Error, Job, Unit};

use self::lines::Lines;
use self::part::{Here, Next, Part, Shared};
use self::tree::Tree;
use super::walk::{self, MineError};
use super::{Dialect, Limits, Line, Options, Summary};
use crate::edax::RecordRef;
use crate::store::Index;

/// Positions that a thread looks at before it takes others.
const PART: usize = 1024;

/// Positions between two moments at which what was found is put together.
const ROUND: usize = 64 * PART;

/// Looks for mismatches as [`mine`](super::mine) does, on `job.threads` threads, and gives the same lines to `each`, but
/// in alphabetical order; a limit of lines counts in that order. Lines that are more than fits into `job.memory` go
/// to a temporary file in `folder`.
///
/// With [`Dialect::V1`], [`Options::max_ply`] or [`Options::limits`], what comes out depends on how the walk goes; then
/// there is one, on one thread.
///
/// # Errors
///
/// As [`mine`](super::mine), and of the temporary file.
pub fn mine_sorted(
    index: &mut Index<'_>,
    options: &Options,
    job: &Job,
    folder: &Path,
    each: &mut dyn FnMut(&Line<'_>) -> yane_io::Result<()>,
) -> Result<Summary, MineError> {
    let mut lines = Lines::new(job, folder);
    let mut summary = if depends_on_the_walk(options) {
        let all = Options {
            limit: None,
            ..options.clone()
        };
        walk::mine(index, &all, job, &mut |line| lines.push(line))?
    } else {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(job.threads);
        let threads = threads.build().map_err(std::io::Error::other);
        let threads = threads.map_err(Error::io("worker threads"))?;
        threads.install(|| Sweep::new(index, options, job, &mut lines)?.run())?
    };
    lines.give(options.limit, &mut summary, each)?;
    Ok(summary)
}

fn depends_on_the_walk(options: &Options) -> bool {
    let no_limits = Limits::default();
    options.dialect == Dialect::V1
        || options.max_ply.is_some()
        || options.limits.is_some_and(|limits| limits != no_limits)
}

/// A position whose moves are to be looked at: its place in the file and how it is turned, or nothing.
#[derive(Clone, Copy)]
struct Place(u64);

impl Place {
    /// Of a position whose moves were looked at already.
    const DONE: Self = Self(u64::MAX);

    fn of(record: &RecordRef<'_>, back: Symmetry) -> Self {
        Self(record.offset() << 3 | u64::from(back.number()))
    }
}

struct Sweep<'s, 'a> {
    index: &'s mut Index<'a>,
    options: &'s Options,
    job: &'s Job,
    lines: &'s mut Lines,
    tree: Tree,
    /// Positions that were reached and not looked at yet, and the number of the first of them.
    waiting: Vec<Place>,
    summary: Summary,
}

impl<'s, 'a> Sweep<'s, 'a> {
    fn new(
        index: &'s mut Index<'a>,
        options: &'s Options,
        job: &'s Job,
        lines: &'s mut Lines,
    ) -> Result<Self, MineError> {
        job.progress
            .stage("mining", Some(index.len()), Unit::Positions);
        let (_, canonical, found) = walk::start(index, options)?;
        let mut sweep = Self {
            index,
            options,
            job,
            lines,
            tree: Tree::new(),
            waiting: Vec::new(),
            summary: Summary::default(),
        };
        sweep.index.take(found.slot);
        let here = Here {
            number: 0,
            record: found.record,
            back: canonical.back(),
        };
        sweep.wait(&here, part::is_pass(&here.record))?;
        Ok(sweep)
    }

    fn run(mut self) -> Result<Summary, MineError> {
        let mut first = 0;
        while !self.waiting.is_empty() {
            let now = std::mem::take(&mut self.waiting);
            for places in now.chunks(ROUND) {
                self.round(first, places)?;
                first += places.len() as u32;
            }
        }
        let mut summary = self.summary;
        summary.entered = summary.judged + 1;
        let reached = u64::from(self.tree.len());
        summary.isolated = self.index.len().saturating_sub(reached);
        Ok(summary)
    }

    /// Looks at the moves of some positions.
    fn round(&mut self, first: u32, places: &[Place]) -> Result<(), MineError> {
        let before = self.tree.len();
        let shared = Shared {
            index: self.index,
            tree: &self.tree,
            options: self.options,
        };
        let parts: Vec<Part<'a>> = places
            .par_chunks(PART)
            .enumerate()
            .map(|(n, places)| {
                let first = first + (n * PART) as u32;
                Part::of(shared, &positions(shared.index, first, places))
            })
            .collect();
        for part in &parts {
            self.put(part)?;
        }
        let reached = self.tree.len() - before;
        self.job.progress.advance(reached.into());
        Ok(self.job.check()?)
    }

    /// Takes over what was found, in its order.
    fn put(&mut self, part: &Part<'a>) -> Result<(), MineError> {
        self.summary.add(&part.summary);
        for key in part.keys() {
            self.lines.push_key(key)?;
        }
        for next in &part.next {
            self.reach(next)?;
        }
        Ok(())
    }

    /// A position that a move leads to, unless an earlier one did.
    fn reach(&mut self, next: &Next<'a>) -> Result<(), MineError> {
        if self.index.taken(next.slot) > 0 {
            return Ok(());
        }
        self.index.take(next.slot);
        let here = Here {
            number: self.tree.add(next.parent, next.mv),
            record: next.record,
            back: next.back,
        };
        self.wait(&here, next.is_pass)
    }

    /// Puts a position where its moves will be looked at; at once if it must pass, as the position behind that has as
    /// many discs.
    fn wait(&mut self, here: &Here<'a>, is_pass: bool) -> Result<(), MineError> {
        if !is_pass {
            self.waiting.push(Place::of(&here.record, here.back));
            return Ok(());
        }
        self.waiting.push(Place::DONE);
        let shared = Shared {
            index: self.index,
            tree: &self.tree,
            options: self.options,
        };
        let part = Part::of(shared, std::slice::from_ref(here));
        self.put(&part)
    }
}

/// The positions that stand at some places, numbered from `first` on.
fn positions<'a>(index: &Index<'a>, first: u32, places: &[Place]) -> Vec<Here<'a>> {
    let here = |(number, place): (u32, &Place)| {
        let back = Symmetry::ALL[(place.0 & 7) as usize];
        let record = index.record_at(place.0 >> 3)?;
        Some(Here {
            number,
            record,
            back,
        })
    };
    (first..).zip(places).filter_map(here).collect()
}
