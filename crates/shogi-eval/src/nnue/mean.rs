//! The mean of networks: each of its weights and biases is the mean of theirs.
//!
//! Networks that one training went through, or several with the same beginning, lie around a better one, which their mean is nearer to
//! (stochastic weight averaging: Izmailov and others 2018; model soups: Wortsman and others 2022). Networks that began with different random
//! numbers have no such mean.

use super::arch::Architecture;
use super::own_scale::OwnScale;
use super::{AffineLayers, Aligned, FeatureWeights as _, GameProgress, Network, Transformer};

/// Networks of one architecture, added up.
#[derive(Debug)]
pub struct NetworkMean {
    /// Text, architecture and progress of the mean, which are those of the first network.
    description: Vec<u8>,
    architecture: Architecture,
    progress: Option<GameProgress>,
    count: i64,
    /// Sums of the biases and weights of the feature transformer.
    transformer: [Vec<i32>; 2],
    /// Sums of the biases and weights of all stacks of each layer.
    layers: [(Vec<i64>, Vec<i32>); 3],
}

/// What keeps a network out of a mean.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeanError {
    /// Another architecture.
    #[error("the architecture is {found}, not {expected} as that of the first network")]
    Architecture {
        /// That of this network.
        found: String,
        /// That of the first.
        expected: String,
    },
    /// Other weights of the progress.
    #[error(
        "its progress of the game, which chooses the layer stack, is not that of the first network"
    )]
    Progress,
    /// Another divisor of the output.
    #[error("its FV_SCALE is {found}, not {expected} as that of the first network")]
    Scale {
        /// That of this network.
        found: i32,
        /// That of the first.
        expected: i32,
    },
}

impl NetworkMean {
    /// The mean of `first` alone.
    pub fn new(first: &Network) -> Self {
        let layers = first.layers();
        let mut mean = Self {
            description: first.description().to_vec(),
            architecture: *first.architecture(),
            progress: layers.progress().map(GameProgress::copied),
            count: 0,
            transformer: [
                vec![0; first.transformer().biases().len()],
                vec![0; first.transformer().weights().len()],
            ],
            layers: layers.layers().each_ref().map(|layer| {
                let (biases, weights) = (layer.biases().len(), layer.weights().len());
                (vec![0; biases], vec![0; weights])
            }),
        };
        mean.sum(first);
        mean
    }

    /// Adds a network, with the weight of each one before.
    ///
    /// # Errors
    /// When it is of another architecture, or its outputs mean something else.
    pub fn add(&mut self, network: &Network) -> Result<(), MeanError> {
        let found = network.architecture();
        if *found != self.architecture {
            return Err(MeanError::Architecture {
                found: found.to_string(),
                expected: self.architecture.to_string(),
            });
        }
        if network.layers().progress() != self.progress.as_ref() {
            return Err(MeanError::Progress);
        }
        let scale = |text: &[u8]| OwnScale::by_text(text, &self.architecture).scale.get();
        let (found, expected) = (scale(network.description()), scale(&self.description));
        if found != expected {
            return Err(MeanError::Scale { found, expected });
        }
        self.sum(network);
        Ok(())
    }

    fn sum(&mut self, network: &Network) {
        self.count += 1;
        let [biases, weights] = &mut self.transformer;
        add(biases, network.transformer().biases());
        add(weights, network.transformer().weights());
        for ((biases, weights), layer) in self.layers.iter_mut().zip(network.layers().layers()) {
            add(biases, layer.biases());
            add(weights, layer.weights());
        }
    }

    /// The mean, each number rounded to the nearest, halves away from 0.
    pub fn network(&self) -> Network {
        let [biases, weights] = &self.transformer;
        let numbers = |sums: &[i32]| {
            let mut numbers = Aligned::zeros(sums.len());
            for (number, &sum) in numbers.iter_mut().zip(sums) {
                *number = self.mean(sum.into()) as i16;
            }
            numbers
        };
        let transformer = Transformer::new(numbers(biases), numbers(weights));
        let mut layers = AffineLayers::zeros(
            self.architecture,
            self.progress.as_ref().map(GameProgress::copied),
        );
        for (layer, (biases, weights)) in layers.layers_mut().iter_mut().zip(&self.layers) {
            let mut biases = biases.iter();
            let mut weights = weights.iter();
            for stack in 0..self.architecture.stack_count() {
                let (to_biases, to_weights) = layer.stack_mut(stack);
                for (to, &sum) in to_biases.iter_mut().zip(&mut biases) {
                    *to = self.mean(sum) as i32;
                }
                for (to, &sum) in to_weights.iter_mut().zip(&mut weights) {
                    *to = self.mean(sum.into()) as i8;
                }
            }
        }
        Network::new(self.description.clone(), transformer, layers)
    }

    /// A sum over the networks divided by their number.
    const fn mean(&self, sum: i64) -> i64 {
        (2 * sum + self.count * sum.signum()) / (2 * self.count)
    }
}

/// Adds numbers to their sums.
fn add<S: std::ops::AddAssign + From<T>, T: Copy>(sums: &mut [S], numbers: &[T]) {
    for (sum, &number) in sums.iter_mut().zip(numbers) {
        *sum += S::from(number);
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_network;
    use super::*;

    const SFNN: &str = "SFNN_kp_64_7_16_progress8";

    #[test]
    fn numbers_are_means() {
        let networks = [1, 2, 3].map(|seed| random_network(SFNN, seed));
        let mut mean = NetworkMean::new(&networks[0]);
        assert_eq!(mean.network(), networks[0]);
        let refused = mean.add(&networks[1]);
        assert_eq!(refused, Err(MeanError::Progress));
        let networks = [1, 2, 3].map(|seed| random_network("kp_32x2-8-8", seed));
        let mut mean = NetworkMean::new(&networks[0]);
        for network in &networks[1..] {
            mean.add(network).unwrap();
        }
        let found = mean.network();
        let expected = |numbers: [i32; 3]| {
            let sum: i32 = numbers.iter().sum();
            (f64::from(sum) / 3.0).round() as i32
        };
        for (place, &weight) in found.transformer().weights().iter().enumerate() {
            let all = networks.each_ref();
            let numbers = all.map(|it| i32::from(it.transformer().weights()[place]));
            assert_eq!(i32::from(weight), expected(numbers));
        }
        for number in 0..3 {
            let layer = &found.layers().layers()[number];
            for (place, &bias) in layer.biases().iter().enumerate() {
                let all = networks.each_ref();
                let numbers = all.map(|it| it.layers().layers()[number].biases()[place]);
                assert_eq!(bias, expected(numbers));
            }
            for (place, &weight) in layer.weights().iter().enumerate() {
                let all = networks.each_ref();
                let numbers = all.map(|it| it.layers().layers()[number].weights()[place].into());
                assert_eq!(i32::from(weight), expected(numbers));
            }
        }
    }

    #[test]
    fn stacks_are_added_where_the_progress_is_the_same() {
        let network = random_network(SFNN, 5);
        let mut mean = NetworkMean::new(&network);
        mean.add(&network).unwrap();
        assert_eq!(mean.network(), network);
    }

    #[test]
    fn other_networks_are_refused() {
        let mut mean = NetworkMean::new(&random_network("kp_32x2-8-8", 1));
        let refused = mean.add(&random_network("kp_32x2-8-16", 1));
        let text = refused.unwrap_err().to_string();
        assert!(
            text.contains("kp_32x2-8-16") && text.contains("kp_32x2-8-8"),
            "{text}"
        );
        let mut text = random_network("kp_32x2-8-8", 2).into_parts();
        text.0.extend_from_slice(b",fv_scale=24");
        let refused = mean.add(&Network::new(text.0, text.1, text.2));
        let expected = MeanError::Scale {
            found: 24,
            expected: 16,
        };
        assert_eq!(refused, Err(expected));
    }
}
