//! The sums of the first layer along the line of moves from the root.

use shogi_core::{Color, Delta, PieceKind, Position, Square};

use super::all_features::{AllFeatures, SeenByBoth};
use super::cache::RefreshCache;
use super::features::{Seen, missing_pieces, own_king};
use super::prepared::PreparedNetwork;
use super::rows::{self, Sink};
use super::sizes::Sizes;
use crate::nnue::aligned::Aligned;
use crate::nnue::features::{BoardFeatures, FeatureSet, Swaps};
use crate::nnue::progress::Progress;
use crate::nnue::simd::{Isa, LINE, Line};
use crate::{Changes, PieceList, seen_by};

/// Positions that there is room for from the beginning.
const ROOM: usize = 256;

/// What is known of one position of the line. What is there for each viewer has black's first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Slot {
    /// What the move to it changed in the features. If a viewer needs a refresh, its sums cannot be computed from
    /// those of the position before.
    swaps: Swaps,
    /// Whether the sums are there.
    ready: [bool; 2],
    /// The viewers' own kings, as they see them.
    own_kings: [Square; 2],
    /// Passes since: they change nothing.
    passes: u32,
    /// How features are seen from there.
    views: [BoardFeatures; 2],
    /// Sums of the progress, if the network has it and the other sums are there.
    progress: [i64; 2],
    /// What the move to it changed, if the network has a progress.
    changes: Option<Changes>,
}

impl Slot {
    /// The root of a line, of which nothing is known.
    fn root(features: FeatureSet) -> Self {
        let view = |viewer| BoardFeatures::new(features, viewer, Square::S5I);
        Self {
            swaps: Swaps::default(),
            ready: [false; 2],
            own_kings: [Square::S5I; 2],
            passes: 0,
            views: Color::ALL.map(view),
            progress: [0; 2],
            changes: None,
        }
    }

    /// Becomes that of `position`.
    #[inline]
    fn set_root(&mut self, features: FeatureSet, position: &Position) {
        for viewer in Color::ALL {
            self.set_own_king(features, viewer, own_king(position, viewer));
            self.swaps.refresh_if(viewer, true);
        }
        self.ready = [false; 2];
        self.changes = None;
        self.passes = 0;
    }

    /// The own king of `viewer` is on `square` as it sees it.
    #[inline]
    fn set_own_king(&mut self, features: FeatureSet, viewer: Color, square: Square) {
        self.own_kings[viewer.index()] = square;
        self.views[viewer.index()] = BoardFeatures::new(features, viewer, square);
    }
}

/// The line from the root, with sums as far as they have been needed.
#[derive(Debug)]
pub(super) struct Stack {
    features: FeatureSet,
    /// Those from `len` on mean nothing. They stay, so that a move writes little.
    slots: Vec<Slot>,
    /// 0 before the first position.
    len: usize,
    /// By slot, then by viewer.
    sums: Aligned<i16>,
    /// Pieces of a set that are not in the game, kings aside.
    missing: u8,
}

impl Stack {
    pub(super) fn new(network: &PreparedNetwork) -> Self {
        let features = network.architecture().features();
        Self {
            features,
            slots: vec![Slot::root(features); ROOM],
            len: 0,
            sums: Aligned::zeros(ROOM * 2 * network.lines() * LINE),
            missing: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Begins anew.
    pub(super) fn reset(&mut self, position: &Position) {
        self.slots[0].set_root(self.features, position);
        self.len = 1;
        self.missing = missing_pieces(position);
    }

    /// A move was made.
    #[inline]
    pub(super) fn push(&mut self, network: &PreparedNetwork, delta: Option<&Delta>) {
        let [.., last, next] = &mut self.slots[..=self.len] else {
            return;
        };
        let Some(delta) = delta else {
            last.passes += 1;
            return;
        };
        next.ready = [false; 2];
        next.own_kings = last.own_kings;
        next.views = last.views;
        let king_move = match delta.moved.after {
            Some((piece, to)) if piece.kind() == PieceKind::King => Some((piece.color(), to)),
            _ => None,
        };
        if let Some((color, to)) = king_move {
            next.set_own_king(self.features, color, seen_by(color, to));
        }
        let [black, white] = &next.views;
        BoardFeatures::swaps([black, white], self.features, delta, &mut next.swaps);
        if let (Some((color, _)), Some(_)) = (king_move, network.progress()) {
            // The progress goes by the own king's square, whatever the features do.
            next.swaps.refresh_if(color, true);
        }
        let swaps = Color::ALL.map(|viewer| next.swaps.of(viewer));
        network.rows().prefetch(swaps);
        next.changes = network.progress().map(|_| Changes::new(delta));
        next.passes = 0;
        self.len += 1;
        if self.len == self.slots.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let unused = Slot::root(self.features);
        self.slots.resize(2 * self.slots.len(), unused);
        let mut sums = Aligned::zeros(2 * self.sums.len());
        sums[..self.sums.len()].copy_from_slice(&self.sums);
        self.sums = sums;
    }

    /// The last move was taken back.
    #[inline]
    pub(super) fn pop(&mut self) {
        if self.len == 0 {
            return;
        }
        match &mut self.slots[self.len - 1].passes {
            0 => self.len -= 1,
            passes => *passes -= 1,
        }
    }

    /// Where `color`'s king is in the last position as it sees it.
    #[inline(always)]
    pub(super) fn own_king(&self, color: Color) -> Square {
        self.slots[self.len - 1].own_kings[color.index()]
    }

    /// The last position's sum of the progress in both views.
    #[inline(always)]
    pub(super) fn progress(&self) -> i64 {
        let [black, white] = self.slots[self.len - 1].progress;
        black + white
    }

    /// The last position's sums as `viewer` sees it.
    #[inline(always)]
    pub(super) fn view(&self, sizes: Sizes, viewer: Color) -> &[Line] {
        let place = 2 * (self.len - 1) + viewer.index();
        &self.sums.as_chunks().0[place * sizes.lines..][..sizes.lines]
    }

    /// Computes the sums of the last position if it follows one whose sums are there, as nearly always in searches, and
    /// gives them to who takes those of black and of white. Tells whether that was so.
    #[inline(always)]
    pub(super) fn follow<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        sizes: Sizes,
        [black, white]: [&mut impl Sink; 2],
    ) -> bool {
        let last = self.len - 1;
        if !self.is_next(last) {
            return false;
        }
        let (rows, swaps) = (network.rows(), &self.slots[last].swaps);
        if rows.may_have_rests(isa, swaps.all()) {
            return false;
        }
        let lines = sizes.lines;
        let sums = &mut self.sums.as_chunks_mut().0[2 * (last - 1) * lines..][..4 * lines];
        let (from, to) = sums.split_at_mut(2 * lines);
        let (from_black, from_white) = from.split_at(lines);
        let (to_black, to_white) = to.split_at_mut(lines);
        let [of_black, of_white] = Color::ALL.map(|viewer| swaps.of(viewer));
        rows::swap_into(isa, from_black, to_black, rows, of_black, black);
        rows::swap_into(isa, from_white, to_white, rows, of_white, white);
        self.slots[last].ready = [true; 2];
        for viewer in Color::ALL {
            self.follow_progress(network, last, viewer);
        }
        true
    }

    /// Computes the sums of the last position, which is `position`.
    #[inline(always)]
    pub(super) fn bring_up<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        sizes: Sizes,
        cache: &mut RefreshCache,
        position: &Position,
    ) {
        for viewer in Color::ALL {
            if let Some(start) = self.start(viewer) {
                for slot in start + 1..self.len {
                    self.step(isa, network, sizes, slot, viewer);
                }
            } else {
                let (seen, sums) = self.refreshed(network, sizes, position, viewer);
                cache.look_at(position);
                cache.refresh(isa, network, seen, sums);
            }
        }
    }

    /// Whether the sums of `slot` are not there and can be computed from those of the one before, for both viewers.
    #[inline(always)]
    fn is_next(&self, slot: usize) -> bool {
        if slot == 0 {
            return false;
        }
        let [before, slot] = [&self.slots[slot - 1], &self.slots[slot]];
        before.ready == [true; 2] && slot.ready == [false; 2] && !slot.swaps.refreshes_any()
    }

    /// Computes the sums of the last position, which is `position`, from nothing. Its features are left in `all`.
    #[inline(always)]
    pub(super) fn compute_afresh<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        sizes: Sizes,
        all: &mut AllFeatures,
        position: &Position,
    ) {
        let [black, white] = &self.slots[self.len - 1].views;
        let seen = SeenByBoth {
            position,
            missing: self.missing,
            set: self.features,
            views: [black, white],
        };
        all.list(isa, seen);
        let rows = network.rows();
        let biases = &network.biases().as_chunks().0[..sizes.lines];
        for viewer in Color::ALL {
            let added = all.of(viewer);
            rows.prefetch_all(added);
            let (_, sums) = self.refreshed(network, sizes, position, viewer);
            rows::update(isa, biases, sums, rows, &[], added);
        }
    }

    /// The last position, which is `position`, as `viewer` sees it, and the place for its sums, which
    /// are to be written there.
    #[inline(always)]
    fn refreshed<'a>(
        &mut self,
        network: &PreparedNetwork,
        sizes: Sizes,
        position: &'a Position,
        viewer: Color,
    ) -> (Seen<'a>, &mut [Line]) {
        let last = self.len - 1;
        let slot = &mut self.slots[last];
        slot.ready[viewer.index()] = true;
        if let Some(progress) = network.progress() {
            slot.progress[viewer.index()] = progress.view_sum(&PieceList::new(position), viewer);
        }
        let seen = Seen {
            position,
            missing: self.missing,
            set: self.features,
            viewer,
            own_king: slot.own_kings[viewer.index()],
        };
        let place = (2 * last + viewer.index()) * sizes.lines;
        let sums = self.sums.as_chunks_mut().0;
        (seen, &mut sums[place..][..sizes.lines])
    }

    /// The last slot whose sums are there, if those of the last one can be computed from them.
    #[inline(always)]
    fn start(&self, viewer: Color) -> Option<usize> {
        for (number, slot) in self.slots[..self.len].iter().enumerate().rev() {
            if slot.ready[viewer.index()] {
                return Some(number);
            }
            if slot.swaps.refresh(viewer) {
                return None;
            }
        }
        None
    }

    /// Computes the sums of `slot` as `viewer` sees it from those of the one before.
    #[inline(always)]
    fn step<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        sizes: Sizes,
        slot: usize,
        viewer: Color,
    ) {
        let lines = sizes.lines;
        let sums = self.sums.as_chunks_mut().0;
        let sums = &mut sums[2 * (slot - 1) * lines..][..4 * lines];
        let (before, after) = sums.split_at_mut(2 * lines);
        let from = &before[viewer.index() * lines..][..lines];
        let to = &mut after[viewer.index() * lines..][..lines];
        let next = &mut self.slots[slot];
        next.ready[viewer.index()] = true;
        let swaps = &next.swaps;
        rows::swap(isa, from, to, network.rows(), swaps.of(viewer), swaps.all());
        self.follow_progress(network, slot, viewer);
    }

    /// Computes the sum of the progress of `slot` as `viewer` sees it from that of the one before, if there is one.
    #[inline(always)]
    fn follow_progress(&mut self, network: &PreparedNetwork, slot: usize, viewer: Color) {
        let next = &self.slots[slot];
        if let (Some(progress), Some(changes)) = (network.progress(), &next.changes) {
            let own_king = next.own_kings[viewer.index()];
            let change = progress_change(progress, changes, viewer, own_king);
            let before = self.slots[slot - 1].progress[viewer.index()];
            self.slots[slot].progress[viewer.index()] = before + change;
        }
    }
}

/// What a move that leaves `viewer`'s king in place changes in the sum of the progress.
fn progress_change(progress: &Progress, changes: &Changes, viewer: Color, own_king: Square) -> i64 {
    let weight = |piece| i64::from(progress.weight(own_king, piece));
    let changes = changes.pieces();
    changes
        .map(|change| weight(change.after[viewer]) - weight(change.before[viewer]))
        .sum()
}
