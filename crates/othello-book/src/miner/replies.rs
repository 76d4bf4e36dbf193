//! Modes 6 and 7: replies to a leaf that lead back into the book.

use othello_core::{Board, Move, State};

use super::Mode;
use crate::Edge;
use crate::store::Index;

/// A reply that the book has the position behind.
pub(super) struct Reply {
    /// What its line ends with, if that is the reply.
    pub(super) shown: Option<Move>,
    /// The value that the leaf says, for the player who replies.
    pub(super) expected: i32,
    /// The value that the position behind the reply says.
    pub(super) found: i32,
}

/// Replies to a leaf that leads to `board`, which the book lacks; in the order of their squares. None in other modes.
pub(super) fn all(index: &Index<'_>, mode: Mode, leaf: Edge, board: Board) -> Vec<Reply> {
    let with_reply = match mode {
        Mode::RepliesToLeaves => true,
        Mode::LeavesWithReplies => false,
        _ => return Vec::new(),
    };
    let board = match board.state() {
        State::Pass => board.passed(),
        State::Moves | State::Over => board,
    };
    let reply = |square| {
        let after = board.play_legal(square).canonical().board;
        let found = index.find(after)?;
        Some(Reply {
            shown: with_reply.then_some(Move::Place(square)),
            expected: -i32::from(leaf.score),
            found: -i32::from(found.record.value()),
        })
    };
    board.legal_moves().iter().filter_map(reply).collect()
}
