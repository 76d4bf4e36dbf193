//! Edges of records, their notation in the classic programs, and replies to leaves.

use othello_core::{Board, Move, State};

use crate::Edge;
use crate::edax::EdaxRecordRef;
use crate::miner::Mode;
use crate::store::EdaxIndex;

/// The edge of a record at an index: links, then the leaf if there is one.
#[inline]
pub(super) fn edge(record: &EdaxRecordRef<'_>, n: usize) -> Option<Edge> {
    let edge = record.edge(n)?;
    (n < record.link_count() || edge.number != Edge::NONE).then_some(edge)
}

/// Appends a move in the notation of the classic programs; passes are not written.
pub(super) fn push(transcript: &mut String, mv: Move) {
    if let Move::Place(square) = mv {
        let square = square.rotated();
        transcript.push((b'a' + square.file()) as char);
        transcript.push((b'1' + square.rank()) as char);
    }
}

/// Appends a number that is no square as if the board went on: `a9` for a pass, `b9` for no move.
pub(super) fn push_number(transcript: &mut String, edge: Edge) {
    transcript.push((b'a' + edge.number % 8) as char);
    transcript.push_str(&(edge.number / 8 + 1).to_string());
}

/// A reply to a leaf that leads back into the book.
pub(super) struct Reply {
    /// The reply, if lines end with it.
    pub(super) shown: Option<Move>,
    /// The value of the leaf, for the player who replies.
    pub(super) expected: i32,
    /// The value of the position behind the reply.
    pub(super) found: i32,
}

/// The replies to a leaf that leads to `board`, which the book lacks, in the order of their squares (modes 6 and 7).
pub(super) fn replies(index: &EdaxIndex<'_>, mode: Mode, leaf: Edge, board: Board) -> Vec<Reply> {
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
