//! What the search of a node and its judgements ([`crate::pruning`]) tell each other.

use shogi_core::Move;

use crate::tt::TtEntry;

/// What a node knows before it tries moves.
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Node {
    pub(crate) key: u64,
    pub(crate) ply: usize,
    pub(crate) depth: i32,
    pub(crate) in_check: bool,
    /// Static score, improved by the table's bound.
    pub(crate) eval: i32,
    /// Static score as the evaluator gave it.
    pub(crate) raw_eval: i32,
    /// The static score has risen since the side's last turn.
    pub(crate) improving: bool,
    /// A score of at least beta is expected.
    pub(crate) expect_cut: bool,
    pub(crate) entry: Option<TtEntry>,
    pub(crate) tt_score: i32,
    pub(crate) tt_move: Option<Move>,
    pub(crate) tt_pv: bool,
}

/// What pruning wants to know about a move.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) noisy: bool,
    pub(crate) gives_check: bool,
    pub(crate) history: i32,
    /// Depth after the usual reduction.
    pub(crate) reduced: i32,
}

/// What the search for an alternative to the hash move tells.
pub(crate) enum Singular {
    /// Search the hash move so many plies deeper.
    Extend(i32),
    /// The node's score is at least beta.
    Cut(i32),
}
