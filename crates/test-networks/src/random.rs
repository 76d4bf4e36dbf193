//! Networks of any shape made of nothing but a seed: for tests and measurements, meaningless as
//! players.
//!
//! Every parameter can be computed by itself, so a network need not be in memory: a position's
//! evaluation asks for the weights of some eighty features. Parameters are numbers from a [`SplitMix64`] generator that is
//! started with a hash (FNV-1a, 64 bits) of the seed and the section's name;
//! the i-th number of the generator is the i-th parameter of the section in the order of the file.
//! Ranges are such that evaluations vary widely and do not saturate.
//!
//! Mixed networks have material in some units and random weights in the others.

use std::io;
use std::io::Write;

use shogi_eval::nnue::arch::{Architecture, TransformerKind};
use shogi_eval::nnue::file::write_network;
use shogi_eval::nnue::{
    AffineLayers, Aligned, FeatureWeights, FvScale, GameProgress, Network, Transformer,
};
use thiserror::Error;
use yane_base::random::{SplitMix64, name_hash};

use crate::material::worths;

/// A range of parameters, both ends included.
type Range = (i32, i32);

const TRANSFORMER_BIASES: Range = (0, 80);
const TRANSFORMER_WEIGHTS: Range = (-12, 12);
/// In SFNN files one weight in [`WIDE_STEP`] comes from this range, so that compressed numbers of
/// several bytes occur.
const WIDE_WEIGHTS: Range = (-200, 200);
const WIDE_STEP: u64 = 1009;
const LAYER_BIASES: [Range; 3] = [(-2000, 4000), (-1000, 3000), (-2000, 2000)];
const PROGRESS_BIAS: Range = (-65_536, 65_536);
const PROGRESS_WEIGHTS: Range = (-20_000, 20_000);

/// The numbers of one section.
#[derive(Clone, Copy, Debug)]
struct Section(u64);

impl Section {
    fn new(seed: u64, name: &str) -> Self {
        let text = format!("{seed}/{name}");
        Self(name_hash(&text))
    }

    /// The number at `index`, mapped evenly to the range.
    #[inline]
    fn at(self, index: u64, (low, high): Range) -> i32 {
        let bits = SplitMix64::nth(self.0, index) >> 32;
        low + ((bits * (high - low + 1) as u64) >> 32) as i32
    }
}

/// A network made of a seed.
#[derive(Clone, Debug)]
pub struct RandomNetwork {
    architecture: Architecture,
    seed: u64,
    biases: Vec<i16>,
    weights: Section,
}

impl RandomNetwork {
    /// The network of this shape and seed.
    pub fn new(architecture: Architecture, seed: u64) -> Self {
        let biases = Section::new(seed, "ft.bias");
        Self {
            architecture,
            seed,
            biases: (0..architecture.width() as u64)
                .map(|i| biases.at(i, TRANSFORMER_BIASES) as i16)
                .collect(),
            weights: Section::new(seed, "ft.weight"),
        }
    }

    /// The shape.
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The text in the file's header. It says that the network is one for tests.
    pub fn description(&self) -> String {
        let description = self.architecture.description();
        match (&self.architecture, description.split_once("Network=")) {
            (Architecture::Sfnn(_), Some((features, _))) => {
                let name = self.architecture.to_string().to_ascii_lowercase();
                let stacks = self.architecture.stack_count();
                format!("{features}Network=TEST-{name}{{LayerStack={stacks}}}")
            }
            _ => description,
        }
    }

    /// Everything behind the feature transformer.
    pub fn layers(&self) -> AffineLayers {
        let progress = self.architecture.has_progress().then(|| {
            let bias = Section::new(self.seed, "progress.bias").at(0, PROGRESS_BIAS);
            let weights = Section::new(self.seed, "progress.weight");
            let weights =
                (0..GameProgress::WEIGHTS as u64).map(|i| weights.at(i, PROGRESS_WEIGHTS));
            GameProgress::new(bias, Aligned::copy_of(&weights.collect::<Vec<_>>()))
        });
        let mut layers = AffineLayers::zeros(self.architecture, progress);
        for (number, layer) in layers.layers_mut().iter_mut().enumerate() {
            for stack in 0..self.architecture.stack_count() {
                let section = |kind| Section::new(self.seed, &format!("{stack}.{number}.{kind}"));
                let range = self.weight_range(number);
                let shape = layer.shape();
                let (biases, weights) = layer.stack_mut(stack);
                let section_biases = section("bias");
                for (i, bias) in biases.iter_mut().enumerate() {
                    *bias = section_biases.at(i as u64, LAYER_BIASES[number]);
                }
                let section_weights = section("weight");
                for (i, weight) in weights.iter_mut().enumerate() {
                    if i % shape.padded_inputs() < shape.inputs {
                        *weight = section_weights.at(i as u64, range) as i8;
                    }
                }
            }
        }
        layers
    }

    /// Weights of the affine layers: smaller the more inputs are added up.
    fn weight_range(&self, layer: usize) -> Range {
        let width = self.architecture.width();
        let [hidden1, hidden2] = self.architecture.hidden();
        // The limit of the first size that is not exceeded, else the last limit.
        let by_size = |size: usize, steps: &[(usize, i32)], last: i32| {
            let step = steps.iter().find(|(largest, _)| size <= *largest);
            step.map_or(last, |(_, limit)| *limit)
        };
        let limit = match (&self.architecture, layer) {
            (Architecture::Classic(_), 0) => by_size(width, &[(256, 6), (512, 5)], 4),
            (Architecture::Sfnn(_), 0) => by_size(width, &[(256, 20), (1024, 10)], 8),
            (Architecture::Classic(_), 1) => by_size(hidden1, &[(8, 32), (16, 22)], 16),
            (Architecture::Sfnn(_), 1) => by_size(hidden1, &[(8, 36)], 24),
            _ => by_size(hidden2, &[(32, 60)], 44),
        };
        (-limit, limit)
    }

    /// The whole network in memory.
    pub fn network(&self) -> Network {
        let (width, features) = (
            self.architecture.width(),
            self.architecture.features().dimensions(),
        );
        let mut biases = Aligned::zeros(width);
        biases.copy_from_slice(&self.biases);
        let mut weights = Aligned::zeros(width * features);
        for (feature, row) in weights.chunks_exact_mut(width).enumerate() {
            self.read_weights(feature, row);
        }
        Network::new(
            self.description().into_bytes(),
            Transformer::new(biases, weights),
            self.layers(),
        )
    }

    /// Writes the network's file without having it in memory.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        write_network(self.description().as_bytes(), self, &self.layers(), out)
    }
}

impl FeatureWeights for RandomNetwork {
    fn biases(&self) -> &[i16] {
        &self.biases
    }

    fn read_weights(&self, feature: usize, row: &mut [i16]) {
        let start = feature as u64 * self.biases.len() as u64;
        let wide = match self.architecture {
            Architecture::Classic(_) => u64::MAX,
            Architecture::Sfnn(_) => start.next_multiple_of(WIDE_STEP) - start,
        };
        for (index, weight) in (start..).zip(row.iter_mut()) {
            *weight = self.weights.at(index, TRANSFORMER_WEIGHTS) as i16;
        }
        let mut place = wide;
        while let Some(weight) = usize::try_from(place).ok().and_then(|i| row.get_mut(i)) {
            *weight = self.weights.at(start + place, WIDE_WEIGHTS) as i16;
            place += WIDE_STEP;
        }
    }
}

// Networks in which a few units count material and all others are random: they cost what a real network does, and
// programs search sanely with them.
//
// Those of [`MaterialNetwork`](crate::MaterialNetwork) have units that are nearly all zero or full, which is more than programs can
// skip of a trained network. Here inputs of the affine layers are in use as in [`RandomNetwork`], whose
// values say nothing that a search could go by.

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
