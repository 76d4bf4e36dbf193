//! What a node knows of itself and of the moves that it has tried.

use shogi_core::Move;

use crate::history::CorrectionIndex;
use crate::score::{NO_SCORE, Score};
use crate::tt::{NO_EVAL, TtEntry};
use arrayvec::ArrayVec;
use shogi_core::PieceKind;

/// A node of the search, as it is entered.
#[expect(
    clippy::struct_field_names,
    reason = "a cut node is what the field calls it"
)]
pub(crate) struct Node {
    pub(crate) key: u64,
    pub(crate) ply: usize,
    /// Plies to search, adjusted on the way.
    pub(crate) depth: i32,
    pub(crate) in_check: bool,
    /// True if a score of at least beta is expected.
    pub(crate) cut_node: bool,
    /// Move excluded by the verification search of a singular extension.
    pub(crate) excluded: Option<Move>,
    /// Plies by which the search of this node was reduced.
    pub(crate) prior_reduction: i32,
    pub(crate) tt: TtProbe,
}

/// The transposition table's knowledge of a node.
pub(crate) struct TtProbe {
    pub(crate) entry: Option<TtEntry>,
    /// The entry's score, counted from the root; 0 without an entry.
    pub(crate) score: Score,
    pub(crate) m: Option<Move>,
    /// True if the move captures or promotes.
    pub(crate) noisy: bool,
    /// True if the node is or was on a principal variation.
    pub(crate) pv: bool,
}

impl TtProbe {
    /// Returns whether the score is a lower bound (or exact).
    #[inline]
    pub(crate) fn has_lower_bound(&self) -> bool {
        use crate::Bound::{Exact, Lower};
        matches!(self.entry.and_then(|e| e.bound), Some(Lower | Exact))
    }

    /// Depth of the entry, 0 without one.
    #[inline]
    pub(crate) fn depth(&self) -> i32 {
        self.entry.map_or(0, |entry| entry.depth)
    }
}

/// The static evaluation of a node, and what follows from it.
pub(crate) struct StaticEval {
    /// Raw value of the evaluator, or [`NO_EVAL`].
    pub(crate) raw: i32,
    /// Static evaluation corrected by the correction history.
    pub(crate) value: Score,
    /// Static evaluation improved by the bound of the transposition table.
    pub(crate) estimate: Score,
    /// The correction that was added to the raw evaluation.
    pub(crate) correction: i32,
    /// The index of its corrections; `None` in check.
    pub(crate) index: Option<CorrectionIndex>,
    /// True if the static evaluation has risen since the side's last turn.
    pub(crate) improving: bool,
    /// True if the opponent's last move made the opponent's evaluation worse.
    pub(crate) opponent_worsening: bool,
}

impl StaticEval {
    /// A position in check has none.
    pub(super) const IN_CHECK: Self = Self::of_root(NO_SCORE);

    /// The corrected evaluation of the root, from which nothing else follows.
    pub(crate) const fn of_root(value: Score) -> Self {
        Self {
            raw: NO_EVAL,
            value,
            estimate: value,
            correction: 0,
            index: None,
            improving: false,
            opponent_worsening: false,
        }
    }
}

/// A move that a node is about to search.
#[derive(Clone, Copy)]
pub(crate) struct MoveInfo {
    pub(crate) m: Move,
    /// Number of the move, from 1.
    pub(crate) number: i32,
    /// True if the move captures or promotes.
    pub(crate) noisy: bool,
    pub(crate) victim: Option<PieceKind>,
    pub(crate) gives_check: bool,
    /// Material that it wins at once, if noisy.
    pub(crate) gain: i32,
    /// Of a capture: its capture history. Of a quiet move: its continuation history after the last two moves.
    pub(crate) history: i32,
    /// Butterfly history of a quiet move.
    pub(crate) main: i32,
    /// Pawn history of a quiet move.
    pub(crate) pawn: i32,
}

/// Searched quiet moves beyond these get no malus.
pub(super) const QUIETS: usize = 48;

/// Searched captures beyond these get no malus.
pub(super) const CAPTURES: usize = 24;

/// Moves of a node that were searched, in order, for their malus.
#[derive(Debug, Default)]
pub(crate) struct SearchedMoves {
    pub(crate) quiets: ArrayVec<Move, QUIETS>,
    /// Captures and promotions, with what they captured.
    pub(crate) captures: ArrayVec<(Move, Option<PieceKind>), CAPTURES>,
}

impl SearchedMoves {
    #[inline]
    pub(crate) fn push(&mut self, info: &MoveInfo) {
        if info.noisy {
            let _ = self.captures.try_push((info.m, info.victim));
        } else {
            let _ = self.quiets.try_push(info.m);
        }
    }
}
