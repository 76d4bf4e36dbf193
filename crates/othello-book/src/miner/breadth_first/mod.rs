//! Breadth-first search on several threads, with lines in alphabetical order.
//!
//! The depth-first search is sequential, as each position may take edges away from the next. But the line to a position
//! does not depend on that: the number of discs only grows, so a position is reached on the first of all lines that
//! lead to it, in the order of the moves. Therefore positions can be processed by their number of discs. Those with the
//! same number are kept in the order of their lines; their edges, processed on all threads, give those with one disc
//! more in the same order, each by the first edge that leads there. A position behind a pass has the same number of
//! discs as the one before; it follows right behind that.
//!
//! Beside the index this needs five bytes a position for the lines, eight for positions of two numbers of discs, and
//! memory for sorting.

mod batch;
mod tree;

use othello_core::Symmetry;
use rayon::prelude::*;
use yane_io::external::Sorter;
use yane_io::{Error, Job, TempFolder, Unit};

use crate::edax::EdaxRecordRef;
use crate::miner::breadth_first::batch::{Batch, Child, Node, SearchContext};
use crate::miner::depth_first::MineError;
use crate::miner::{Dialect, MineLimits, MineOptions, MinerSummary, MismatchLine, depth_first};
use crate::store::EdaxIndex;
use tree::SearchTree;
use tree::key;
use tree::line;

/// The positions of a batch.
const PART: usize = 1024;

/// The positions of a round, after which results are merged.
const ROUND: usize = 64 * PART;

/// Finds the same lines as [`mine`](super::mine), on `job.threads` threads, and reports them to `each` in alphabetical
/// order; a limit of lines counts in that order. Lines beyond `job.memory` go to a temporary file.
///
/// With [`Dialect::V1`], [`MineOptions::max_ply`] or [`MineOptions::limits`], lines depend on the order of the search;
/// then it is depth first, on one thread.
///
/// # Errors
///
/// As [`mine`](super::mine), and of the temporary file.
pub fn mine_sorted(
    index: &mut EdaxIndex<'_>,
    options: &MineOptions,
    job: &Job,
    folder: impl Into<TempFolder>,
    each: &mut dyn FnMut(&MismatchLine<'_>) -> yane_io::Result<()>,
) -> Result<MinerSummary, MineError> {
    let mut lines = SortedLines::new(job, folder);
    let mut summary = if depends_on_the_walk(options) {
        let all = MineOptions {
            limit: None,
            ..options.clone()
        };
        depth_first::mine(index, &all, job, &mut |line| lines.push(line))?
    } else {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(job.threads);
        let threads = threads.build().map_err(std::io::Error::other);
        let threads = threads.map_err(Error::io("worker threads"))?;
        threads.install(|| BreadthFirst::new(index, options, job, &mut lines)?.run())?
    };
    lines.give(options.limit, &mut summary, each)?;
    Ok(summary)
}

fn depends_on_the_walk(options: &MineOptions) -> bool {
    let no_limits = MineLimits::default();
    options.dialect == Dialect::V1
        || options.max_ply.is_some()
        || options.limits.is_some_and(|limits| limits != no_limits)
}

/// A position to be expanded: its offset in the file and its symmetry, or nothing.
#[derive(Clone, Copy)]
struct NodeRef(u64);

impl NodeRef {
    /// A position that was expanded already.
    const DONE: Self = Self(u64::MAX);

    fn of(record: &EdaxRecordRef<'_>, back: Symmetry) -> Self {
        Self(record.offset() << 3 | u64::from(back.number()))
    }
}

struct BreadthFirst<'s, 'a> {
    index: &'s mut EdaxIndex<'a>,
    options: &'s MineOptions,
    job: &'s Job,
    lines: &'s mut SortedLines,
    tree: SearchTree,
    /// Positions that were reached and not expanded yet.
    waiting: Vec<NodeRef>,
    summary: MinerSummary,
}

impl<'s, 'a> BreadthFirst<'s, 'a> {
    fn new(
        index: &'s mut EdaxIndex<'a>,
        options: &'s MineOptions,
        job: &'s Job,
        lines: &'s mut SortedLines,
    ) -> Result<Self, MineError> {
        job.progress
            .stage("mining", Some(index.len()), Unit::Positions);
        let (_, canonical, found) = depth_first::start(index, options)?;
        let mut sweep = Self {
            index,
            options,
            job,
            lines,
            tree: SearchTree::new(),
            waiting: Vec::new(),
            summary: MinerSummary::default(),
        };
        sweep.index.take(found.slot);
        let here = Node {
            number: 0,
            record: found.record,
            back: canonical.back(),
        };
        sweep.wait(&here, batch::is_pass(&here.record))?;
        Ok(sweep)
    }

    fn run(mut self) -> Result<MinerSummary, MineError> {
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

    /// Expands some positions.
    fn round(&mut self, first: u32, places: &[NodeRef]) -> Result<(), MineError> {
        let before = self.tree.len();
        let shared = SearchContext {
            index: self.index,
            tree: &self.tree,
            options: self.options,
        };
        let parts: Vec<Batch<'a>> = places
            .par_chunks(PART)
            .enumerate()
            .map(|(n, places)| {
                let first = first + (n * PART) as u32;
                Batch::of(shared, &positions(shared.index, first, places))
            })
            .collect();
        for part in &parts {
            self.put(part)?;
        }
        let reached = self.tree.len() - before;
        self.job.progress.advance(reached.into());
        Ok(self.job.check()?)
    }

    /// Merges the results of a batch, in their order.
    fn put(&mut self, part: &Batch<'a>) -> Result<(), MineError> {
        self.summary.add(&part.summary);
        for key in part.keys() {
            self.lines.push_key(key)?;
        }
        for next in &part.next {
            self.reach(next)?;
        }
        Ok(())
    }

    /// Adds a child, unless it was reached before.
    fn reach(&mut self, next: &Child<'a>) -> Result<(), MineError> {
        if self.index.taken(next.slot) > 0 {
            return Ok(());
        }
        self.index.take(next.slot);
        let here = Node {
            number: self.tree.add(next.parent, next.mv),
            record: next.record,
            back: next.back,
        };
        self.wait(&here, next.is_pass)
    }

    /// Queues a position; expands a forced pass at once, as the position behind it has as many discs.
    fn wait(&mut self, here: &Node<'a>, is_pass: bool) -> Result<(), MineError> {
        if !is_pass {
            self.waiting.push(NodeRef::of(&here.record, here.back));
            return Ok(());
        }
        self.waiting.push(NodeRef::DONE);
        let shared = SearchContext {
            index: self.index,
            tree: &self.tree,
            options: self.options,
        };
        let part = Batch::of(shared, std::slice::from_ref(here));
        self.put(&part)
    }
}

/// The positions of some references, numbered from `first` on.
fn positions<'a>(index: &EdaxIndex<'a>, first: u32, places: &[NodeRef]) -> Vec<Node<'a>> {
    let here = |(number, place): (u32, &NodeRef)| {
        let back = Symmetry::ALL[(place.0 & 7) as usize];
        let record = index.record_at(place.0 >> 3)?;
        Some(Node {
            number,
            record,
            back,
        })
    };
    (first..).zip(places).filter_map(here).collect()
}

/// A sorter of lines.
struct SortedLines {
    sorter: Sorter,
    count: u64,
    key: Vec<u8>,
}

impl SortedLines {
    /// An empty sorter. Lines beyond the job's memory go to a temporary file.
    fn new(job: &Job, folder: impl Into<TempFolder>) -> Self {
        Self {
            sorter: Sorter::new(job, folder),
            count: 0,
            key: Vec::new(),
        }
    }

    fn push(&mut self, line: &MismatchLine<'_>) -> yane_io::Result<()> {
        let mut bytes = std::mem::take(&mut self.key);
        key(line, &mut bytes);
        let pushed = self.push_key(&bytes);
        self.key = bytes;
        pushed
    }

    fn push_key(&mut self, key: &[u8]) -> yane_io::Result<()> {
        self.count += 1;
        self.sorter.push(key, &[])
    }

    /// Reports all lines in order, up to the limit.
    fn give(
        self,
        limit: Option<u64>,
        summary: &mut MinerSummary,
        each: &mut dyn FnMut(&MismatchLine<'_>) -> yane_io::Result<()>,
    ) -> yane_io::Result<()> {
        summary.lines = limit.map_or(self.count, |limit| limit.min(self.count));
        summary.cut_short = summary.lines < self.count;
        let mut sorted = self.sorter.finish()?;
        for _ in 0..summary.lines {
            let Some(line) = sorted.current().and_then(|(_, key, _)| line(key)) else {
                break;
            };
            each(&line)?;
            sorted.advance()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_core::Move;

    #[test]
    fn lines_lead_from_the_start() {
        let mut tree = SearchTree::new();
        let place = |name: &str| Move::Place(name.parse().unwrap());
        let first = tree.add(0, place("d3"));
        let second = tree.add(first, Move::Pass);
        tree.add(0, place("c4"));
        let third = tree.add(second, place("c5"));
        let mut text = "x".to_owned();
        // In the notation of the classic programs.
        assert_eq!(tree.line_to(third, &mut text), 3);
        assert_eq!((text.as_str(), tree.len()), ("xe6f4", 5));
        assert_eq!(tree.line_to(0, &mut text), 0);
    }

    #[test]
    fn keys_are_lines_in_their_order() {
        let of = |transcript, ply, expected, found| MismatchLine {
            transcript,
            ply,
            expected,
            found,
        };
        let lines = [
            of("", 0, 0, 0),
            of("e6", 1, -3, 64),
            of("e6", 1, -2, -64),
            of("e6", 1, -2, 5),
            of("e6", 2, -9, 5),
            of("e6f4", 1, 0, 0),
            of("e7", 0, 0, 0),
        ];
        let keys = lines.map(|line| {
            let mut bytes = Vec::new();
            key(&line, &mut bytes);
            bytes
        });
        assert!(keys.is_sorted());
        for (bytes, expected) in keys.iter().zip(lines) {
            assert_eq!(line(bytes), Some(expected));
        }
        assert_eq!(line(b"short"), None);
    }
}
