//! What a part of a file became.

use crate::Damage;

/// Output of a batch, with what there is to count.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Bytes of the target format.
    pub(super) output: Vec<u8>,
    /// Games in it.
    pub(super) games: u64,
    /// Positions in it.
    pub(super) positions: u64,
    /// Games whose end reason cannot go with their result.
    pub(super) contradictions: u64,
    /// Bytes of the batch before the damage that ended it.
    pub(super) good: usize,
    /// Records that were left out, with their lengths.
    pub(super) skipped: Vec<(Damage, u64)>,
}
