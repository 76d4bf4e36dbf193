//! Scores of a search as the protocol has them.

use std::num::NonZeroI32;

use shogi_search::{Bound, Value};
use shogi_usi::{Score, ScoreBound};

/// A score of a search as it is told: centipawns, or plies to mate.
pub fn usi_score(value: Value) -> Score {
    // Mated on the spot: nearer than one ply cannot be written.
    const NEAREST: NonZeroI32 = NonZeroI32::new(-1).expect("-1 is not 0");
    match value.mate_plies() {
        None => Score::Cp(value.centipawns()),
        Some(plies) => Score::Mate(NonZeroI32::new(plies).unwrap_or(NEAREST)),
    }
}

/// The kind of a score as it is told; `None` when it is exact.
pub const fn score_bound(bound: Bound) -> Option<ScoreBound> {
    match bound {
        Bound::Exact => None,
        Bound::Lower => Some(ScoreBound::Lower),
        Bound::Upper => Some(ScoreBound::Upper),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores() {
        let text = |value| usi_score(value).to_string();
        assert_eq!(text(Value(90)), "cp 100");
        assert_eq!(text(Value(-89)), "cp -98");
        assert_eq!(text(Value::mate_in(3)), "mate 3");
        assert_eq!(text(Value::mated_in(2)), "mate -2");
        assert_eq!(text(Value::mated_in(0)), "mate -1");
    }
}
