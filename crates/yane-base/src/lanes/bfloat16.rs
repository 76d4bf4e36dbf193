//! Numbers of 16 bits with the exponent of an `f32`: its upper half. Two of them are a pair, the first in the lower half of a `u32`.

/// Both numbers as a pair, each rounded to the nearest (of two the even one); below 2⁻¹²⁶ they are 0.
#[inline(always)]
pub const fn pair(first: f32, second: f32) -> u32 {
    rounded(first) >> 16 | rounded(second)
}

/// The numbers of a pair.
#[inline(always)]
pub const fn numbers(pair: u32) -> [f32; 2] {
    [f32::from_bits(pair << 16), f32::from_bits(pair & UPPER)]
}

const UPPER: u32 = 0xffff_0000;

/// The bits of a number whose lower half is 0.
#[inline(always)]
const fn rounded(number: f32) -> u32 {
    let bits = number.to_bits();
    let is_normal = bits & 0x7f80_0000 != 0;
    // The halfway point is rounded up where the last bit that stays is 1.
    let sum = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
    // Without a branch, so that a loop over numbers is one of vectors.
    sum & UPPER & (is_normal as u32).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        for (number, expected) in [
            (1.0, 1.0),
            (-2.5, -2.5),
            (0.0, 0.0),
            (1.0 + 1.0 / 256.0, 1.0),
            (1.0 + 1.01 / 256.0, 1.0 + 1.0 / 128.0),
            (1.0 + 3.0 / 256.0, 1.0 + 2.0 / 128.0),
            (-1.0 - 2.99 / 256.0, -1.0 - 1.0 / 128.0),
            (f32::MIN_POSITIVE / 2.0, 0.0),
        ] {
            let bits = |numbers: [f32; 2]| numbers.map(f32::to_bits);
            assert_eq!(bits(numbers(pair(number, -7.0))), bits([expected, -7.0]));
            assert_eq!(bits(numbers(pair(-7.0, number))), bits([-7.0, expected]));
        }
    }
}
