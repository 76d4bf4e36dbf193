//! What a search knows of the line that it is at: an entry of the stack for each ply, and the principal variation.

use shogi_core::{Move, PieceKind};

use crate::MAX_PLY;
use crate::history::PieceTo;
use crate::score::{NO_SCORE, Score};

/// An entry of the search stack (`ss`): what a node leaves for its descendants and siblings.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct StackEntry {
    /// The move being searched; `None` for a pass and before the root.
    pub(crate) current: Option<Move>,
    /// Its piece-to; 0 for a pass.
    pub(crate) piece_to: PieceTo,
    /// The kind of the captured piece.
    pub(crate) victim: Option<PieceKind>,
    /// It neither captured nor promoted.
    pub(crate) quiet: bool,
    /// Its number among the moves tried, from 1.
    pub(crate) number: i32,
    /// Stat score: the sum of its histories.
    pub(crate) stat_score: i32,
    /// Plies by which its search is reduced.
    pub(crate) reduction: i32,
    /// Static evaluation; in check, that of two plies before.
    pub(crate) static_eval: Score,
    pub(crate) in_check: bool,
    /// True if the node is or was on a principal variation.
    pub(crate) tt_pv: bool,
    /// The table knew the node.
    pub(crate) tt_hit: bool,
    /// Cuts among the node and its siblings.
    pub(crate) cutoffs: i32,
    /// Left out while looking for an alternative to it.
    pub(crate) excluded: Option<Move>,
}

impl StackEntry {
    pub(super) const EMPTY: Self = Self {
        current: None,
        piece_to: 0,
        victim: None,
        quiet: false,
        number: 0,
        stat_score: 0,
        reduction: 0,
        static_eval: NO_SCORE,
        in_check: false,
        tt_pv: false,
        tt_hit: false,
        cutoffs: 0,
        excluded: None,
    };
}

// The principal variation: collected from the leaves up, and as it is reported, with moves of the table behind its end.

pub(super) const ROWS: usize = MAX_PLY as usize + 2;

/// A triangular table: row `ply` holds the best line found from that ply on.
#[derive(Debug)]
pub(crate) struct PvTable {
    pub(super) moves: Box<[Option<Move>]>,
    pub(super) lengths: Box<[usize]>,
}

impl PvTable {
    pub(crate) fn new() -> Self {
        Self {
            moves: vec![None; ROWS * ROWS].into(),
            lengths: vec![0; ROWS].into(),
        }
    }

    /// No line from `ply` is known.
    #[inline]
    pub(crate) fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// The best line from `ply` is `m` followed by that from the next ply.
    pub(crate) fn set(&mut self, ply: usize, m: Move) {
        let length = self.lengths[ply + 1];
        let (upper, lower) = self.moves.split_at_mut((ply + 1) * ROWS);
        let row = &mut upper[ply * ROWS..];
        row[0] = Some(m);
        row[1..=length].copy_from_slice(&lower[..length]);
        self.lengths[ply] = length + 1;
    }

    /// The line from `ply`.
    pub(crate) fn line(&self, ply: usize) -> impl Iterator<Item = Move> {
        self.moves[ply * ROWS..][..self.lengths[ply]]
            .iter()
            .copied()
            .flatten()
    }
}
