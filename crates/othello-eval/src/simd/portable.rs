//! Indices and sums with the instructions that every processor has.

use othello_core::{Square, Squares};

use crate::tables::{Features, Places, Tables};

/// The indices after a move, from the view of the next player.
pub(super) fn after<const C: usize>(
    places: &Places<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
) -> Features<C> {
    let mut features = *features;
    let placed = &places.steps[square.index()];
    for (register, lanes) in features.0.iter_mut().enumerate() {
        for (lane, step) in lanes.iter_mut().zip(&placed[register]) {
            *lane = lane.wrapping_add(*step);
        }
        for square in flips {
            let steps = &places.steps[square.index()][register];
            for (lane, step) in lanes.iter_mut().zip(steps) {
                // From the opponent's disc to the mover's.
                *lane = lane.wrapping_add(step.wrapping_mul(2));
            }
        }
        for lane in lanes.iter_mut() {
            *lane = lane.wrapping_neg();
        }
    }
    features
}

/// The sum of the weights of all places.
pub(super) fn sum<const C: usize>(tables: &Tables<C>, features: &Features<C>, phase: usize) -> i32 {
    let (weights, places) = (tables.phase(phase), &tables.places);
    let mut sum = 0;
    for register in 0..places.registers.min(C) {
        let (lanes, halves) = (&features.0[register], &places.halves[register]);
        for (n, offset) in places.offsets[register].iter().enumerate() {
            let index = lanes[n].max(-halves[n]).min(halves[n]);
            sum += i32::from(weights[(offset + i32::from(index)) as usize]);
        }
    }
    sum
}

/// The sum of the weights of all places after a move.
pub(super) fn sum_after<const C: usize>(
    tables: &Tables<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
    phase: usize,
) -> i32 {
    sum(
        tables,
        &after(&tables.places, features, square, flips),
        phase,
    )
}
