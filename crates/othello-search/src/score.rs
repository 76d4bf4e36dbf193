//! The unit of scores inside a search with an evaluation: parts of a disc, so that the score of the best line is not rounded. Null windows
//! lie between whole discs, as rounded: finer ones cost a third more time at 15 plies than they gain. The end game counts whole discs.

use othello_eval::Evaluator;

/// A disc has 2 to the power of this parts.
pub(crate) const PART_BITS: u32 = 3;

/// The parts of a disc.
pub(crate) const DISC: i32 = 1 << PART_BITS;

/// The greatest score in parts.
pub(crate) const MOST: i32 = 64 * DISC;

/// Whole discs in parts.
#[inline(always)]
pub(crate) const fn of_discs(discs: i32) -> i32 {
    discs << PART_BITS
}

/// The greatest number of whole discs that are no more than so many parts.
#[inline(always)]
pub(crate) const fn discs_at_most(parts: i32) -> i32 {
    parts >> PART_BITS
}

/// The least number of whole discs that are no less than so many parts.
#[inline(always)]
pub(crate) const fn discs_at_least(parts: i32) -> i32 {
    (parts + DISC - 1) >> PART_BITS
}

/// A value of the evaluation. None lies halfway between two discs: it is on the side to which it is rounded, so that a null window between
/// them is the same for both players.
#[inline(always)]
pub(crate) const fn of_value(evaluator: &Evaluator, value: i32) -> i32 {
    const LESS_THAN_HALF: i32 = (DISC - 1) / 2;
    let whole = of_discs(evaluator.discs(value));
    let parts = evaluator.parts(value, PART_BITS);
    if parts > whole + LESS_THAN_HALF {
        whole + LESS_THAN_HALF
    } else if parts < whole - LESS_THAN_HALF {
        whole - LESS_THAN_HALF
    } else {
        parts
    }
}

/// The greatest score that is the same in whole discs, rounded.
#[inline(always)]
pub(crate) const fn with_same_discs(parts: i32) -> i32 {
    let half = DISC / 2;
    of_discs((parts + half) >> PART_BITS) + (DISC - 1) / 2
}

/// Parts as whole discs, rounded, half away from zero.
pub(crate) const fn discs(parts: i32) -> i32 {
    rounded(parts, DISC)
}

/// Parts as tenths of a disc, rounded, half away from zero.
pub(crate) const fn tenths(parts: i32) -> i32 {
    rounded(parts * 10, DISC)
}

/// Tenths of a disc as parts, rounded.
pub(crate) const fn of_tenths(tenths: i32) -> i32 {
    rounded(tenths * DISC, 10)
}

const fn rounded(dividend: i32, divisor: i32) -> i32 {
    let half = divisor / 2;
    if dividend < 0 {
        -((half - dividend) / divisor)
    } else {
        (dividend + half) / divisor
    }
}

#[cfg(test)]
mod tests {
    use othello_eval::Weights;

    use super::*;

    #[test]
    fn windows_between_discs_agree_with_rounded_values() {
        let weights = Weights::built_in();
        let evaluator = weights.main();
        for value in -1000..1000 {
            let (parts, whole) = (of_value(evaluator, value), evaluator.discs(value));
            assert_eq!(discs(parts), whole, "{value}");
            assert_eq!(of_value(evaluator, -value), -parts);
            for bar in [whole - 1, whole, whole + 1] {
                let alpha = with_same_discs(of_discs(bar));
                assert_eq!(parts > alpha, whole > bar, "{value} {bar}");
                // As the other player sees it.
                assert_eq!(-parts > -alpha - 1, -whole > -bar - 1, "{value} {bar}");
            }
        }
    }

    #[test]
    fn tenths_are_rounded() {
        assert_eq!((tenths(of_discs(7)), tenths(-of_discs(7))), (70, -70));
        for parts in -MOST..=MOST {
            assert!((of_tenths(tenths(parts)) - parts).abs() <= 1);
            assert_eq!(tenths(-parts), -tenths(parts));
            assert!(discs_at_most(parts) <= discs(parts) && discs(parts) <= discs_at_least(parts));
        }
    }
}
