//! The levels of Egaroucid and Edax, as depths and selectivities.

use crate::api::Selectivity;
use Selectivity::{Exact, P73, P74, P87, P88, P93, P95, P98, P99};

/// The selectivity of searches to the end, by the largest number of empty squares of each.
type Ends = [(u32, Selectivity)];

fn to_the_end(ends: &Ends, empties: u32) -> Option<(u32, Selectivity)> {
    let found = ends.iter().find(|&&(most, _)| empties <= most)?;
    Some((empties, found.1))
}

/// Egaroucid 7.9. Up to level 10 without pruning, to the end from twice as many empty squares. Its level 37 has 36 twice;
/// here it is that of level 38.
pub(super) fn egaroucid(level: u32, empties: u32) -> (u32, Selectivity) {
    if level <= 10 {
        return to_the_end(&[(2 * level, Exact)], empties).unwrap_or((level, Exact));
    }
    // Steps of two from the last squares on: from where exact, and the surest selectivities before it.
    let steps = |exact: u32, count: usize| -> Vec<(u32, Selectivity)> {
        let before = [P99, P98, P93, P88];
        let steps = (1..).zip(before).take(count);
        let steps = steps.map(|(n, selectivity)| (exact + 2 * n, selectivity));
        std::iter::once((exact, Exact)).chain(steps).collect()
    };
    let ends = match level {
        11 | 12 => vec![(21, Exact), (23, P99), (25, P98)],
        13 | 14 => vec![(21, Exact), (23, P99), (25, P98), (27, P93)],
        15..=17 => vec![(22, Exact), (24, P99), (27, P98)],
        18 | 19 => vec![(22, Exact), (24, P99), (27, P98), (29, P93)],
        20..=22 => vec![(24, Exact), (26, P99), (28, P98), (30, P93)],
        23 | 24 => steps(26, 3),
        25 | 26 => steps(26, 4),
        27 | 28 => steps(28, 4),
        29 | 30 => steps(30, 3),
        31 | 32 => steps(30, 4),
        33 | 34 => steps(32, 3),
        35 | 36 => steps(32, 4),
        37 | 38 => steps(34, 3),
        39 | 40 => steps(34, 4),
        41 | 42 => steps(36, 3),
        43 | 44 => steps(36, 4),
        45 | 46 => steps(38, 3),
        47 | 48 => steps(38, 4),
        49 | 50 => steps(40, 3),
        51 => steps(40, 4),
        52 => steps(42, 4),
        53 => steps(46, 4),
        54 => steps(48, 4),
        55 => steps(50, 4),
        56 => steps(52, 4),
        57 => steps(54, 3),
        58 => steps(56, 2),
        59 => steps(58, 1),
        _ => steps(60, 0),
    };
    let selectivity = match level {
        ..=55 => P74,
        56 | 57 => P88,
        58 | 59 => P93,
        _ => Exact,
    };
    to_the_end(&ends, empties).unwrap_or((level, selectivity))
}

/// Edax 4.6.
pub(super) fn edax(level: u32, empties: u32) -> (u32, Selectivity) {
    let ends = match level {
        0..=10 => {
            return to_the_end(&[(2 * level, Exact)], empties).unwrap_or((level, Exact));
        }
        11 | 12 => vec![(21, Exact), (24, P98)],
        13..=18 => vec![(21, Exact), (24, P98), (27, P87)],
        19..=21 => vec![(24, Exact), (27, P98), (30, P87)],
        22..=24 => vec![(24, Exact), (27, P99), (30, P95), (33, P73)],
        25..=27 => vec![(27, Exact), (30, P98), (33, P87)],
        28 | 29 => vec![(27, Exact), (30, P98), (33, P95), (36, P73)],
        30 | 31 => vec![(30, Exact), (33, P98), (36, P87)],
        32 | 33 => vec![(30, Exact), (33, P98), (36, P95), (39, P73)],
        34 | 35 => vec![(30, Exact), (33, P99), (36, P98), (39, P87)],
        36..=59 => vec![
            (level - 6, Exact),
            (level - 3, P99),
            (level, P98),
            (level + 3, P95),
            (level + 6, P87),
            (level + 9, P73),
        ],
        _ => vec![(60, Exact)],
    };
    to_the_end(&ends, empties).unwrap_or((level, P73))
}
