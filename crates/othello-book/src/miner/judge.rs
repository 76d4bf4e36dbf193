//! Whether an edge and the position behind it agree.

use super::judge_v1;
use super::mismatch::{Mismatch, Moves};
use super::{Dialect, Mode};
use crate::Edge;
use crate::edax::RecordRef;

/// The leaf, if there is one.
#[inline(always)]
pub(super) fn leaf(record: &RecordRef<'_>) -> Option<Edge> {
    let leaf = record.leaf();
    (leaf.number != Edge::NONE).then_some(leaf)
}

/// The first of the best links; the leaf instead, if it is as good.
#[inline]
fn best(record: &RecordRef<'_>) -> Option<Edge> {
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

/// Judges the position behind an edge of another.
#[inline]
pub(super) fn judge(
    mode: Mode,
    dialect: Dialect,
    parent: &RecordRef<'_>,
    edge: Edge,
    record: &RecordRef<'_>,
) -> Option<Mismatch> {
    if dialect == Dialect::V1 {
        return judge_v1::judge(mode, parent, edge, record);
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
