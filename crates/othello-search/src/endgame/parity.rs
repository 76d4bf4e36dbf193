//! Parity: empty squares by the quadrant that they lie in. Who moves last in a quadrant gains by it.

/// Parts of the board that are played out one after the other; the last move in each is worth having.
pub(super) const QUADRANTS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

/// The four corners.
pub(crate) const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The squares of the quadrants with an odd number of empty squares.
#[inline(always)]
pub(crate) fn odd_quadrants(empty: u64) -> u64 {
    QUADRANTS.iter().fold(0, |odd, &quadrant| {
        let is_odd = u64::from((empty & quadrant).count_ones() & 1);
        odd | is_odd.wrapping_neg() & quadrant
    })
}
