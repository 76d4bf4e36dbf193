//! The number by which outputs are divided to become centipawns, and where files state it.

use crate::MAX_VALUE;

// The divisor of a network's output (`FV_SCALE`).

/// The divisor that turns a network's output into internal units (a pawn is 90): 1 to 128. Authors
/// of networks state it; larger means less confident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FvScale(pub(super) i32);

impl FvScale {
    /// 16: for networks whose author states none.
    pub const DEFAULT: Self = Self(16);
    /// The largest.
    pub const MAX: i32 = 128;

    /// The divisor `scale`, if it is one: 1 to 128.
    pub const fn new(scale: i32) -> Option<Self> {
        if scale >= 1 && scale <= Self::MAX {
            Some(Self(scale))
        } else {
            None
        }
    }

    /// The number.
    pub const fn get(self) -> i32 {
        self.0
    }

    /// The value that `output` stands for, rounded towards 0 and within ±31,753.
    #[inline]
    pub fn apply(self, output: i32) -> i32 {
        (output / self.0).clamp(-MAX_VALUE, MAX_VALUE)
    }
}

impl Default for FvScale {
    fn default() -> Self {
        Self::DEFAULT
    }
}
