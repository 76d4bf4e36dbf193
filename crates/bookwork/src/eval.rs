//! Scores of engines as values of books.

use shogi_usi::Score;

/// The value of a pawn in a book; it is 100 in USI.
const PAWN: i64 = 90;
/// A mate on the spot.
const MATE: i64 = 32_000;
/// Longest mate.
const LONGEST_MATE: i64 = 246;

/// A score in the unit of the field's books: a pawn is 90, a mate in n plies 32,000 − n.
pub(crate) fn book_eval(score: Score) -> i32 {
    let most = MATE - LONGEST_MATE - 1;
    let eval = match score {
        Score::Cp(cp) => {
            let cp = i64::from(cp);
            // Away from zero: centipawns were rounded towards it.
            ((cp.abs() * PAWN + 99) / 100 * cp.signum()).clamp(-most, most)
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
