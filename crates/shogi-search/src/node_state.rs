//! What the search of a node and its judgements ([`crate::pruning`], [`crate::reduction`]) tell each
//! other.

use shogi_core::{Move, PieceKind};

use crate::history::CorrectionPlace;
use crate::tt::TtEntry;

/// What a node knows before it tries moves.
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Node {
    pub(crate) key: u64,
    pub(crate) ply: usize,
    pub(crate) depth: i32,
    pub(crate) in_check: bool,
    /// Static score as the evaluator gave it.
    pub(crate) raw_eval: i32,
    /// Static score, corrected by what the search has learned about it.
    pub(crate) static_eval: i32,
    /// The same, improved by the table's bound.
    pub(crate) eval: i32,
    /// What was added to the static score.
    pub(crate) correction: i32,
    /// Where corrections are learned; `None` in check.
    pub(crate) correction_place: Option<CorrectionPlace>,
    /// The static score has risen since the side's last turn.
    pub(crate) improving: bool,
    /// The opponent's last move made its static score worse.
    pub(crate) worsening: bool,
    /// A score of at least beta is expected.
    pub(crate) expect_cut: bool,
    /// Left out while looking for an alternative to it.
    pub(crate) excluded: Option<Move>,
    pub(crate) entry: Option<TtEntry>,
    pub(crate) tt_score: i32,
    pub(crate) tt_move: Option<Move>,
    /// Whether the hash move captures or promotes.
    pub(crate) tt_noisy: bool,
    /// The node is or was on a principal variation.
    pub(crate) tt_pv: bool,
    /// Plies by which the search of this node was reduced.
    pub(crate) prior_reduction: i32,
}

impl Node {
    /// Whether the table's score is a lower bound (or exact).
    #[inline]
    pub(crate) fn has_lower_bound(&self) -> bool {
        use crate::Bound::{Exact, Lower};
        matches!(self.entry.and_then(|e| e.bound), Some(Lower | Exact))
    }

    /// Depth of the table's entry, 0 without one.
    #[inline]
    pub(crate) fn tt_depth(&self) -> i32 {
        self.entry.map_or(0, |entry| entry.depth)
    }
}

/// A move that a node is about to search.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) m: Move,
    /// Counted from 1.
    pub(crate) number: i32,
    /// It captures or promotes.
    pub(crate) noisy: bool,
    pub(crate) victim: Option<PieceKind>,
    pub(crate) gives_check: bool,
    /// What it wins at once, if noisy.
    pub(crate) gain: i32,
    /// Of a capture: its history. Of a quiet move: that as an answer to the last two moves.
    pub(crate) history: i32,
    /// Of a quiet move: its history by itself.
    pub(crate) main: i32,
    /// Of a quiet move: its history with these pawns.
    pub(crate) pawn: i32,
}

/// What the search for an alternative to the hash move tells.
pub(crate) enum Singular {
    /// Search the hash move so many plies deeper.
    Extend(i32),
    /// The node's score is at least beta.
    Cut(i32),
}
