//! What becomes of the sums of a small layer, while they are still in registers.

use crate::nnue::simd::{Isa, clip};

/// Takes them 16 or 8 at a time.
pub(super) trait Finish {
    /// Sums `16 * n` and those that follow.
    fn sixteen<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc16);
    /// Sums `8 * n` and those that follow.
    fn eight<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc8);
}

/// They are written as they are.
pub(super) struct ToSums<'a>(pub(super) &'a mut [i32]);

impl Finish for ToSums<'_> {
    #[inline(always)]
    fn sixteen<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc16) {
        if let Some(place) = self.0.as_chunks_mut().0.get_mut(n) {
            isa.store16(sums, place);
        }
    }

    #[inline(always)]
    fn eight<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc8) {
        if let Some(place) = self.0.as_chunks_mut().0.get_mut(n) {
            isa.store8(sums, place);
        }
    }
}

/// They become inputs of the next layer: [`clip`] of each.
pub(super) struct ToInputs<'a>(pub(super) &'a mut [u8]);

impl Finish for ToInputs<'_> {
    #[inline(always)]
    fn sixteen<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc16) {
        if let Some(place) = self.0.as_chunks_mut().0.get_mut(n) {
            *place = isa.clip16(sums);
        }
    }

    #[inline(always)]
    fn eight<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc8) {
        if let Some(place) = self.0.as_chunks_mut().0.get_mut(n) {
            let mut numbers = [0; 8];
            isa.store8(sums, &mut numbers);
            *place = numbers.map(clip);
        }
    }
}

/// Only the first is of interest.
pub(super) struct First(pub(super) i32);

impl Finish for First {
    #[inline(always)]
    fn sixteen<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc16) {
        if n == 0 {
            let mut numbers = [0; 16];
            isa.store16(sums, &mut numbers);
            self.0 = numbers[0];
        }
    }

    #[inline(always)]
    fn eight<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc8) {
        if n == 0 {
            self.0 = isa.first8(sums);
        }
    }
}
