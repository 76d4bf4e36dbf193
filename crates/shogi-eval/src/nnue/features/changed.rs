//! The few features that a move turns off or on.

use std::ops::Deref;

use super::MAX_CHANGED;

/// Up to [`MAX_CHANGED`] features.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChangedFeatures {
    /// One more than there are, so that what is not wanted can be written and left.
    features: [u32; MAX_CHANGED + 1],
    len: u8,
}

impl ChangedFeatures {
    /// None.
    pub const EMPTY: Self = Self {
        features: [0; MAX_CHANGED + 1],
        len: 0,
    };

    /// Becomes none, writing no more than it has to.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends `feature` if `is_there`, without a branch.
    #[inline(always)]
    pub(super) fn push_if(&mut self, feature: u32, is_there: bool) {
        self.features[self.place()] = feature;
        self.len += u8::from(is_there);
        debug_assert!(usize::from(self.len) <= MAX_CHANGED);
    }

    /// The length, in a way that is seen to be less than the room.
    #[inline(always)]
    fn place(&self) -> usize {
        const { assert!((MAX_CHANGED + 1).is_power_of_two()) }
        usize::from(self.len) % (MAX_CHANGED + 1)
    }
}

impl Deref for ChangedFeatures {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        &self.features[..self.place()]
    }
}

impl PartialEq for ChangedFeatures {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for ChangedFeatures {}
