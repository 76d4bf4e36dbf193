//! Quantised networks: the files that engines read.

use std::path::Path;

use shogi_eval::nnue::file::{NetworkReadOptions, write_network};
use shogi_eval::nnue::{AffineLayers, FeatureWeights, GameProgress, Network};
use yane_io::AtomicFile;

use crate::params::Params;
use crate::scales::{Scales, round};
use crate::{LearnError, Result};

/// Returns the offset of biases that makes an engine, which divides the outputs of a layer by 64 and rounds down, round to the
/// nearest.
///
/// Not for networks that are not trained for it, whose numbers are those of the classic trainer, and not where the outputs are used in
/// other ways too: squared, or as a shortcut.
fn half_of_floor(params: &Params, layer: usize) -> i32 {
    let is_clipped_only = match layer {
        0 => params.shape.sfnn().is_none(),
        1 => true,
        _ => false,
    };
    if params.rounded && is_clipped_only {
        32
    } else {
        0
    }
}

/// The network of `params` as a quantised feature transformer.
struct QuantisedRows<'a> {
    params: &'a Params,
    biases: Vec<i16>,
    /// True if rows that were never touched are zero.
    without_unobserved: bool,
}

impl FeatureWeights for QuantisedRows<'_> {
    fn biases(&self) -> &[i16] {
        &self.biases
    }

    fn read_weights(&self, feature: usize, row: &mut [i16]) {
        if self.without_unobserved && self.params.table.last[feature] == 0 {
            row.fill(0);
            return;
        }
        let mut columns = vec![0.0; row.len()];
        self.params.row(feature, &mut columns);
        for (weight, column) in row.iter_mut().zip(columns) {
            *weight = round(column * 127.0) as i16;
        }
    }
}

impl<'a> QuantisedRows<'a> {
    fn new(params: &'a Params) -> Self {
        let scale = Scales::of(&params.shape.architecture).transformer;
        let biases = params.biases();
        Self {
            params,
            biases: biases
                .iter()
                .map(|&bias| round(bias * scale) as i16)
                .collect(),
            without_unobserved: false,
        }
    }
}

/// A network as it would be in a file, without the feature transformer in memory.
pub(crate) struct Quantised<'a> {
    rows: QuantisedRows<'a>,
    layers: AffineLayers,
}

impl<'a> Quantised<'a> {
    pub(crate) fn new(params: &'a Params) -> Self {
        let progress = params.progress.as_deref().map(GameProgress::copied);
        let mut layers = AffineLayers::zeros(params.shape.architecture, progress);
        let scales = Scales::of(&params.shape.architecture);
        for (number, layer) in layers.layers_mut().iter_mut().enumerate() {
            let padded = layer.shape().padded_inputs();
            let inputs = layer.shape().inputs;
            for stack in 0..params.shape.stacks() {
                let (weights, biases) = params.layer(number, stack);
                let (to_biases, to_weights) = layer.stack_mut(stack);
                let half = half_of_floor(params, number);
                for (to, bias) in to_biases.iter_mut().zip(biases) {
                    *to = round(bias * scales.biases[number]) as i32 + half;
                }
                let rows = to_weights.chunks_exact_mut(padded);
                for (to, weights) in rows.zip(weights.chunks_exact(inputs)) {
                    for (to, &weight) in to.iter_mut().zip(weights) {
                        *to = round(weight * scales.weights[number]) as i8;
                    }
                }
            }
        }
        Self {
            rows: QuantisedRows::new(params),
            layers,
        }
    }

    /// The same, with rows of zeros for features that were never seen if `without` says so.
    pub(crate) fn without_unobserved(mut self, without: bool) -> Self {
        self.rows.without_unobserved = without;
        self
    }

    /// It as the network that its file is.
    pub(crate) fn network(&self) -> Network {
        let mut bytes = Vec::new();
        self.write("", &mut bytes)
            .expect("memory can be written to");
        let options = NetworkReadOptions {
            architecture: Some(*self.layers.architecture()),
        };
        let loaded = Network::from_bytes(&bytes, &options);
        loaded.expect("what is written can be read").network
    }

    /// The value of a position in internal units, before it is rounded: what an engine will give.
    pub(crate) fn value(&self, position: &shogi_core::Position) -> f64 {
        let output = shogi_eval::nnue::reference::output(&self.rows, &self.layers, position);
        f64::from(output) / 16.0
    }

    /// Writes the file, with `description` in its header.
    pub(crate) fn write(&self, description: &str, out: impl std::io::Write) -> std::io::Result<()> {
        write_network(description.as_bytes(), &self.rows, &self.layers, out)
    }

    /// Writes the file `path`, whole or not at all.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        let description = self.layers.architecture().description();
        self.write(&description, &mut file)
            .map_err(yane_io::Error::io(path))
            .map_err(LearnError::from)?;
        Ok(file.commit()?)
    }
}
