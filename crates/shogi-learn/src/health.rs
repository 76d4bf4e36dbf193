//! The health of a network: units that are always off or always full, and weights at the limits of 8 bits.

use crate::buffers::Buffers;
use crate::event::NetworkHealth;
use crate::params::Params;
use crate::scales::Scales;
use crate::shape::{SLAB, Shape};

/// The smallest and the largest activation of every unit.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    /// Of the feature transformer, by slab; then of the hidden layers.
    ranges: [Vec<[f32; 2]>; 3],
}

impl Health {
    pub(crate) fn new(params: &Params) -> Self {
        let shape = &params.shape;
        let none = |len: usize| vec![[f32::INFINITY, f32::NEG_INFINITY]; len];
        Self {
            ranges: [
                none(shape.slabs * SLAB),
                none(shape.layers[1].inputs),
                none(shape.layers[2].inputs),
            ],
        }
    }

    /// Looks at the activations of a batch of `len` samples.
    pub(crate) fn look(&mut self, shape: &Shape, buffers: &Buffers, len: usize) {
        for slab in 0..shape.slabs {
            let ranges = &mut self.ranges[0][slab * SLAB..][..SLAB];
            look_at(ranges, buffers.accumulators(slab, len), SLAB);
        }
        for (number, (activations, stride)) in buffers.hidden(shape, len).into_iter().enumerate() {
            look_at(&mut self.ranges[number + 1], activations, stride);
        }
    }

    pub(crate) fn report(&self, params: &Params, quantisation: (f64, f64)) -> NetworkHealth {
        let shape = &params.shape;
        let is_unit = |number: usize, unit: usize| {
            number > 0 || shape.column(unit / SLAB, unit % SLAB).is_some()
        };
        let count = |number: usize, is: &dyn Fn(&[f32; 2]) -> bool| {
            let units = self.ranges[number].iter().enumerate();
            let units = units.filter(|(unit, range)| is_unit(number, *unit) && is(range));
            units.count()
        };
        let limits = Scales::of(&shape.architecture).limits();
        NetworkHealth {
            units: std::array::from_fn(|number| count(number, &|_| true)),
            dead: std::array::from_fn(|number| count(number, &|range| range[1] <= 0.0)),
            saturated: std::array::from_fn(|number| count(number, &|range| range[0] >= 1.0)),
            clipped_weights: std::array::from_fn(|number| {
                let weights = params.layers[number].weights.values.iter();
                weights
                    .filter(|weight| weight.abs() >= limits[number])
                    .count()
            }),
            quantisation: quantisation.0,
            largest_quantisation: quantisation.1,
        }
    }
}

fn look_at(ranges: &mut [[f32; 2]], activations: &[f32], stride: usize) {
    for sample in activations.chunks_exact(stride) {
        for (range, &activation) in ranges.iter_mut().zip(sample) {
            range[0] = range[0].min(activation);
            range[1] = range[1].max(activation);
        }
    }
}
