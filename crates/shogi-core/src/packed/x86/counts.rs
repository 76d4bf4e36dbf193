//! Counting codes.

/// How many codes begin before each word, and all together.
pub(super) struct Counts(pub(super) [u32; 5]);

impl Counts {
    #[target_feature(enable = "popcnt")]
    #[inline]
    pub(super) fn new(starts: &[u64; 4]) -> Self {
        let a = starts[0].count_ones();
        let b = a + starts[1].count_ones();
        let c = b + starts[2].count_ones();
        Self([0, a, b, c, c + starts[3].count_ones()])
    }
}
