//! Proof numbers, lengths and depths: their limits.

/// Infinity: the proof number of a disproven node, the disproof number of a proven one.
pub(crate) const INF: u32 = 1 << 30;

/// The largest number of an undecided node.
pub(crate) const MAX_FINITE: u32 = INF - 1;

/// The step of initial numbers: two, so that a half can be expressed.
pub(crate) const UNIT: u32 = 2;

/// "Any number of plies", as a budget and as the reach of a disproof.
pub(crate) const ANY_LENGTH: u16 = 60_000;

/// The deepest line the search follows.
pub(crate) const MAX_DEPTH: u32 = 16_000;

/// The depth of a repetition: no repetition.
pub(crate) const NO_REPETITION: i32 = i32::MAX;

/// One ply less of a budget.
pub(crate) const fn less(budget: u16) -> u16 {
    if budget >= ANY_LENGTH {
        ANY_LENGTH
    } else {
        budget - 1
    }
}

/// One ply more of a length.
pub(crate) const fn more(length: u16) -> u16 {
    if length >= ANY_LENGTH {
        ANY_LENGTH
    } else {
        length + 1
    }
}
