//! The weights of a network, permuted and padded for evaluation, and their sizes.

use super::affine::{AffineLayer, BLOCK};
use super::order::Order;
use super::weights::{Weights, WeightsView};
use crate::nnue::aligned::Aligned;
use crate::nnue::arch::{Architecture, LayerShape};
use crate::nnue::fast::sizes::Sizes;
use crate::nnue::network::{GameProgress, Network, StackedLayer};
use crate::nnue::simd::LINE;

/// The accumulator values that become one vector of bytes: accumulators are padded to a multiple of this, products to
/// twice that.
const BYTES: usize = 2 * LINE;

/// A network to evaluate with. It is read only and meant to be shared by all threads, and by
/// processes when it lies in a file (see [`MappedNetwork`](super::MappedNetwork)).
///
/// It takes as much memory as the file's weights, uncompressed, or half of it: weights of the feature transformer are kept
/// in bytes where nearly all of them fit.
#[derive(Debug)]
pub struct PreparedNetwork {
    pub(super) description: Vec<u8>,
    pub(super) architecture: Architecture,
    pub(super) biases: Aligned<i16>,
    pub(super) weights: Weights,
    pub(super) progress: Option<GameProgress>,
    pub(super) hidden: [AffineLayer; 2],
    pub(super) last: AffineLayer,
    /// Vectors of inputs of each perspective that the first affine layer goes through whole.
    pub(super) dense: usize,
}

/// The places of an accumulator's values when it is padded.
#[derive(Clone, Copy)]
pub(super) struct Padding {
    /// One part, or the two halves whose products are taken.
    parts: usize,
    /// Sums of one part.
    part: usize,
}

impl Padding {
    pub(super) fn new(architecture: &Architecture) -> Self {
        let parts = match architecture {
            Architecture::Classic(_) => 1,
            Architecture::Sfnn(_) => 2,
        };
        Self {
            parts,
            part: architecture.width() / parts,
        }
    }

    fn padded_part(self) -> usize {
        self.part.next_multiple_of(BYTES)
    }

    pub(super) fn padded(self) -> usize {
        self.parts * self.padded_part()
    }

    /// Rows in this order, with padding. When there is none, they stay where they are.
    fn lay_out(self, order: &Order, mut rows: Aligned<i16>) -> Aligned<i16> {
        if self.part == self.padded_part() {
            let mut part = vec![0; self.part];
            for places in rows.chunks_exact_mut(self.part) {
                part.copy_from_slice(places);
                order.lay_out(&part, places);
            }
            return rows;
        }
        let count = rows.len() / (self.parts * self.part);
        let mut padded = Aligned::zeros(count * self.padded());
        let parts = rows.chunks_exact(self.part);
        for (part, places) in parts.zip(padded.chunks_exact_mut(self.padded_part())) {
            order.lay_out(part, places);
        }
        padded
    }

    /// Inputs of the first affine layer with padding: a part for each perspective.
    pub(super) fn padded_inputs(self) -> usize {
        2 * self.padded_part()
    }

    /// The input that has this place among the padded ones in this order.
    fn input(self, order: &Order, place: usize) -> Option<usize> {
        let (view, place) = (place / self.padded_part(), place % self.padded_part());
        Some(view * self.part + order.unit(place)?)
    }
}

impl PreparedNetwork {
    /// Lays out `network`. Where its weights do not fit in bytes and the width of its first layer is a multiple of 64
    /// (of 128 for SFNN networks), they are not copied.
    pub fn new(network: Network) -> Self {
        let (description, transformer, layers) = network.into_parts();
        let architecture = *layers.architecture();
        let padding = Padding::new(&architecture);
        let order = Order::new(&architecture, &transformer);
        let (biases, weights) = transformer.into_parts();
        let weights = padding.lay_out(&order, weights);
        let [first, second, last] = layers.layers();
        let stacks = architecture.stack_count();
        Self {
            description,
            architecture,
            biases: padding.lay_out(&order, biases),
            weights: Weights::new(weights, padding.padded()),
            hidden: [
                fc_0(&architecture, padding, &order, first),
                inner_layer(second, stacks),
            ],
            last: inner_layer(last, stacks),
            dense: order.dense(first.shape().outputs),
            progress: layers.into_progress(),
        }
    }

    /// The shape.
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The text in the file's header. Usually, but not certainly, ASCII.
    pub fn description(&self) -> &[u8] {
        &self.description
    }

    /// Cache lines of the weights of a feature.
    #[inline(always)]
    pub(super) fn lines(&self) -> usize {
        self.biases.len() / LINE
    }

    /// The sizes of its layers, for the kernels.
    pub(super) fn sizes(&self) -> Sizes {
        let [first, second] = &self.hidden;
        Sizes {
            products: matches!(self.architecture, Architecture::Sfnn(_)),
            lines: self.lines(),
            layers: [first, second, &self.last].map(AffineLayer::sizes),
        }
    }

    #[inline(always)]
    pub(super) fn biases(&self) -> &[i16] {
        &self.biases
    }

    pub(super) const fn progress(&self) -> Option<&GameProgress> {
        self.progress.as_ref()
    }

    #[inline(always)]
    pub(super) fn feature_weights(&self) -> WeightsView<'_> {
        self.weights.view(self.lines())
    }
}

/// The layer behind the products or the clipped accumulator. Weights of inputs that an output does not use are
/// zero then.
fn fc_0(
    architecture: &Architecture,
    padding: Padding,
    order: &Order,
    layer: &StackedLayer,
) -> AffineLayer {
    let shape = layer.shape();
    let used = |output: usize, input: usize| match architecture {
        Architecture::Classic(_) => true,
        Architecture::Sfnn(sfnn) => {
            let ranges = sfnn.inputs_of(output);
            ranges.iter().any(|range| range.contains(&input))
        }
    };
    AffineLayer::new(
        shape,
        architecture.stack_count(),
        padding.padded_inputs(),
        |stack, output| layer.stack(stack).biases[output],
        |stack, output, place| match padding.input(order, place) {
            Some(input) if used(output, input) => layer.stack(stack).row(output)[input],
            _ => 0,
        },
    )
}

fn inner_layer(layer: &StackedLayer, stacks: usize) -> AffineLayer {
    let LayerShape { inputs, .. } = layer.shape();
    AffineLayer::new(
        layer.shape(),
        stacks,
        inputs.next_multiple_of(BLOCK),
        |stack, output| layer.stack(stack).biases[output],
        |stack, output, input| {
            layer
                .stack(stack)
                .row(output)
                .get(input)
                .copied()
                .unwrap_or(0)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::nnue::random_network;

    #[test]
    fn constants_are_the_sizes_of_networks_in_common_use() {
        for (architecture, sizes) in [
            ("kp_256x2-32-32", Sizes::CLASSIC_256),
            ("sfnn_kp_512_15_32_progress8", Sizes::SFNN_512),
            ("sfnn_kp_1536_15_32_k3k3", Sizes::SFNN_1536),
        ] {
            let network = PreparedNetwork::new(random_network(architecture, 1));
            assert_eq!(network.sizes(), sizes);
        }
    }
}
