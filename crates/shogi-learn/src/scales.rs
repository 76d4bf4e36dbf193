//! The integers that stand for 1 in the files of networks, and how numbers are rounded to them.

use shogi_eval::nnue::arch::Architecture;

/// The integers that stand for 1 in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scales {
    /// In rows and biases of the feature transformer.
    pub(crate) transformer: f32,
    /// In the weights of each affine layer.
    pub(crate) weights: [f32; 3],
    /// In the biases of each affine layer.
    pub(crate) biases: [f32; 3],
}

impl Scales {
    /// The scales of a family of files: the same for both.
    ///
    /// An activation of 1 is 127; hidden layers divide by 64; an output of 1 is worth 600, and engines divide it by 16.
    pub(crate) const fn of(_: &Architecture) -> Self {
        const OUTPUT: f32 = 600.0 * 16.0;
        Self {
            transformer: 127.0,
            weights: [64.0, 64.0, OUTPUT / 127.0],
            biases: [8128.0, 8128.0, OUTPUT],
        }
    }

    /// The largest weight that 8 bits hold, for each affine layer.
    pub(crate) fn limits(&self) -> [f32; 3] {
        self.weights.map(|scale| 127.0 / scale)
    }
}

/// The nearest integer, halves up, as the classic trainer rounds.
pub(crate) fn round(number: f32) -> f32 {
    (number + 0.5).floor()
}
