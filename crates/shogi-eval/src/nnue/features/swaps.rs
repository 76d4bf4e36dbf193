//! The few features that a move turns off, each with the one that it turns on instead.

use shogi_core::{ByColor, Color};

use super::MAX_CHANGED;

/// A feature that is off now, and the one that is on instead.
pub type Swap = [u32; 2];

/// Room for the swaps of one view: one more than there are, so that what is not wanted can be written and left.
const ROOM: usize = MAX_CHANGED + 1;

/// What a move changes in the features of both views: some are swapped for others, as many in one view as in the
/// other.
#[derive(Clone, Debug, Default)]
pub struct Swaps {
    /// By viewer.
    all: [[Swap; ROOM]; 2],
    len: u8,
    refresh: ByColor<bool>,
}

impl Swaps {
    /// How many numbers [`Self::all`] gives.
    pub(in crate::nnue) const ALL: usize = 4 * ROOM;

    /// Whether all features of `viewer` may have changed: they have to be listed anew.
    #[inline(always)]
    pub fn refresh(&self, viewer: Color) -> bool {
        self.refresh[viewer]
    }

    /// Whether that is so for one of the viewers.
    #[inline(always)]
    pub(in crate::nnue) fn refreshes_any(&self) -> bool {
        self.refresh != ByColor([false; 2])
    }

    /// The swaps that `viewer` sees: up to [`MAX_CHANGED`]. They mean nothing if it needs a [refresh](Self::refresh).
    #[inline(always)]
    pub fn of(&self, viewer: Color) -> &[Swap] {
        &self.all[viewer.index()][..self.place()]
    }

    /// All features of the swaps of both views, and some that mean nothing.
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

    /// Notes that `viewer` needs a refresh, if `refresh`.
    #[inline(always)]
    pub(in crate::nnue) fn refresh_if(&mut self, viewer: Color, refresh: bool) {
        self.refresh[viewer] |= refresh;
    }

    /// Appends what black and white see, if `is_there`, without a branch.
    #[inline(always)]
    pub(super) fn push_if(&mut self, before: [u32; 2], after: [u32; 2], is_there: bool) {
        let place = self.place();
        for (view, swaps) in self.all.iter_mut().enumerate() {
            swaps[place] = [before[view], after[view]];
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
