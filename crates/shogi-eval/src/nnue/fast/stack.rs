//! The sums of the first layer along the line of moves from the root.

use shogi_core::{ByColor, Color, Delta, PieceKind, Position, Square};

use super::all_features::{AllFeatures, SeenByBoth};
use super::cache::RefreshCache;
use super::features::{Seen, missing_pieces, own_king};
use super::prepared::PreparedNetwork;
use super::rows;
use super::sizes::Sizes;
use crate::nnue::aligned::Aligned;
use crate::nnue::features::{BoardFeatures, ChangedFeatures, FeatureSet, Update};
use crate::nnue::progress::Progress;
use crate::nnue::simd::{Isa, LINE, Line};
use crate::{Changes, PieceList, seen_by};

/// Positions that there is room for from the beginning.
const ROOM: usize = 256;

/// What is known of one position of the line, for one viewer.
#[derive(Clone, Debug)]
struct View {
    own_king: Square,
    /// Those that the viewer sees from there.
    features: BoardFeatures,
    /// Whether the sums are there.
    ready: bool,
    /// What the move to the position changed.
    update: Update,
    /// Sum of the progress, if the network has it and the other sums are there.
    progress: i64,
}

impl View {
    /// Whether the sums are not there and can be computed from those of the position before.
    #[inline(always)]
    const fn can_follow(&self) -> bool {
        !self.ready && !self.update.refresh
    }
}

/// What is known of one position of the line.
#[derive(Clone, Debug)]
struct Slot {
    views: ByColor<View>,
    /// What the move to it changed, if the network has a progress.
    changes: Option<Changes>,
    /// Passes since: they change nothing.
    passes: u32,
}

impl Slot {
    /// The root of a line, of which nothing is known.
    fn root(features: FeatureSet) -> Self {
        let view = |viewer| View {
            own_king: Square::S5I,
            features: BoardFeatures::new(features, viewer, Square::S5I),
            ready: false,
            update: Update {
                refresh: true,
                removed: ChangedFeatures::EMPTY,
                added: ChangedFeatures::EMPTY,
            },
            progress: 0,
        };
        Self {
            views: ByColor(Color::ALL.map(view)),
            changes: None,
            passes: 0,
        }
    }

    /// Becomes that of `position`.
    #[inline]
    fn set_root(&mut self, features: FeatureSet, position: &Position) {
        for viewer in Color::ALL {
            let view = &mut self.views[viewer];
            view.own_king = own_king(position, viewer);
            view.features = BoardFeatures::new(features, viewer, view.own_king);
            view.ready = false;
            view.update.refresh = true;
        }
        self.changes = None;
        self.passes = 0;
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
        let rows = network.rows();
        let king_move = match delta.moved.after {
            Some((piece, to)) if piece.kind() == PieceKind::King => Some((piece.color(), to)),
            _ => None,
        };
        for viewer in Color::ALL {
            let (before, view) = (&last.views[viewer], &mut next.views[viewer]);
            view.own_king = before.own_king;
            view.features = before.features;
            view.ready = false;
            let own_king_moved = match king_move {
                Some((color, to)) if color == viewer => {
                    view.own_king = seen_by(viewer, to);
                    view.features = BoardFeatures::new(self.features, viewer, view.own_king);
                    true
                }
                _ => false,
            };
            let update = &mut view.update;
            view.features.update(self.features, delta, viewer, update);
            // The progress goes by the own king's square, whatever the features do.
            update.refresh |= network.progress().is_some() && own_king_moved;
            rows.prefetch(&update.removed);
            rows.prefetch(&update.added);
        }
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
        self.slots[self.len - 1].views[color].own_king
    }

    /// The last position's sum of the progress in both views.
    #[inline(always)]
    pub(super) fn progress(&self) -> i64 {
        let views = &self.slots[self.len - 1].views;
        views[Color::Black].progress + views[Color::White].progress
    }

    /// The last position's sums in both views, the side to move's first.
    #[inline(always)]
    pub(super) fn views(&self, sizes: Sizes, side_to_move: Color) -> [&[Line]; 2] {
        let lines = sizes.lines;
        let views = &self.sums.as_chunks().0[2 * (self.len - 1) * lines..][..2 * lines];
        let (black, white) = views.split_at(lines);
        match side_to_move {
            Color::Black => [black, white],
            Color::White => [white, black],
        }
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
        let last = self.len - 1;
        if self.is_next(last) {
            // As nearly always in searches.
            self.step(isa, network, sizes, last, Color::Black);
            self.step(isa, network, sizes, last, Color::White);
            return;
        }
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
        let [before_black, before_white] = &self.slots[slot - 1].views.0;
        let [black, white] = &self.slots[slot].views.0;
        before_black.ready && before_white.ready && black.can_follow() && white.can_follow()
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
        let views = &self.slots[self.len - 1].views.0;
        let seen = SeenByBoth {
            position,
            missing: self.missing,
            set: self.features,
            views: views.each_ref().map(|view| &view.features),
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
        let view = &mut self.slots[last].views[viewer];
        view.ready = true;
        if let Some(progress) = network.progress() {
            view.progress = progress.view_sum(&PieceList::new(position), viewer);
        }
        let seen = Seen {
            position,
            missing: self.missing,
            set: self.features,
            viewer,
            own_king: view.own_king,
        };
        let place = (2 * last + viewer.index()) * sizes.lines;
        let sums = self.sums.as_chunks_mut().0;
        (seen, &mut sums[place..][..sizes.lines])
    }

    /// The last slot whose sums are there, if those of the last one can be computed from them.
    #[inline(always)]
    fn start(&self, viewer: Color) -> Option<usize> {
        for (number, slot) in self.slots[..self.len].iter().enumerate().rev() {
            let view = &slot.views[viewer];
            if view.ready {
                return Some(number);
            }
            if view.update.refresh {
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
        let view = &mut next.views[viewer];
        view.ready = true;
        let Update { removed, added, .. } = &view.update;
        rows::update(isa, from, to, network.rows(), removed, added);
        if let (Some(progress), Some(changes)) = (network.progress(), &next.changes) {
            let change = progress_change(progress, changes, viewer, view.own_king);
            let before = self.slots[slot - 1].views[viewer].progress;
            self.slots[slot].views[viewer].progress = before + change;
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
