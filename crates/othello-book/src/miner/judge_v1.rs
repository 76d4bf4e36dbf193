//! Whether an edge and the position behind it agree, as the oldest version has it.
//!
//! Two things are peculiar. A leaf takes part with its value even if it is none: that is -127, below all others, so it
//! shows only where there are no links. And the best value is never below -64 where it is compared, though the moves
//! that come out are looked for without that.

use super::Mode;
use super::mismatch::{Mismatch, Moves};
use crate::Edge;
use crate::edax::RecordRef;

/// The value from which the search for the best one begins.
const WORST: i32 = -64;

pub(super) fn judge(
    mode: Mode,
    parent: &RecordRef<'_>,
    edge: Edge,
    record: &RecordRef<'_>,
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
