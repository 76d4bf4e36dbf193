//! A node of a search depth first, and what is left to be tried of it.

use othello_core::{Board, Move, Symmetry};

use crate::store::IndexHit;

/// A position of the book, reached by a move.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    /// The board in the game.
    pub(super) board: Board,
    /// The symmetry from the stored board to that one.
    pub(super) back: Symmetry,
    pub(super) found: IndexHit<'a>,
    /// The length of the move in the transcript.
    pub(super) text: usize,
    /// The sum of errors of the line, where that is limited.
    pub(super) lost: u32,
}

/// The edges of a position that were not taken when it was resolved.
#[derive(Clone, Copy, Default)]
pub(super) struct RemainingMoves {
    /// The number of edges taken by then.
    pub(super) taken: u16,
    pub(super) count: u16,
    /// The index of the first.
    pub(super) first: u32,
}

#[derive(Clone, Copy)]
pub(super) enum MoveTarget<'a> {
    /// A position, with its remaining edges once they are resolved.
    To(Move, Node<'a>, Option<RemainingMoves>),
    /// A position that the book lacks.
    Nowhere(Move, Board),
    /// An illegal move.
    Illegal,
}
