//! WebAssembly's `simd128`: indices in vector registers. There is no gather, so weights are read one by one.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with what they work on"
)]

use std::arch::wasm32::*;

use othello_core::{Square, Squares};

use crate::tables::{Features, Lanes, Places, Tables};

#[inline(always)]
fn load(lanes: &Lanes) -> [v128; 2] {
    let (halves, _) = lanes.as_chunks::<8>();
    // SAFETY: each half is sixteen bytes, and the load is one for any address.
    std::array::from_fn(|i| unsafe { v128_load(halves[i].as_ptr().cast()) })
}

/// The indices after a move, from the view of the next player.
#[inline(always)]
pub(super) fn after<const C: usize>(
    places: &Places<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
) -> Features<C> {
    let placed = &places.steps[square.index()];
    // Twice the flipped discs (from the opponent's to the mover's) and the new one; then the sides change.
    let mut sums = [[i16x8_splat(0); 2]; C];
    for square in flips {
        let steps = &places.steps[square.index()];
        for (sum, steps) in sums.iter_mut().zip(steps) {
            let steps = load(steps);
            *sum = [i16x8_add(sum[0], steps[0]), i16x8_add(sum[1], steps[1])];
        }
    }
    let mut after = Features([[0; 16]; C]);
    for register in 0..C {
        let (placed, old) = (load(&placed[register]), load(&features.0[register]));
        let (halves, _) = after.0[register].as_chunks_mut::<8>();
        for (i, half) in halves.iter_mut().enumerate() {
            let twice = i16x8_add(sums[register][i], sums[register][i]);
            let vector = i16x8_neg(i16x8_add(i16x8_add(twice, placed[i]), old[i]));
            // SAFETY: the half is sixteen bytes, and the store is one for any address.
            unsafe { v128_store(half.as_mut_ptr().cast(), vector) }
        }
    }
    after
}

#[inline(always)]
fn gathered<const C: usize>(tables: &Tables<C>, features: &Features<C>, phase: usize) -> i32 {
    let weights = tables.phase(phase).as_ptr();
    // SAFETY: `Tables` has weights at the offset plus any index within the halves, in every phase.
    let weight = |place: i32| i32::from(unsafe { *weights.offset(place as isize) });
    let mut sums = [0; 4];
    let places = &tables.places;
    for register in 0..places.registers.min(C) {
        let (lanes, halves) = (load(&features.0[register]), load(&places.halves[register]));
        let (offsets, _) = places.offsets[register].as_chunks::<4>();
        for half in 0..2 {
            let limit = halves[half];
            let index = i16x8_min(i16x8_max(lanes[half], i16x8_neg(limit)), limit);
            for (quarter, wide) in [
                i32x4_extend_low_i16x8(index),
                i32x4_extend_high_i16x8(index),
            ]
            .into_iter()
            .enumerate()
            {
                // SAFETY: four numbers are sixteen bytes, and the load is one for any address.
                let offset = unsafe { v128_load(offsets[2 * half + quarter].as_ptr().cast()) };
                let place = i32x4_add(wide, offset);
                sums[0] += weight(i32x4_extract_lane::<0>(place));
                sums[1] += weight(i32x4_extract_lane::<1>(place));
                sums[2] += weight(i32x4_extract_lane::<2>(place));
                sums[3] += weight(i32x4_extract_lane::<3>(place));
            }
        }
    }
    sums.iter().sum()
}

/// The sum of the weights of all places.
#[inline]
pub(super) fn sum<const C: usize>(tables: &Tables<C>, features: &Features<C>, phase: usize) -> i32 {
    gathered(tables, features, phase)
}

/// The sum of the weights of all places after a move.
#[inline]
pub(super) fn sum_after<const C: usize>(
    tables: &Tables<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
    phase: usize,
) -> i32 {
    gathered(
        tables,
        &after(&tables.places, features, square, flips),
        phase,
    )
}
