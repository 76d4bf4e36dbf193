//! Moves of records, and what the classic programs call them.

use othello_core::Move;

use crate::Edge;
use crate::edax::RecordRef;

/// The move of a record with a number: links, then the leaf if there is one.
#[inline]
pub(super) fn edge(record: &RecordRef<'_>, n: usize) -> Option<Edge> {
    let edge = record.edge(n)?;
    (n < record.link_count() || edge.number != Edge::NONE).then_some(edge)
}

/// Appends a move as the classic programs name it; a pass is not written.
pub(super) fn push(transcript: &mut String, mv: Move) {
    if let Move::Place(square) = mv {
        let square = square.rotated();
        transcript.push((b'a' + square.file()) as char);
        transcript.push((b'1' + square.rank()) as char);
    }
}

/// Appends what is no square as if there were more of them: `a9` for a pass, `b9` for no move.
pub(super) fn push_number(transcript: &mut String, edge: Edge) {
    transcript.push((b'a' + edge.number % 8) as char);
    transcript.push_str(&(edge.number / 8 + 1).to_string());
}
