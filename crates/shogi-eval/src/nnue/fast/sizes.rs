//! The sizes that loops of an evaluation go by.
//!
//! Kernels are given them as values. For networks in common use these are constants, so that the compiler knows how
//! often each loop runs and that no slice is too short: the same code, with up to a quarter fewer instructions.

/// The sizes of a network as it is laid out, padding included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Whether inputs of the affine layers are products of sums, as in SFNN networks.
    pub(super) products: bool,
    /// Lines of sums, for one view.
    pub(super) lines: usize,
    /// The affine layers.
    pub(super) layers: [LayerSizes; 3],
}

/// The sizes of an affine layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LayerSizes {
    /// Groups of inputs.
    pub(super) groups: usize,
    pub(super) outputs: usize,
}

impl Sizes {
    /// Classic networks of 256x2-32-32.
    pub(super) const CLASSIC_256: Self = Self::new(false, 8, [[128, 32], [8, 32], [8, 8]]);

    /// SFNN networks of 1536-15-32.
    pub(super) const SFNN_1536: Self = Self::new(true, 48, [[384, 16], [8, 32], [8, 8]]);

    const fn new(products: bool, lines: usize, layers: [[usize; 2]; 3]) -> Self {
        let [first, second, last] = layers;
        Self {
            products,
            lines,
            layers: [
                LayerSizes::new(first),
                LayerSizes::new(second),
                LayerSizes::new(last),
            ],
        }
    }
}

impl LayerSizes {
    const fn new([groups, outputs]: [usize; 2]) -> Self {
        Self { groups, outputs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::fast::PreparedNetwork;
    use crate::nnue::random_network;

    #[test]
    fn constants_are_the_sizes_of_networks_in_common_use() {
        for (architecture, sizes) in [
            ("kp_256x2-32-32", Sizes::CLASSIC_256),
            ("sfnn_kp_1536_15_32_k3k3", Sizes::SFNN_1536),
        ] {
            let network = PreparedNetwork::new(random_network(architecture, 1));
            assert_eq!(network.sizes(), sizes);
        }
    }
}
