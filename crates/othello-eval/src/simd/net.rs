//! The network one number after the other: what every kernel must give.

use crate::net::shape::{FIRST_OUTPUTS, SECOND_OUTPUTS};
use crate::net::tables::{LINE, NetTables, SHIFT, Stack, UNIT_BITS};
use crate::net::weights::NET_UNIT;
use crate::tables::Features;

/// The output of the network for a ply, in 131,072ths.
pub(super) fn net_output(
    tables: &NetTables,
    stack: &Stack,
    features: &Features<4>,
    ply: usize,
) -> i32 {
    let lines = tables.lines;
    let mut units = [0i16; 4 * LINE];
    for (line, units) in units.as_chunks_mut::<LINE>().0[..lines]
        .iter_mut()
        .enumerate()
    {
        *units = tables.biases[ply * lines + line];
    }
    let places = &tables.places;
    for place in 0..places.count {
        let (register, lane) = (place / 16, place % 16);
        let half = places.halves[register][lane];
        let index = features.0[register][lane].max(-half).min(half);
        let row = (places.offsets[register][lane] + i32::from(index)) as usize;
        for (line, units) in units.as_chunks_mut::<LINE>().0[..lines]
            .iter_mut()
            .enumerate()
        {
            let at = row * lines + line;
            for (unit, number) in units.iter_mut().zip(&tables.rows[at / 2].0[at % 2]) {
                *unit = unit.wrapping_add(i16::from(*number));
            }
        }
    }
    let inputs = units.map(|unit| unit.clamp(0, NET_UNIT as i16));
    let mut first = stack.first_biases;
    for (pair, weights) in inputs.as_chunks::<2>().0.iter().zip(&stack.first) {
        add_products(&mut first, *pair, weights);
    }
    let mut inputs = [0i16; 2 * FIRST_OUTPUTS];
    let (plain, squares) = inputs.split_at_mut(FIRST_OUTPUTS);
    for ((plain, square), &sum) in plain.iter_mut().zip(squares).zip(&first) {
        let number = rounded(sum).clamp(-NET_UNIT, NET_UNIT);
        *plain = number.max(0) as i16;
        *square = ((number * number) >> UNIT_BITS) as i16;
    }
    let mut second = stack.second_biases;
    for (pair, weights) in inputs.as_chunks::<2>().0.iter().zip(&stack.second) {
        add_products(&mut second, *pair, weights);
    }
    let mut output = first[FIRST_OUTPUTS - 1];
    for (sum, weight) in second.into_iter().zip(stack.output) {
        output = output.wrapping_add(rounded(sum).clamp(0, NET_UNIT) * i32::from(weight));
    }
    output
}

/// A sum of products with weights as an activation.
fn rounded(sum: i32) -> i32 {
    sum.wrapping_add(1 << (SHIFT - 1)) >> SHIFT
}

/// Adds the products of two inputs with their weights.
fn add_products<const N: usize, const M: usize>(
    sums: &mut [i32; N],
    [a, b]: [i16; 2],
    weights: &[i16; M],
) {
    for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<2>().0) {
        let products = i32::from(a) * i32::from(weights[0]) + i32::from(b) * i32::from(weights[1]);
        *sum = sum.wrapping_add(products);
    }
}

const _: () = assert!(SECOND_OUTPUTS == 32 && FIRST_OUTPUTS == 16);
