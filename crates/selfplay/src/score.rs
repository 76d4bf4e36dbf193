//! Scores of engines as scores of teacher data.

use pack_format::Score;
use shogi_usi::Score as UsiScore;

/// Scores are kept within this, as the field's tools do; a mate is this minus its length in plies.
pub const MAX_SCORE: i16 = 32_000;

/// What a score of an engine is in a record, from the side of the player to move: centipawns within
/// ±30,000, a mate in `n` plies as 32,000 − `n`, being mated as −32,000 + `n`, a mate of unknown length as
/// ±31,999.
pub fn to_score(score: UsiScore) -> Score {
    const CP: i32 = 30_000;
    let max = i32::from(MAX_SCORE);
    let value = match score {
        UsiScore::Cp(cp) => cp.clamp(-CP, CP),
        UsiScore::Mate(plies) => {
            let length = plies.get().unsigned_abs().min(MAX_SCORE as u32) as i32;
            if plies.get() > 0 {
                max - length
            } else {
                length - max
            }
        }
        UsiScore::MateUnknown => max - 1,
        UsiScore::MatedUnknown => 1 - max,
    };
    Score(value as i16)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI32;

    use super::*;

    #[test]
    fn scores_are_those_of_the_fields_tools() {
        let mate = |plies| UsiScore::Mate(NonZeroI32::new(plies).unwrap());
        for (score, expected) in [
            (UsiScore::Cp(-57), -57),
            (UsiScore::Cp(30_001), 30_000),
            (UsiScore::Cp(i32::MIN), -30_000),
            (mate(1), 31_999),
            (mate(-4), -31_996),
            (mate(40_000), 0),
            (mate(i32::MIN), 0),
            (UsiScore::MateUnknown, 31_999),
            (UsiScore::MatedUnknown, -31_999),
        ] {
            assert_eq!(to_score(score), Score(expected), "{score:?}");
        }
    }
}
