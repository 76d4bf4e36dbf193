//! The few features that a move turns off, each with the one that it turns on instead.

use shogi_core::{ByColor, Color};

use super::MAX_CHANGED;

/// A feature that is off now, and the one that is on instead.
pub type FeatureDelta = [u32; 2];

/// Room for the deltas of one view: one more than there are, so that what is not wanted can be written and left.
const ROOM: usize = MAX_CHANGED + 1;

/// The feature deltas of a move in both perspectives (dirty pieces): each removes one feature and adds another, as many in one perspective as in the
/// other.
#[derive(Clone, Debug, Default)]
pub struct FeatureDeltas {
    /// By perspective.
    all: [[FeatureDelta; ROOM]; 2],
    len: u8,
    refresh: ByColor<bool>,
}

impl FeatureDeltas {
    /// The number of features in [`Self::all`].
    pub(in crate::nnue) const ALL: usize = 4 * ROOM;

    /// Returns whether all features of `perspective` may have changed: they have to be listed anew.
    #[inline(always)]
    pub fn refresh(&self, perspective: Color) -> bool {
        self.refresh[perspective]
    }

    /// Returns whether that is so for one of the perspectives.
    #[inline(always)]
    pub(in crate::nnue) fn refreshes_any(&self) -> bool {
        self.refresh != ByColor([false; 2])
    }

    /// The deltas that `perspective` sees: up to [`MAX_CHANGED`]. They mean nothing if it needs a [refresh](Self::refresh).
    #[inline(always)]
    pub fn of(&self, perspective: Color) -> &[FeatureDelta] {
        &self.all[perspective.index()][..self.place()]
    }

    /// All features of the deltas of both views, and some that mean nothing.
    #[inline(always)]
    pub(in crate::nnue) fn all(&self) -> &[u32; Self::ALL] {
        bytemuck::cast_ref(&self.all)
    }

    /// Becomes none, writing no more than it has to; `refresh` says what both views need then.
    #[inline(always)]
    pub(super) fn clear(&mut self, refresh: bool) {
        self.len = 0;
        self.refresh = ByColor([refresh; 2]);
    }

    /// Notes that `perspective` needs a refresh, if `refresh`.
    #[inline(always)]
    pub(in crate::nnue) fn refresh_if(&mut self, perspective: Color, refresh: bool) {
        self.refresh[perspective] |= refresh;
    }

    /// Appends what black and white see, if `is_there`, without a branch.
    #[inline(always)]
    pub(super) fn push_if(&mut self, before: [u32; 2], after: [u32; 2], is_there: bool) {
        let place = self.place();
        for (view, deltas) in self.all.iter_mut().enumerate() {
            deltas[place] = [before[view], after[view]];
        }
        self.len += u8::from(is_there);
        debug_assert!(usize::from(self.len) <= MAX_CHANGED);
    }

    /// The length, in a way that is seen to be less than the room.
    #[inline(always)]
    fn place(&self) -> usize {
        const { assert!(ROOM.is_power_of_two()) }
        usize::from(self.len) % ROOM
    }
}
