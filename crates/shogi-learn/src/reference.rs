//! The loss and its gradients in double precision, one number after the other: what the kernels are tested against.

use crate::batch::Samples;
use crate::loss::Curve;
use crate::params::Params;
use crate::shape::Shape;
use crate::step::{PRODUCT_SCALE, SHORTCUT_SCALE, SQUARE_SCALE};

/// A network in double precision, in the order of its files.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    shape: Shape,
    /// Rows, factors included, by feature, then by column.
    pub(crate) rows: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    /// By stack, then by layer.
    pub(crate) layers: Vec<[ExactLayer; 3]>,
}

/// An affine layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExactLayer {
    /// By output, then by input.
    pub(crate) weights: Vec<f64>,
    pub(crate) biases: Vec<f64>,
}

/// The activations of a network for a sample.
struct Activations {
    /// Clipped accumulators of both perspectives.
    accumulators: [Vec<f64>; 2],
    /// Inputs of the layers.
    inputs: [Vec<f64>; 3],
    /// Outputs of the first layer.
    first: Vec<f64>,
    output: f64,
}

/// The slope of `ClippedReLU`.
fn inside(x: f64) -> f64 {
    if x > 0.0 && x < 1.0 { 1.0 } else { 0.0 }
}

fn exact(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&number| f64::from(number)).collect()
}

impl Exact {
    pub(crate) fn new(params: &Params) -> Self {
        let shape = params.shape;
        let width = shape.architecture.width();
        let mut rows = Vec::new();
        for row in 0..shape.features.rows() {
            let mut columns = vec![0.0; width];
            params.row(row, &mut columns);
            rows.extend(exact(&columns));
        }
        let layer = |number, stack| {
            let (weights, biases) = params.layer(number, stack);
            ExactLayer {
                weights: exact(&weights),
                biases: exact(&biases),
            }
        };
        let stacks = 0..shape.stacks();
        Self {
            shape,
            rows,
            bias: exact(&params.biases()),
            layers: stacks
                .map(|stack| [0, 1, 2].map(|number| layer(number, stack)))
                .collect(),
        }
    }

    fn zeros(&self) -> Self {
        let mut zeros = self.clone();
        zeros.for_each(&mut |_, numbers| numbers.fill(0.0));
        zeros
    }

    /// Calls `f` with the name and the numbers of each tensor.
    pub(crate) fn for_each(&mut self, f: &mut dyn FnMut(&str, &mut [f64])) {
        f("rows", &mut self.rows);
        f("biases", &mut self.bias);
        for (stack, layers) in self.layers.iter_mut().enumerate() {
            for (number, layer) in layers.iter_mut().enumerate() {
                f(
                    &format!("weights {number} of stack {stack}"),
                    &mut layer.weights,
                );
                f(
                    &format!("biases {number} of stack {stack}"),
                    &mut layer.biases,
                );
            }
        }
    }

    fn forward(&self, features: &[u32], stack: usize) -> Activations {
        let width = self.shape.architecture.width();
        let (ours, theirs) = features.split_at(features.len() / 2);
        let accumulators = [ours, theirs].map(|features| {
            let mut sums = self.bias.clone();
            for &feature in features {
                let row = &self.rows[feature as usize * width..][..width];
                sums.iter_mut()
                    .zip(row)
                    .for_each(|(sum, weight)| *sum += weight);
            }
            sums.into_iter()
                .map(|sum| sum.clamp(0.0, 1.0))
                .collect::<Vec<_>>()
        });
        let is_sfnn = self.shape.sfnn().is_some();
        let inputs = if is_sfnn {
            let products = |sums: &Vec<f64>| -> Vec<f64> {
                let (left, right) = sums.split_at(width / 2);
                let pairs = left.iter().zip(right);
                pairs
                    .map(|(a, b)| a * b * f64::from(PRODUCT_SCALE))
                    .collect()
            };
            accumulators.each_ref().map(products).concat()
        } else {
            accumulators.concat()
        };
        let layers = &self.layers[stack];
        let first = layers[0].apply(&inputs);
        let clip = |numbers: &[f64]| {
            numbers
                .iter()
                .map(|n| n.clamp(0.0, 1.0))
                .collect::<Vec<_>>()
        };
        let hidden = self.shape.architecture.hidden()[0];
        let second_inputs = if is_sfnn {
            let square = |z: &f64| (z * z * f64::from(SQUARE_SCALE)).min(1.0);
            let squares: Vec<f64> = first[..hidden].iter().map(square).collect();
            [squares, clip(&first[..hidden])].concat()
        } else {
            clip(&first)
        };
        let last_inputs = clip(&layers[1].apply(&second_inputs));
        let shortcut: f64 = first[hidden..].iter().sum();
        Activations {
            accumulators,
            output: layers[2].apply(&last_inputs)[0] + shortcut * f64::from(SHORTCUT_SCALE),
            inputs: [inputs, second_inputs, last_inputs],
            first,
        }
    }

    /// The output for each sample.
    pub(crate) fn outputs(&self, samples: &Samples) -> Vec<f64> {
        let active = 2 * self.shape.features.active_count();
        let features = samples.features.chunks_exact(active);
        features
            .zip(&samples.stacks)
            .map(|(features, &stack)| self.forward(features, stack as usize).output)
            .collect()
    }

    /// The mean cross entropy and its gradients.
    pub(crate) fn gradients(&self, curve: Curve, samples: &Samples) -> (f64, Self) {
        let targets: Vec<f64> = samples.targets.iter().map(|t| f64::from(t.value)).collect();
        self.gradients_for(curve, samples, &targets)
    }

    /// As [`Self::gradients`], with targets in double precision.
    pub(crate) fn gradients_for(
        &self,
        curve: Curve,
        samples: &Samples,
        targets: &[f64],
    ) -> (f64, Self) {
        let mut gradients = self.zeros();
        let mut loss = 0.0;
        let count = samples.targets.len() as f64;
        let active = 2 * self.shape.features.active_count();
        for (index, features) in samples.features.chunks_exact(active).enumerate() {
            let stack = samples.stacks[index] as usize;
            let activations = self.forward(features, stack);
            let weight = f64::from(samples.targets[index].weight);
            let (sum, gradient) = curve.exact_loss(activations.output, targets[index], weight);
            loss += sum.cross_entropy / count;
            self.backward(
                &activations,
                gradient / count,
                (features, stack),
                &mut gradients,
            );
        }
        (loss, gradients)
    }

    fn backward(
        &self,
        activations: &Activations,
        gradient: f64,
        (features, stack): (&[u32], usize),
        to: &mut Self,
    ) {
        let layers = &self.layers[stack];
        let [inputs1, inputs2, inputs3] = &activations.inputs;
        let masked = |gradients: Vec<f64>, inputs: &[f64]| -> Vec<f64> {
            gradients
                .iter()
                .zip(inputs)
                .map(|(g, x)| g * inside(*x))
                .collect()
        };
        let back = layers[2].back(&[gradient], inputs3, &mut to.layers[stack][2]);
        let back = masked(back, inputs3);
        let back = layers[1].back(&back, inputs2, &mut to.layers[stack][1]);
        let hidden = self.shape.architecture.hidden()[0];
        let is_sfnn = self.shape.sfnn().is_some();
        let back = if is_sfnn {
            let scale = f64::from(SQUARE_SCALE);
            let mut outputs: Vec<f64> = (0..hidden)
                .map(|i| {
                    let z = activations.first[i];
                    let square = if z * z * scale < 1.0 {
                        2.0 * scale * z
                    } else {
                        0.0
                    };
                    back[i] * square + back[hidden + i] * inside(z)
                })
                .collect();
            let shortcuts = activations.first.len() - hidden;
            outputs.extend(vec![gradient * f64::from(SHORTCUT_SCALE); shortcuts]);
            outputs
        } else {
            masked(back, inputs2)
        };
        let back = layers[0].back(&back, inputs1, &mut to.layers[stack][0]);
        self.backward_to_rows(activations, &back, features, to);
    }

    /// The gradients of rows and biases of the transformer, from those of the first layer's inputs.
    fn backward_to_rows(
        &self,
        activations: &Activations,
        back: &[f64],
        features: &[u32],
        to: &mut Self,
    ) {
        let is_sfnn = self.shape.sfnn().is_some();
        let width = self.shape.architecture.width();
        let halves = back.chunks_exact(back.len() / 2);
        let perspectives = activations.accumulators.iter().zip(halves);
        for ((sums, back), features) in perspectives.zip(features.chunks(features.len() / 2)) {
            let gradients: Vec<f64> = (0..width)
                .map(|column| {
                    let gradient = if is_sfnn {
                        let half = width / 2;
                        let partner = (column + half) % width;
                        back[column % half] * sums[partner] * f64::from(PRODUCT_SCALE)
                    } else {
                        back[column]
                    };
                    gradient * inside(sums[column])
                })
                .collect();
            let add = |to: &mut [f64]| {
                to.iter_mut()
                    .zip(&gradients)
                    .for_each(|(to, gradient)| *to += gradient);
            };
            add(&mut to.bias);
            for &feature in features {
                add(&mut to.rows[feature as usize * width..][..width]);
            }
        }
    }
}

impl ExactLayer {
    fn apply(&self, inputs: &[f64]) -> Vec<f64> {
        let rows = self.weights.chunks_exact(inputs.len());
        let dot = |row: &[f64]| row.iter().zip(inputs).map(|(w, x)| w * x).sum::<f64>();
        rows.zip(&self.biases)
            .map(|(row, bias)| bias + dot(row))
            .collect()
    }

    /// The gradient of the inputs; adds those of weights and biases.
    fn back(&self, gradients: &[f64], inputs: &[f64], to: &mut Self) -> Vec<f64> {
        let mut back = vec![0.0; inputs.len()];
        for (output, gradient) in gradients.iter().enumerate() {
            to.biases[output] += gradient;
            for (input, x) in inputs.iter().enumerate() {
                let at = output * inputs.len() + input;
                to.weights[at] += gradient * x;
                back[input] += gradient * self.weights[at];
            }
        }
        back
    }
}

mod tests {
    use test_support::SplitMix64;
    use yane_base::lanes::LaneLevel;

    use super::*;
    use crate::batch::{Batch, BatchMaker, Target};
    use crate::buffers::Buffers;
    use crate::optimiser::Rules;
    use crate::params::Weights;
    use crate::step::train;

    /// Samples of random features.
    fn samples(shape: &Shape, count: usize) -> Samples {
        let mut random = SplitMix64::new(11);
        let mut samples = Samples::default();
        for _ in 0..count {
            for _ in 0..2 * shape.features.active_count() {
                // Few features, so that lists are long.
                let feature = random.below(64) * (shape.features.rows() as u64 / 64);
                samples.features.push(feature as u32);
            }
            samples
                .stacks
                .push(random.below(shape.stacks() as u64) as u32);
            samples.targets.push(Target::new(
                (random.below(1000) as f32) / 1000.0,
                0.5 + random.below(2) as f32,
            ));
        }
        samples
    }

    /// The gradients that the kernels find, as numbers of a network.
    fn found(params: Params, samples: &Samples, level: LaneLevel) -> Exact {
        clipped(params, samples, level, None).0
    }

    /// The same, up to a length; and the length before.
    fn clipped(
        mut params: Params,
        samples: &Samples,
        level: LaneLevel,
        clip: Option<f64>,
    ) -> (Exact, Option<f64>) {
        let mut batch = Batch::default();
        BatchMaker::new(params.shape).make(&mut samples.clone(), &mut batch);
        let (curve, mut buffers) = (Curve::new(450.0), Buffers::default());
        let rules = (&Rules::GRADIENT.clipped(clip), 1);
        let report = train(&mut params, level, curve, &batch, &mut buffers, rules);
        let swap = |weights: &mut Weights| std::mem::swap(&mut weights.values, &mut weights.first);
        params.table.slabs.iter_mut().for_each(swap);
        // An exported row has its factors in it; a gradient has not.
        params
            .factors
            .slabs
            .iter_mut()
            .for_each(|slab| slab.values.fill(0.0));
        swap(&mut params.bias);
        for layer in &mut params.layers {
            swap(&mut layer.weights);
            swap(&mut layer.biases);
        }
        (Exact::new(&params), report.length)
    }

    const ARCHITECTURES: [&str; 6] = [
        "kp_32x2-8-8",
        "p_40x2-5-33",
        "ka2_64x2-32-16",
        "SFNN_kp_64_15_32_k3k3",
        "SFNN_k_72_8_16",
        "SFNN_p_96_7_8_c32_s16x4_k3k3",
    ];

    #[test]
    fn kernels_find_the_exact_gradients() {
        for name in ARCHITECTURES {
            let shape = Shape::new(name.parse().unwrap(), false);
            let params = Params::random(shape, 5);
            let samples = samples(&shape, 150);
            let (_, mut expected) = Exact::new(&params).gradients(Curve::new(450.0), &samples);
            leave_out_unused(&shape, &mut expected);
            let mut found = found(params, &samples, LaneLevel::best());
            let mut tensors = Vec::new();
            found.for_each(&mut |_, numbers| tensors.push(numbers.to_vec()));
            let mut tensors = tensors.into_iter();
            expected.for_each(&mut |tensor, expected| {
                let found = tensors.next().unwrap();
                let largest = expected.iter().fold(0f64, |max, n| max.max(n.abs()));
                for (found, expected) in found.iter().zip(expected.iter()) {
                    let difference = (found - expected).abs();
                    assert!(
                        difference <= 1e-5 * largest,
                        "{name} {tensor}: {found} {expected}"
                    );
                }
            });
        }
    }

    /// Weights that a sharded network does not use are no numbers of it.
    fn leave_out_unused(shape: &Shape, gradients: &mut Exact) {
        let size = shape.layers[0];
        for layers in &mut gradients.layers {
            for output in 0..size.outputs {
                for input in 0..size.inputs {
                    if !shape.is_used(0, output, input) {
                        layers[0].weights[output * size.inputs + input] = 0.0;
                    }
                }
            }
        }
    }

    /// The exact gradients do not rest on a chain of derivatives alone.
    #[test]
    fn exact_gradients_are_differences_of_losses() {
        let networks = ["kp_32x2-8-8", "SFNN_kp_64_15_32_k3k3"];
        let curves = crate::loss::tests::curves();
        for (name, curve) in networks
            .into_iter()
            .flat_map(|name| curves.iter().map(move |curve| (name, *curve)))
        {
            let shape = Shape::new(name.parse().unwrap(), false);
            let samples = samples(&shape, 40);
            let network = Exact::new(&Params::random(shape, 5));
            let (_, mut gradients) = network.gradients(curve, &samples);
            let mut tensors = Vec::new();
            gradients.for_each(&mut |_, numbers| tensors.push(numbers.to_vec()));
            for (number, tensor) in tensors.iter().enumerate() {
                // The number with the largest gradient.
                let largest = |a: &usize, b: &usize| tensor[*a].abs().total_cmp(&tensor[*b].abs());
                let index = (0..tensor.len()).max_by(largest).unwrap();
                let loss = |step: f64| {
                    let (mut moved, mut at) = (network.clone(), 0);
                    moved.for_each(&mut |_, numbers| {
                        if at == number {
                            numbers[index] += step;
                        }
                        at += 1;
                    });
                    moved.gradients(curve, &samples).0
                };
                let slope = (loss(1e-6) - loss(-1e-6)) / 2e-6;
                let difference = (slope - tensor[index]).abs();
                assert!(
                    difference < 1e-8,
                    "{name} {number}: {slope} {}",
                    tensor[index]
                );
            }
        }
    }

    #[test]
    fn long_lists_have_the_exact_gradients_too() {
        // Few rows, and accumulators of three blocks.
        for name in ["k_32x2-8-8", "SFNN_kp_64_15_32_k3k3"] {
            let shape = Shape::new(name.parse().unwrap(), false);
            let params = Params::random(shape, 5);
            let samples = samples(&shape, 2100);
            let mut batch = Batch::default();
            BatchMaker::new(shape).make(&mut samples.clone(), &mut batch);
            assert_eq!(batch.rows.cuts.len(), 3 * batch.rows.keys.len());
            let (_, expected) = Exact::new(&params).gradients(Curve::new(450.0), &samples);
            for clip in [None, Some(1e9)] {
                let (found, _) = clipped(params.clone(), &samples, LaneLevel::best(), clip);
                let largest = expected.rows.iter().fold(0f64, |max, n| max.max(n.abs()));
                for (found, expected) in found.rows.iter().zip(&expected.rows) {
                    let difference = (found - expected).abs();
                    assert!(difference <= 1e-5 * largest, "{name}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn long_gradients_are_shortened() {
        for name in ARCHITECTURES {
            let shape = Shape::new(name.parse().unwrap(), false);
            let params = Params::random(shape, 5);
            let samples = samples(&shape, 150);
            let (_, mut expected) = Exact::new(&params).gradients(Curve::new(450.0), &samples);
            leave_out_unused(&shape, &mut expected);
            let (mut squares, mut all) = (0.0, Vec::new());
            expected.for_each(&mut |_, numbers| {
                squares += numbers.iter().map(|n| n * n).sum::<f64>();
                all.extend_from_slice(numbers);
            });
            let length = squares.sqrt();
            // Longer ones are shortened, shorter ones are not.
            for (limit, factor) in [(length / 2.0, 0.5), (length * 2.0, 1.0)] {
                let level = LaneLevel::best();
                let (mut found, told) = clipped(params.clone(), &samples, level, Some(limit));
                let relative = told.unwrap() / length - 1.0;
                assert!(relative.abs() < 1e-5, "{name}: {told:?} {length}");
                let mut numbers = Vec::new();
                found.for_each(&mut |_, tensor| numbers.extend_from_slice(tensor));
                for (found, expected) in numbers.iter().zip(&all) {
                    let difference = (found - expected * factor).abs();
                    assert!(difference < 1e-5 * length, "{name}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn the_gradient_of_a_factor_is_that_of_its_rows() {
        let shape = Shape::new("halfkpvm_32x2-8-8".parse().unwrap(), true);
        let params = Params::random(shape, 5);
        let samples = samples(&shape, 100);
        let mut batch = Batch::default();
        BatchMaker::new(shape).make(&mut samples.clone(), &mut batch);
        let mut trained = params.clone();
        let (curve, mut buffers) = (Curve::new(450.0), Buffers::default());
        let rules = (&Rules::GRADIENT.clipped(Some(1e9)), 1);
        let level = LaneLevel::best();
        let told = train(&mut trained, level, curve, &batch, &mut buffers, rules);
        let (_, mut expected) = Exact::new(&params).gradients(curve, &samples);
        let mut sums = vec![0.0; shape.features.factor_rows() * 32];
        for (row, gradients) in expected.rows.chunks_exact(32).enumerate() {
            let (_, [factor, _]) = shape.features.factors(row);
            for (sum, gradient) in sums[factor * 32..].iter_mut().zip(gradients) {
                *sum += gradient;
            }
        }
        let mut squares = sums.iter().map(|sum| sum * sum).sum::<f64>();
        expected.for_each(&mut |_, numbers| squares += numbers.iter().map(|n| n * n).sum::<f64>());
        let relative = told.length.unwrap() / squares.sqrt() - 1.0;
        assert!(relative.abs() < 1e-5, "{told:?} {squares}");
        let largest = sums.iter().fold(0f64, |max, sum| max.max(sum.abs()));
        for (found, expected) in trained.factors.slabs[0].first.iter().zip(&sums) {
            assert!((f64::from(*found) - expected).abs() <= 1e-5 * largest);
        }
    }
}
