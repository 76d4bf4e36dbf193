//! NEON: indices in vector registers. There is no gather, so weights are read one by one.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with v"
)]

use std::arch::aarch64::*;

use othello_core::{Square, Squares};

use super::portable;
use crate::tables::{Features, Lanes, Places, Tables};

/// Proof that the processor has NEON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon(());

impl Neon {
    /// Detects the instructions.
    #[inline(always)]
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

/// The indices after a move, from the view of the next player.
#[inline]
pub(super) fn after<const C: usize>(
    _: Neon,
    places: &Places<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
) -> Features<C> {
    // SAFETY: a `Neon` exists only where the processor has the instructions.
    unsafe { moved(places, features, square, flips) }
}

/// The sum of the weights of all places.
#[inline]
pub(super) fn sum<const C: usize>(
    _: Neon,
    tables: &Tables<C>,
    features: &Features<C>,
    phase: usize,
) -> i32 {
    portable::sum(tables, features, phase)
}

/// The sum of the weights of all places after a move.
#[inline]
pub(super) fn sum_after<const C: usize>(
    cpu: Neon,
    tables: &Tables<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
    phase: usize,
) -> i32 {
    portable::sum(
        tables,
        &after(cpu, &tables.places, features, square, flips),
        phase,
    )
}

#[inline]
#[target_feature(enable = "neon")]
fn load(lanes: &Lanes) -> int16x8x2_t {
    // SAFETY: the reference is to sixteen numbers, and the load is the one for any address.
    unsafe { vld1q_s16_x2(lanes.as_ptr()) }
}

#[target_feature(enable = "neon")]
fn moved<const C: usize>(
    places: &Places<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
) -> Features<C> {
    let placed = &places.steps[square.index()];
    let mut after = Features([[0; 16]; C]);
    for register in 0..C {
        let mut flipped = int16x8x2_t(vdupq_n_s16(0), vdupq_n_s16(0));
        for square in flips {
            let steps = load(&places.steps[square.index()][register]);
            flipped.0 = vaddq_s16(flipped.0, steps.0);
            flipped.1 = vaddq_s16(flipped.1, steps.1);
        }
        let (placed, old) = (load(&placed[register]), load(&features.0[register]));
        let of = |flipped, placed, old| {
            // From the opponent's discs to the mover's, twice; then the sides change.
            let twice = vaddq_s16(flipped, flipped);
            vnegq_s16(vaddq_s16(vaddq_s16(twice, placed), old))
        };
        let vectors = int16x8x2_t(
            of(flipped.0, placed.0, old.0),
            of(flipped.1, placed.1, old.1),
        );
        // SAFETY: the array has sixteen numbers.
        unsafe { vst1q_s16_x2(after.0[register].as_mut_ptr(), vectors) }
    }
    after
}
