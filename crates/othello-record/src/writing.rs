//! What several forms write alike.

use othello_core::{Move, Side};

use crate::OthelloNodeId;
use crate::tree::OthelloRecord;

/// A text without line ends and blanks around it.
pub(crate) fn one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A step of a line that is written: a node with its move and the side that made it.
pub(crate) fn steps(
    record: &OthelloRecord,
) -> impl Iterator<Item = (OthelloNodeId, Side, Move)> + '_ {
    record.main_line().filter_map(|id| {
        let node = record.node(id);
        Some((id, node.position().side().other(), node.mv()?))
    })
}
