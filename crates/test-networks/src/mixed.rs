//! Networks in which a few units count material and all others are random: they cost what a real network does, and
//! programs search sanely with them.
//!
//! Those of [`MaterialNetwork`](crate::MaterialNetwork) have units that are nearly all zero or full, which is more than programs can
//! skip of a trained network. Here inputs of the affine layers are in use as in [`RandomNetwork`], whose
//! values say nothing that a search could go by.

use std::io::{self, Write};

use shogi_eval::nnue::arch::{Architecture, TransformerKind};
use shogi_eval::nnue::file::write_network;
use shogi_eval::nnue::{AffineLayers, FeatureWeights, FvScale};
use thiserror::Error;

use crate::RandomNetwork;
use crate::material::worths;

/// Units that count.
const COUNTING: usize = 5;
/// The activation of a unit of the feature transformer when both sides have as much material.
const MIDDLE: i16 = 64;
/// Material that makes it show one more.
const STEP: i32 = 40;
/// The largest activation.
const FULL: i16 = 127;

/// No network of this shape can count material among random units.
#[derive(Debug, Error)]
#[error(
    "a network of the shape {0} has no place for counting material among random units: it needs pieces as features and \
     five units in every layer, SFNN shapes a shortcut and no shards"
)]
pub struct NoPlace(Architecture);

/// A network whose evaluation, with [`FvScale::DEFAULT`], is roughly the material balance for the side to move, within
/// 2,520 units; values of single pieces are rounded to 40 units. Everything that does not change that is random.
#[derive(Debug)]
pub struct MixedNetwork {
    random: RandomNetwork,
    biases: Vec<i16>,
    /// By feature, what a counting unit adds.
    steps: Vec<i16>,
    layers: AffineLayers,
}

impl MixedNetwork {
    /// The network of this shape and seed.
    ///
    /// # Errors
    /// The shape has no place for it.
    pub fn new(architecture: Architecture, seed: u64) -> Result<Self, NoPlace> {
        let [first, second] = architecture.hidden();
        let half = architecture.width() / 2;
        let fits = match architecture {
            Architecture::Classic(_) => first.min(second).min(half) >= COUNTING,
            Architecture::Sfnn(sfnn) => {
                sfnn.has_shortcut()
                    && sfnn.transformer_kind() == TransformerKind::Full
                    && half >= COUNTING
            }
        };
        if !fits || !architecture.features().has_pieces() {
            return Err(NoPlace(architecture));
        }
        let random = RandomNetwork::new(architecture, seed);
        let mut biases = random.biases().to_vec();
        biases[..COUNTING].fill(MIDDLE);
        if let Architecture::Sfnn(_) = architecture {
            // Partners, with which counting units are multiplied.
            biases[half..half + COUNTING].fill(FULL);
        }
        let mut layers = random.layers();
        for stack in 0..architecture.stack_count() {
            match architecture {
                Architecture::Classic(_) => through_the_layers(&mut layers, stack),
                Architecture::Sfnn(_) => through_the_shortcut(&mut layers, stack, first, half),
            }
        }
        let worths = worths(architecture.features());
        let steps = worths.iter().map(|&worth| {
            let half = STEP / 2 * i32::from(worth.signum());
            ((i32::from(worth) + half) / STEP) as i16
        });
        Ok(Self {
            biases,
            steps: steps.collect(),
            layers,
            random,
        })
    }

    /// Writes the network's file without having it in memory.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let description = self.random.description();
        write_network(description.as_bytes(), self, &self.layers, out)
    }
}

/// Units of every layer hand on what those of the mover show; nothing else reaches the value.
fn through_the_layers(layers: &mut AffineLayers, stack: usize) {
    let [first, second, last] = layers.layers_mut();
    for layer in [first, second] {
        for unit in 0..COUNTING {
            layer.stack_mut(stack).0[unit] = 0;
            layer.set_weights(stack, unit, 0..layer.shape().inputs, 0);
            layer.set_weights(stack, unit, unit..unit + 1, 64);
        }
    }
    let weight = STEP * FvScale::DEFAULT.get() / COUNTING as i32;
    let weight = weight.min(i32::from(i8::MAX));
    last.set_weights(stack, 0, 0..last.shape().inputs, 0);
    last.set_weights(stack, 0, 0..COUNTING, weight as i8);
    last.stack_mut(stack).0[0] = -weight * COUNTING as i32 * i32::from(MIDDLE);
}

/// The shortcut takes the difference of what both views show; nothing else reaches the value.
fn through_the_shortcut(layers: &mut AffineLayers, stack: usize, shortcut: usize, half: usize) {
    let [first, _, last] = layers.layers_mut();
    let weight = (STEP * FvScale::DEFAULT.get() / COUNTING as i32 / 2) as i8;
    first.stack_mut(stack).0[shortcut] = 0;
    first.set_weights(stack, shortcut, 0..first.shape().inputs, 0);
    first.set_weights(stack, shortcut, 0..COUNTING, weight);
    first.set_weights(stack, shortcut, half..half + COUNTING, -weight);
    last.set_weights(stack, 0, 0..last.shape().inputs, 0);
    last.stack_mut(stack).0[0] = 0;
}

impl FeatureWeights for MixedNetwork {
    fn biases(&self) -> &[i16] {
        &self.biases
    }

    fn read_weights(&self, feature: usize, row: &mut [i16]) {
        self.random.read_weights(feature, row);
        row[..COUNTING].fill(self.steps[feature]);
        if let Architecture::Sfnn(_) = self.random.architecture() {
            row[self.biases.len() / 2..][..COUNTING].fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;
    use shogi_eval::nnue::reference;

    use super::*;
    use crate::material::tests::{SFENS, balance};

    #[test]
    fn evaluations_are_nearly_the_material() {
        for name in [
            "halfkp_256x2-32-32",
            "kp_256x2-32-32",
            "halfkp_1024x2-8-64",
            "SFNN_halfkahm2_1536_15_32_k3k3",
        ] {
            let network = MixedNetwork::new(name.parse().unwrap(), 1).unwrap();
            for sfen in SFENS {
                let position = Position::from_sfen(sfen).unwrap();
                let balance = balance(&position);
                let output = reference::output(&network, &network.layers, &position);
                let value = FvScale::DEFAULT.apply(output);
                let tolerance = 60 + balance.abs() / 20;
                assert!(
                    (value - balance).abs() <= tolerance,
                    "{name} {sfen}: {value} instead of {balance}"
                );
            }
        }
    }

    #[test]
    fn shapes_without_a_place_for_it_are_refused() {
        for name in ["k_256x2-32-32", "SFNN_halfka2_256_8_32", "halfkp_64x2-4-8"] {
            let error = MixedNetwork::new(name.parse().unwrap(), 1).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
