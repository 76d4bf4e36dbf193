//! Judgement of edges: comparison of an edge's value with the position behind it.

use crate::Edge;
use crate::edax::EdaxRecordRef;
use crate::miner::{Dialect, Mode};

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
    /// All moves above a value.
    Above(i32),
    /// The best move.
    Best(Edge),
    /// None, as there is no move.
    None,
}

impl Mismatch {
    /// The difference in discs.
    pub(super) const fn size(&self) -> u32 {
        self.expected.abs_diff(self.found)
    }
}
