//! Values as text books have them.
//!
//! The programs that made the field's books wrote their own unit: a pawn is 90, and not 100 as in USI. Books
//! that are to be merged with theirs, and limits such as `black_eval_limit -50`, need the same.

use shogi_usi::Score;

/// The value of a pawn in a book; it is 100 in USI.
const PAWN: i64 = 90;
/// A mate on the spot.
const MATE: i64 = 32_000;
/// Mates are longer than so many plies never.
const LONGEST_MATE: i64 = 246;
/// The greatest value that is no mate.
const MOST: i64 = MATE - LONGEST_MATE - 1;

/// A score as a book has it. A mate in n plies is 32,000 − n, being mated the negative of that; a mate of unknown
/// length is the longest (31,754). Everything else lies between.
///
/// Scores of this program's engine get back exactly the value that they had inside the engine.
pub(crate) fn book_eval(score: Score) -> i32 {
    let eval = match score {
        Score::Cp(cp) => {
            let cp = i64::from(cp);
            // Away from zero: centipawns were rounded towards it.
            let eval = (cp.abs() * PAWN + 99) / 100 * cp.signum();
            eval.clamp(-MOST, MOST)
        }
        Score::Mate(plies) => {
            let plies = i64::from(plies.get());
            (MATE - plies.abs().min(LONGEST_MATE)) * plies.signum()
        }
        Score::MateUnknown => MATE - LONGEST_MATE,
        Score::MatedUnknown => LONGEST_MATE - MATE,
    };
    eval as i32
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI32;

    use shogi_engine::usi_score;
    use shogi_search::Value;

    use super::*;

    #[test]
    fn values_of_the_engine_come_back() {
        for value in -3000..=3000 {
            assert_eq!(book_eval(usi_score(Value(value))), value);
        }
    }

    #[test]
    fn mates_are_near_the_ends() {
        let mate = |plies| book_eval(Score::Mate(NonZeroI32::new(plies).unwrap()));
        assert_eq!((mate(1), mate(7), mate(-2)), (31_999, 31_993, -31_998));
        assert_eq!((mate(400), mate(-400)), (31_754, -31_754));
        assert_eq!(book_eval(Score::MateUnknown), 31_754);
        assert_eq!(book_eval(Score::MatedUnknown), -31_754);
        assert_eq!(book_eval(Score::Cp(99_999)), 31_753);
        assert_eq!(book_eval(Score::Cp(i32::MIN)), -31_753);
        assert_eq!(book_eval(Score::Cp(0)), 0);
    }
}
