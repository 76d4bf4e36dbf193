//! Sums of the first layer for every place of the own king, so that a king's move costs the pieces
//! that changed since it was there last, not all pieces.

use shogi_core::{Color, Position, Square};

use super::features::Contents;
use super::prepared::{PreparedNetwork, RowsOf};
use super::rows;
use crate::nnue::aligned::Aligned;
use crate::nnue::simd::{Isa, LINE, Line};

/// By viewer and own king's square: the sums for some position with the king there.
#[derive(Debug)]
pub(super) struct RefreshCache {
    entries: Vec<Contents>,
    sums: Aligned<i16>,
    lines: usize,
}

impl RefreshCache {
    /// Sums for no pieces.
    pub(super) fn new(network: &PreparedNetwork) -> Self {
        let lines = network.lines();
        let count = Color::ALL.len() * Square::COUNT;
        let mut sums = Aligned::zeros(count * lines * LINE);
        for entry in sums.chunks_exact_mut(lines * LINE) {
            entry.copy_from_slice(network.biases());
        }
        Self {
            entries: vec![Contents::EMPTY; count],
            sums,
            lines,
        }
    }

    /// Writes the sums of `position` as `viewer` sees it, whose king is on `own_king` then, to `sums`.
    #[inline(always)]
    pub(super) fn refresh<I: Isa>(
        &mut self,
        isa: I,
        rows: RowsOf<'_>,
        position: &Position,
        viewer: Color,
        own_king: Square,
        sums: &mut [Line],
    ) {
        let set = rows.features;
        let place = viewer.index() * Square::COUNT + own_king.index();
        let new = Contents::new(position, set, viewer);
        let entry = &mut self.entries[place];
        let [removed, added] = entry.changes(&new, set, viewer, own_king);
        *entry = new;
        let cached = &mut self.sums[place * self.lines * LINE..][..self.lines * LINE];
        let (cached, _) = cached.as_chunks_mut();
        rows::update_in_place(isa, cached, |feature| rows.row(feature), &removed, &added);
        sums.copy_from_slice(cached);
    }
}
