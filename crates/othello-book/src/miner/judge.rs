//! Judgement of edges: comparison of the value of an edge with the position behind it; notation of edges.

use othello_core::{Board, Move, State};

use crate::Edge;
use crate::edax::EdaxRecordRef;
use crate::miner::{Dialect, Mode};
use crate::store::EdaxIndex;

/// The leaf of a record, if there is one.
#[inline(always)]
pub(super) fn leaf(record: &EdaxRecordRef<'_>) -> Option<Edge> {
    let leaf = record.leaf();
    (leaf.number != Edge::NONE).then_some(leaf)
}

/// The best edge of a record: the first best link, or the leaf if it is as good.
#[inline]
fn best(record: &EdaxRecordRef<'_>) -> Option<Edge> {
    let better = |best: Option<Edge>, link: Edge| match best {
        Some(best) if best.score >= link.score => Some(best),
        _ => Some(link),
    };
    let link = record.links().fold(None, better);
    match (link, leaf(record)) {
        (Some(link), Some(leaf)) if leaf.score >= link.score => Some(leaf),
        (None, leaf) => leaf,
        (link, _) => link,
    }
}

/// Compares an edge of `parent` with the position behind it.
#[inline]
pub(super) fn judge(
    mode: Mode,
    dialect: Dialect,
    parent: &EdaxRecordRef<'_>,
    edge: Edge,
    record: &EdaxRecordRef<'_>,
) -> Option<Mismatch> {
    if dialect == Dialect::V1 {
        return judge_v1(mode, parent, edge, record);
    }
    if mode == Mode::LeafAboveLinks {
        let links = record.links().map(|link| i32::from(link.score)).max()?;
        let leaf = leaf(record)?;
        let found = i32::from(leaf.score);
        return (found > links).then_some(Mismatch {
            expected: links,
            found,
            moves: Moves::Best(leaf),
        });
    }
    let best = best(record);
    let value = i32::from(record.value());
    let behind = -i32::from(edge.score);
    let best_value = best.map(|best| i32::from(best.score));
    let (expected, found) = match mode {
        Mode::ValueAndMoves => (value, best_value?),
        Mode::EdgeAndValue => (behind, value),
        Mode::EdgeAndMoves => (behind, best_value?),
        _ => return None,
    };
    let is_above = match (mode, dialect) {
        (Mode::EdgeAndValue, Dialect::V2) => -value > i32::from(edge.score),
        _ => found > expected,
    };
    let moves = match best {
        _ if found == expected => return None,
        None => Moves::None,
        Some(_) if is_above => Moves::Above(expected),
        Some(best) => Moves::Best(best),
    };
    Some(Mismatch {
        expected,
        found,
        moves,
    })
}

/// The initial value of the maximum in the oldest version.
const WORST: i32 = -64;

fn judge_v1(
    mode: Mode,
    parent: &EdaxRecordRef<'_>,
    edge: Edge,
    record: &EdaxRecordRef<'_>,
) -> Option<Mismatch> {
    let leaf = record.leaf();
    let leaf_value = i32::from(leaf.score);
    let links = record.links().map(|link| i32::from(link.score)).max();
    let best_link = links.unwrap_or(WORST).max(WORST);
    let best = best_link.max(leaf_value);
    let (value, behind) = (i32::from(record.value()), -i32::from(edge.score));
    let (expected, found) = match mode {
        // Without links there is nothing to compare.
        Mode::LeafAboveLinks => (best_link, links.map_or(best_link, |_| leaf_value)),
        Mode::ValueAndMoves => (value, best),
        Mode::EdgeAndValue => (behind, value),
        Mode::EdgeAndMoves => (behind, best),
        Mode::RepliesToLeaves | Mode::LeavesWithReplies => return None,
    };
    if found == expected || mode == Mode::LeafAboveLinks && found < expected {
        return None;
    }
    let parent = i32::from(parent.value());
    let best = links.map_or(leaf_value, |links| links.max(leaf_value));
    let (is_above, bound) = match mode {
        Mode::ValueAndMoves => (best > value, -value),
        Mode::EdgeAndValue => (-value > parent, -parent),
        Mode::EdgeAndMoves => (-best > parent, -parent),
        _ => (false, 0),
    };
    let moves = if is_above {
        Moves::Above(bound)
    } else if mode == Mode::LeafAboveLinks || leaf_value == best {
        Moves::Best(leaf)
    } else {
        let mut links = record.links();
        Moves::Best(links.find(|link| i32::from(link.score) == best)?)
    };
    Some(Mismatch {
        expected,
        found,
        moves,
    })
}

/// A mismatch, and the moves of the position that become lines.
pub(super) struct Mismatch {
    pub(super) expected: i32,
    pub(super) found: i32,
    pub(super) moves: Moves,
}

/// The moves of a position that become lines.
pub(super) enum Moves {
    /// All moves whose value is larger.
    Above(i32),
    /// The best move.
    Best(Edge),
    /// No moves, as none is legal.
    None,
}

impl Mismatch {
    /// The difference in discs.
    pub(super) const fn size(&self) -> u32 {
        self.expected.abs_diff(self.found)
    }
}

// Edges of records, their notation in the classic programs, and replies to leaves.

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
        let after = board.play_unchecked(square).canonical().board;
        let found = index.find(after)?;
        Some(Reply {
            shown: with_reply.then_some(Move::Place(square)),
            expected: -i32::from(leaf.score),
            found: -i32::from(found.record.value()),
        })
    };
    board.legal_moves().iter().filter_map(reply).collect()
}
