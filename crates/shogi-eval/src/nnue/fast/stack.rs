//! The sums of the first layer along the line of moves from the root.

use std::ops::Range;

use shogi_core::{ByColor, Color, Delta, PieceKind, Position, Square};

use super::cache::RefreshCache;
use super::features::{Seen, missing_pieces};
use super::prepared::PreparedNetwork;
use super::rows;
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
    /// The root of a line. A king that is not there has its place at home.
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
            let king = position.king(viewer);
            view.own_king = king.map_or(Square::S5I, |king| seen_by(viewer, king));
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
    lines: usize,
    /// Pieces of a set that are not in the game, kings aside.
    missing: u8,
}

impl Stack {
    pub(super) fn new(network: &PreparedNetwork) -> Self {
        let lines = network.lines();
        let features = network.architecture().features();
        Self {
            features,
            slots: vec![Slot::root(features); ROOM],
            len: 0,
            sums: Aligned::zeros(ROOM * 2 * lines * LINE),
            lines,
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
    pub(super) fn views(&self, side_to_move: Color) -> [&[Line]; 2] {
        [self.view(side_to_move), self.view(side_to_move.flip())]
    }

    /// The last position's sums as `viewer` sees it.
    #[inline(always)]
    fn view(&self, viewer: Color) -> &[Line] {
        self.sums[self.place(self.len - 1, viewer)].as_chunks().0
    }

    /// Where the sums of a slot lie.
    #[inline(always)]
    fn place(&self, slot: usize, viewer: Color) -> Range<usize> {
        let size = self.lines * LINE;
        let at = (2 * slot + viewer.index()) * size;
        at..at + size
    }

    /// Computes the sums of the last position, which is `position`.
    #[inline(always)]
    pub(super) fn bring_up<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        cache: &mut RefreshCache,
        position: &Position,
    ) {
        let last = self.len - 1;
        if self.is_next(last) {
            // As nearly always in searches.
            self.step(isa, network, last, &Color::ALL);
            return;
        }
        for viewer in Color::ALL {
            if let Some(start) = self.start(viewer) {
                for slot in start + 1..self.len {
                    self.step(isa, network, slot, &[viewer]);
                }
            } else {
                let (seen, sums) = self.refreshed(network, position, viewer);
                cache.look_at(position);
                cache.refresh(isa, network, seen, sums);
            }
        }
    }

    /// Whether the sums of `slot` are not there and can be computed from those of the one before, for both viewers.
    #[inline(always)]
    fn is_next(&self, slot: usize) -> bool {
        let Some([before, after]) = self.slots[..=slot].last_chunk() else {
            return false;
        };
        before.views.0.iter().all(|view| view.ready)
            && (after.views.0.iter()).all(|view| !view.ready && !view.update.refresh)
    }

    /// Computes the sums of the last position, which is `position`, from nothing.
    #[inline(always)]
    pub(super) fn compute_afresh<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        cache: &mut RefreshCache,
        position: &Position,
    ) {
        cache.look_at(position);
        for viewer in Color::ALL {
            let (seen, sums) = self.refreshed(network, position, viewer);
            cache.compute_afresh(isa, network, seen, sums);
        }
    }

    /// The last position, which is `position`, as `viewer` sees it, and the place for its sums, which
    /// are to be written there.
    #[inline(always)]
    fn refreshed<'a>(
        &mut self,
        network: &PreparedNetwork,
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
        let place = self.place(last, viewer);
        (seen, self.sums[place].as_chunks_mut().0)
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

    /// Computes the sums of `slot` from those of the one before, for some viewers.
    #[inline(always)]
    fn step<I: Isa>(&mut self, isa: I, network: &PreparedNetwork, slot: usize, viewers: &[Color]) {
        let size = self.lines * LINE;
        let (before, after) = self.sums.split_at_mut(2 * slot * size);
        let before = before[2 * (slot - 1) * size..].as_chunks().0;
        let after = after[..2 * size].as_chunks_mut().0;
        let (before, after) = (before.split_at(self.lines), after.split_at_mut(self.lines));
        let (from, to) = ([before.0, before.1], [after.0, after.1]);
        let [.., last, next] = &mut self.slots[..=slot] else {
            return;
        };
        let rows = network.rows();
        for (viewer, to) in Color::ALL.into_iter().zip(to) {
            if !viewers.contains(&viewer) {
                continue;
            }
            let view = &mut next.views[viewer];
            view.ready = true;
            let Update { removed, added, .. } = &view.update;
            rows::update(isa, from[viewer.index()], to, rows, removed, added);
            if let (Some(progress), Some(changes)) = (network.progress(), &next.changes) {
                let change = progress_change(progress, changes, viewer, view.own_king);
                view.progress = last.views[viewer].progress + change;
            }
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
