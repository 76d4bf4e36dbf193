//! Moves that are too bad or too deep.

use super::Limits;
use crate::Edge;
use crate::edax::RecordRef;

impl Limits {
    /// What a line has lost behind a move, if that is within the limits: `lost` is what it lost before, `plies` are
    /// its plies with the move.
    pub(super) fn after(
        &self,
        record: &RecordRef<'_>,
        edge: Edge,
        lost: u32,
        plies: u32,
    ) -> Option<u32> {
        let worse = i32::from(record.value()) - i32::from(edge.score);
        let error = match edge.number {
            Edge::PASS => 0,
            _ => u32::try_from(worse).unwrap_or(0),
        };
        let within = |limit: Option<u32>, n: u32| limit.is_none_or(|limit| n <= limit);
        let lost = lost + error;
        (within(self.error, error) && within(self.sum, lost) && within(self.plies, plies))
            .then_some(lost)
    }
}
