//! Where the positions of a small text book stand that is not sorted.

use std::hash::{BuildHasher as _, RandomState};

use crate::db::{Records, canonical_sfen};

/// Bytes of a text book that is read as a whole to find positions in it when it is not sorted.
pub const SMALL_BOOK: u64 = 64 << 20;

/// The places of all records by their positions, whatever their plies are.
#[derive(Debug)]
pub(super) struct RecordIndex {
    hasher: RandomState,
    /// Hash of the canonical SFEN without ply, and the byte where the record begins.
    places: Vec<(u64, u64)>,
}

impl RecordIndex {
    /// The index of a text; records that are no positions are left out.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut index = Self {
            hasher: RandomState::new(),
            places: Vec::new(),
        };
        let mut buffer = Vec::new();
        for record in Records::new(text, 0) {
            if let Ok(line) = canonical_sfen(record.sfen, &mut buffer) {
                let hash = index.hasher.hash_one(line.position);
                index.places.push((hash, record.offset));
            }
        }
        index.places.sort_unstable();
        index
    }

    /// Places where records of a position may begin, rising.
    pub(super) fn candidates(&self, position: &[u8]) -> impl Iterator<Item = u64> {
        let hash = self.hasher.hash_one(position);
        let start = self.places.partition_point(|place| place.0 < hash);
        let same = self.places[start..].iter();
        same.take_while(move |place| place.0 == hash)
            .map(|place| place.1)
    }

    /// The number of records.
    pub(super) const fn len(&self) -> usize {
        self.places.len()
    }
}
