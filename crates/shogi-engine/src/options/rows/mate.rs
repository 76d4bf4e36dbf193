//! The options about mate searches. `USI_Hash`, `Threads`, `MultiPV` and `PvInterval` are those of the search.

use shogi_mate::{CheckedRoot, Exactness};

use super::Row;
use crate::options::settings::MateChoice;

pub(super) fn rows() -> [Row; 4] {
    [
        Row::combo("MateKind", &["tsume", "help"], |s, word| {
            s.mate.kind = match word {
                "help" => MateChoice::Help,
                _ => MateChoice::Tsume,
            };
        }),
        Row::combo("MateExact", &["off", "upper", "shortest"], |s, word| {
            s.mate.exact = match word {
                "upper" => Exactness::Upper,
                "shortest" => Exactness::Shortest,
                _ => Exactness::Off,
            };
        }),
        Row::spin("MateNodesLimit", (0, 0, i64::MAX), |s, n| {
            s.mate.nodes_limit = (n != 0).then(|| n.unsigned_abs());
        }),
        Row::check("RootIsAndNodeIfChecked", false, |s, on| {
            s.mate.checked_root = if on {
                CheckedRoot::Defends
            } else {
                CheckedRoot::Attacks
            };
        }),
    ]
}
