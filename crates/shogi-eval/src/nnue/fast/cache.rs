//! Sums of the first layer for every place of the own king, so that a king's move costs the pieces
//! that changed since it was there last, not all pieces.

use shogi_core::{Color, Square};

use super::features::{Contents, Differences, Seen};
use super::prepared::PreparedNetwork;
use super::rows;
use crate::nnue::aligned::Aligned;
use crate::nnue::simd::{Isa, LINE, Line};

/// By viewer and own king's square: the sums for some position with the king there.
#[derive(Debug)]
pub(super) struct RefreshCache {
    entries: Vec<Contents>,
    sums: Aligned<i16>,
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
            differences: Differences::NONE,
        }
    }

    /// Writes the sums of `seen` to `sums`.
    #[inline(always)]
    pub(super) fn refresh<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        seen: Seen<'_>,
        sums: &mut [Line],
    ) {
        let place = seen.viewer.index() * Square::COUNT + seen.own_king.index();
        let rows = network.rows();
        let prefetch = |feature| rows.prefetch(feature);
        self.entries[place].change(seen, &mut self.differences, prefetch);
        let cached = self.sums.as_chunks_mut().0;
        let cached = &mut cached[place * sums.len()..][..sums.len()];
        let Differences { removed, added } = &self.differences;
        let (removed, added) = (removed.as_slice(), added.as_slice());
        rows::update_both(
            isa,
            cached,
            sums,
            |feature| rows.row(feature),
            removed,
            added,
        );
    }

    /// Writes the sums of `seen` to `sums`, from nothing.
    #[inline(always)]
    pub(super) fn compute_afresh<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        seen: Seen<'_>,
        sums: &mut [Line],
    ) {
        let rows = network.rows();
        let prefetch = |feature| rows.prefetch(feature);
        let mut nothing = Contents::EMPTY;
        nothing.change(seen, &mut self.differences, prefetch);
        let biases = network.biases().as_chunks().0;
        let added = self.differences.added.as_slice();
        rows::update(isa, biases, sums, |feature| rows.row(feature), &[], added);
    }
}
