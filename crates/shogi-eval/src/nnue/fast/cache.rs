//! Sums of the first layer for every place of the own king, so that a king's move costs the pieces
//! that changed since it was there last, not all pieces.

use shogi_core::{Color, Position, Square};

use super::features::{Contents, Differences, NOTHING, Seen};
use super::prepared::PreparedNetwork;
use super::rows;
use crate::nnue::aligned::Aligned;
use crate::nnue::simd::{Isa, LINE, Line};

/// By viewer and own king's square: the sums for some position with the king there.
#[derive(Debug)]
pub(super) struct RefreshCache {
    entries: Vec<Contents>,
    sums: Aligned<i16>,
    /// Those of the position that is looked at.
    contents: Contents,
    differences: Differences,
}

impl RefreshCache {
    /// Sums for no pieces.
    pub(super) fn new(network: &PreparedNetwork) -> Self {
        let size = network.lines() * LINE;
        let count = Color::ALL.len() * Square::COUNT;
        let mut sums = Aligned::zeros(count * size);
        for entry in sums.chunks_exact_mut(size) {
            entry.copy_from_slice(network.biases());
        }
        Self {
            entries: vec![Contents::EMPTY; count],
            sums,
            contents: Contents::EMPTY,
            differences: Differences::NONE,
        }
    }

    /// What follows is about `position`.
    #[inline(always)]
    pub(super) fn look_at(&mut self, position: &Position) {
        self.contents.set_board(position);
    }

    /// Writes the sums of `seen`, a view of the position that was looked at, to `sums`.
    #[inline(always)]
    pub(super) fn refresh<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        seen: Seen<'_>,
        sums: &mut [Line],
    ) {
        let place = seen.viewer.index() * Square::COUNT + seen.own_king.index();
        let entry = &mut self.entries[place];
        self.contents.set_view(seen);
        entry.compare(isa, &self.contents, seen, &mut self.differences);
        entry.clone_from(&self.contents);
        let cached = self.sums.as_chunks_mut().0;
        let cached = &mut cached[place * sums.len()..][..sums.len()];
        let Differences { removed, added } = &self.differences;
        let mut from = &*cached;
        if removed.as_slice().len() + added.as_slice().len() > seen.set.active_count() {
            // Not much is left of what stood there when the king was there last.
            NOTHING.compare(isa, &self.contents, seen, &mut self.differences);
            from = &network.biases().as_chunks().0[..sums.len()];
        }
        let Differences { removed, added } = &self.differences;
        let (removed, added) = (removed.as_slice(), added.as_slice());
        rows::update(isa, from, sums, network.rows(), removed, added);
        cached.copy_from_slice(sums);
    }
}
