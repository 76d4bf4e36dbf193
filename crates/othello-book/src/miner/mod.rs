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

use othello_core::Position;

use crate::Edge;
use crate::edax::EdaxRecordRef;

pub use breadth_first::mine_sorted;
pub use depth_first::{MineError, mine};

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

// Options of the miner.

/// The kind of mismatch. The *edge* is the move that leads to a position, with its value there; the value of a
/// position's own moves is that of the best link or the leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// 1: the leaf is better than every link.
    LeafAboveLinks,
    /// 2: the value of the position is not that of its best move.
    ValueAndMoves,
    /// 3: the value of the edge is not that of the position behind it.
    EdgeAndValue,
    /// 4: the value of the edge is not that of the best move of the position behind it.
    EdgeAndMoves,
    /// 6: a leaf leads to a position that the book lacks, and a reply there to one that it has. Lines end with the
    /// reply.
    RepliesToLeaves,
    /// 7: the same; lines end with the leaf.
    LeavesWithReplies,
}

impl Mode {
    /// The mode with a number: 1 to 4, 6 or 7.
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::LeafAboveLinks,
            2 => Self::ValueAndMoves,
            3 => Self::EdgeAndValue,
            4 => Self::EdgeAndMoves,
            6 => Self::RepliesToLeaves,
            7 => Self::LeavesWithReplies,
            _ => return None,
        })
    }

    /// The number of the mode.
    pub const fn number(self) -> u8 {
        match self {
            Self::LeafAboveLinks => 1,
            Self::ValueAndMoves => 2,
            Self::EdgeAndValue => 3,
            Self::EdgeAndMoves => 4,
            Self::RepliesToLeaves => 6,
            Self::LeavesWithReplies => 7,
        }
    }
}

/// The dialect of lines: of the classic program as described, or of one of its versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The description of the program.
    #[default]
    Seed,
    /// The newer public version. Only mode 3 differs: lines are made of the moves above the edge's negated value where
    /// the position's negated value is above the edge's.
    V2,
    /// The older public version, with its errors:
    ///
    /// * Lines are made, in mode 2, of the moves above the negated value of the position; in modes 3 and 4 of those
    ///   above the negated value of the position *before* the edge, where the negated value of the position (the best
    ///   move) is above the value of the position before the edge.
    /// * A position without moves is worth -64 in modes 2 and 4, with `b9` as its move; a pass is `a9`.
    /// * Lines of a position that is reached by a pass have the word `Pass` before their last move.
    /// * A link to a missing position (or an illegal one) stays in the lines behind the position's next link.
    /// * A leaf of value 0 on the square that is called a1 is not taken.
    V1,
}

/// Limits of errors and depth. A move beyond a limit is skipped for good, though the limits of a sum and of plies
/// depend on the way to its position: the newer program does so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MineLimits {
    /// The greatest error of a move, in discs below its position's value. A pass has none.
    pub error: Option<u32>,
    /// The greatest sum of errors of a line, black's and white's.
    pub sum: Option<u32>,
    /// The greatest number of plies of a line, passes counted.
    pub plies: Option<u32>,
}

/// The options of a search.
#[derive(Clone, Debug)]
pub struct MineOptions {
    /// The kind of mismatch.
    pub mode: Mode,
    /// The dialect of lines.
    pub dialect: Dialect,
    /// The start position.
    pub start: Position,
    /// The moves to the start position, which every line begins with.
    pub prefix: String,
    /// The greatest depth in plies from the start, passes counted.
    pub max_ply: Option<u32>,
    /// Limits of moves; those beyond are neither taken nor reported.
    pub limits: Option<MineLimits>,
    /// The least mismatch in discs.
    pub min_difference: u32,
    /// The greatest number of lines; the search ends there.
    pub limit: Option<u64>,
}

impl MineOptions {
    /// All mismatches of a mode, from the start position.
    pub const fn new(mode: Mode) -> Self {
        Self {
            mode,
            dialect: Dialect::Seed,
            start: Position::START,
            prefix: String::new(),
            max_ply: None,
            limits: None,
            min_difference: 0,
            limit: None,
        }
    }
}

impl MineLimits {
    /// The sum of errors of a line after a move, if it is within the limits: `lost` is the sum before, `plies` counts
    /// the move.
    fn after(&self, record: &EdaxRecordRef<'_>, edge: Edge, lost: u32, plies: u32) -> Option<u32> {
        let worse = i32::from(record.value()) - i32::from(edge.score);
        let error = match edge.number {
            Edge::PASS => 0,
            _ => u32::try_from(worse).unwrap_or(0),
        };
        let within = |limit: Option<u32>, n: u32| limit.is_none_or(|limit| n <= limit);
        let lost = lost + error;
        (within(self.error, error) && within(self.sum, lost) && within(self.plies, plies))
            .then_some(lost)
    }
}
