//! The mismatch miner: a search for positions whose value contradicts what follows.
//!
//! From a start position on, every edge of the book is taken once: links in their order, then the leaf, each followed
//! to the end before the next. A position that is reached again continues with its remaining edges. Wherever an edge
//! leads to a position of the book, the two are compared ([`Mode`]), and lines worth learning next are reported as
//! transcripts, in the order of the classic programs.
//!
//! [`mine`] is this depth-first search on one thread. [`mine_sorted`] finds the same lines on several, breadth first by
//! the number of discs, and reports them in alphabetical order.
//!
//! Missing positions, duplicates and illegal moves never stop the search; they are counted.

mod breadth_first;
mod depth_first;
mod judge;
mod moves;
mod options;

pub use breadth_first::mine_sorted;
pub use depth_first::{MineError, mine};
pub use options::{Dialect, MineLimits, MineOptions, Mode};

/// A line worth learning, and its two contradicting values, both for the player to move in the judged position (the one
/// before the last move).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MismatchLine<'a> {
    /// The moves in lower case, without passes.
    pub transcript: &'a str,
    /// The ply of the judged position from the start of the search, passes counted.
    pub ply: u32,
    /// The expected value: that of the links (mode 1), the position (2) or the edge (3, 4).
    pub expected: i32,
    /// The found value: that of the leaf (1), the best move (2, 4) or the position (3).
    pub found: i32,
}

/// The counts of a search. Each edge counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MinerSummary {
    /// Positions that were entered, the start included; each time counts.
    pub entered: u64,
    /// Edges that lead to a position of the book.
    pub judged: u64,
    /// Edges with a large enough mismatch.
    pub mismatches: u64,
    /// Lines that were reported.
    pub lines: u64,
    /// Mismatches by ply from the start of the search.
    pub by_ply: Vec<u64>,
    /// Mismatches by size in discs.
    pub by_size: Vec<u64>,
    /// Links to positions that the book lacks.
    pub missing: u64,
    /// Links and leaves that are illegal on their board.
    pub illegal: u64,
    /// Positions of the book that were never entered.
    pub isolated: u64,
    /// True if the search ended at the limit of lines.
    pub cut_short: bool,
}

impl MinerSummary {
    pub(super) fn mismatch(&mut self, ply: u32, size: u32) {
        self.mismatches += 1;
        for (counts, n) in [(&mut self.by_ply, ply), (&mut self.by_size, size)] {
            let n = n as usize;
            if counts.len() <= n {
                counts.resize(n + 1, 0);
            }
            counts[n] += 1;
        }
    }

    /// Adds the counts of another part of the book.
    pub(super) fn add(&mut self, other: &Self) {
        self.judged += other.judged;
        self.mismatches += other.mismatches;
        self.missing += other.missing;
        self.illegal += other.illegal;
        for (counts, more) in [
            (&mut self.by_ply, &other.by_ply),
            (&mut self.by_size, &other.by_size),
        ] {
            if counts.len() < more.len() {
                counts.resize(more.len(), 0);
            }
            for (count, more) in counts.iter_mut().zip(more) {
                *count += more;
            }
        }
    }
}
