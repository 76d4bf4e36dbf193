//! How large the parts of a prepared network are.

/// The sizes of a prepared network, padding included.
///
/// Kernels take them as values. For networks in common use they are constants, so that the compiler knows how often each
/// loop runs and that no slice is too short: the same code, with up to a quarter fewer instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// True if inputs of the affine layers are products of accumulator values, as in SFNN networks.
    pub(super) products: bool,
    /// Cache lines of one perspective's accumulator.
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

    /// SFNN networks of 512-15-32, such as the embedded one.
    pub(super) const SFNN_512: Self = Self::new(true, 16, [[128, 16], [8, 32], [8, 8]]);

    /// SFNN networks of 1536-15-32.
    pub(super) const SFNN_1536: Self = Self::new(true, 48, [[384, 16], [8, 32], [8, 8]]);

    pub(super) const fn new(products: bool, lines: usize, layers: [[usize; 2]; 3]) -> Self {
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
    pub(super) const fn new([groups, outputs]: [usize; 2]) -> Self {
        Self { groups, outputs }
    }
}
