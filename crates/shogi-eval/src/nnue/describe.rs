//! A network described for people, and the divisor of its output.

use std::fmt;
use std::ops::RangeInclusive;

use super::arch::{Architecture, LayerShape, Stacks, TransformerKind};
use super::network::{FeatureWeights, Network};
use crate::loader::OwnScale;

/// A description of a network, with the ranges of its parameters. [`fmt::Display`] writes it as lines of
/// `name value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The shape.
    pub architecture: Architecture,
    /// The text in the file's header; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// The divisor of its output.
    pub scale: OwnScale,
    /// The feature transformer's parameters.
    pub transformer: Ranges,
    /// The affine layers, over all stacks, padding not counted.
    pub layers: [(LayerShape, Ranges); 3],
    /// The weights of the progress.
    pub progress: Option<RangeInclusive<i32>>,
}

/// Smallest and largest parameters of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// Of the biases.
    pub biases: RangeInclusive<i32>,
    /// Of the weights.
    pub weights: RangeInclusive<i32>,
}

impl Description {
    /// Numbers in the file, padding not counted.
    pub fn parameters(&self) -> u64 {
        let width = self.architecture.width() as u64;
        let transformer = width * (1 + self.architecture.features().dimensions() as u64);
        let stack: u64 = self
            .layers
            .iter()
            .map(|(shape, _)| shape.outputs as u64 * (1 + shape.inputs as u64))
            .sum();
        transformer + stack * self.architecture.stack_count() as u64
    }

    /// Bytes of all parameters uncompressed, padding included. Evaluation may keep them in less.
    pub fn bytes(&self) -> u64 {
        let width = self.architecture.width() as u64;
        let transformer = 2 * width * (1 + self.architecture.features().dimensions() as u64);
        let stack: u64 = self
            .layers
            .iter()
            .map(|(shape, _)| shape.bytes() as u64)
            .sum();
        transformer + stack * self.architecture.stack_count() as u64
    }
}

impl Network {
    /// Describes the network. Looks at every parameter: some tens of milliseconds.
    pub fn describe(&self) -> Description {
        let transformer = self.transformer();
        let layers = self.layers().layers().each_ref().map(|layer| {
            let padded = layer.shape().padded_inputs();
            let rows = layer.weights().chunks_exact(padded);
            let weights = rows.flat_map(|row| &row[..layer.shape().inputs]);
            let ranges = Ranges {
                biases: range(layer.biases().iter().copied()),
                weights: range(weights.map(|&weight| i32::from(weight))),
            };
            (layer.shape(), ranges)
        });
        Description {
            architecture: *self.architecture(),
            text: String::from_utf8_lossy(self.description()).into_owned(),
            scale: OwnScale::by_text(self.description(), self.architecture()),
            transformer: Ranges {
                biases: range(transformer.biases().iter().map(|&n| i32::from(n))),
                weights: range(transformer.weights().iter().map(|&n| i32::from(n))),
            },
            layers,
            progress: self
                .layers()
                .progress()
                .map(|progress| range(progress.weights().iter().copied())),
        }
    }
}

/// Smallest to largest; 0 to 0 of nothing.
fn range(numbers: impl Iterator<Item = i32>) -> RangeInclusive<i32> {
    let ends = numbers.fold(None, |ends: Option<(i32, i32)>, number| {
        Some(match ends {
            None => (number, number),
            Some((low, high)) => (low.min(number), high.max(number)),
        })
    });
    ends.map_or(0..=0, |(low, high)| low..=high)
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |range: &RangeInclusive<i32>| format!("{} to {}", range.start(), range.end());
        write!(
            f,
            "weights {}, biases {}",
            show(&self.weights),
            show(&self.biases)
        )
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let architecture = &self.architecture;
        let features = architecture.features();
        writeln!(f, "architecture  {architecture}")?;
        // Control characters would be instructions to a terminal.
        let text: String = self
            .text
            .chars()
            .map(|c| if c.is_control() { '\u{fffd}' } else { c })
            .collect();
        writeln!(f, "text          {text}")?;
        writeln!(
            f,
            "hashes        file {:08X}, transformer {:08X}, layers {:08X}",
            architecture.file_hash(),
            architecture.transformer_hash(),
            architecture.network_hash()
        )?;
        writeln!(
            f,
            "parameters    {}, {:.1} MiB uncompressed",
            self.parameters(),
            self.bytes() as f64 / f64::from(1 << 20)
        )?;
        let says = if self.scale.stated {
            "stated by the text"
        } else {
            "unless its author says otherwise"
        };
        writeln!(f, "fv_scale      {} {says}", self.scale.scale.get())?;
        writeln!(
            f,
            "transformer   {} {} -> {} x 2: {}",
            features.file_name(),
            features.dimensions(),
            architecture.width(),
            self.transformer
        )?;
        for (number, (shape, ranges)) in self.layers.iter().enumerate() {
            writeln!(
                f,
                "layer {}       {} -> {}: {ranges}",
                number + 1,
                shape.inputs,
                shape.outputs
            )?;
        }
        if let Architecture::Sfnn(sfnn) = architecture {
            let how = match sfnn.stacks() {
                Stacks::ONE => "one for all positions".to_owned(),
                stacks => format!("by {stacks}"),
            };
            writeln!(f, "stacks        {}, {how}", sfnn.stacks().count())?;
            let shortcut = if sfnn.has_shortcut() { "yes" } else { "no" };
            writeln!(f, "shortcut      {shortcut}")?;
            if let TransformerKind::Sharded {
                common,
                shard,
                groups,
            } = sfnn.transformer_kind()
            {
                writeln!(
                    f,
                    "layer 1 uses  {common} common inputs and {shard} of each of {groups} groups"
                )?;
            }
        }
        if let Some(range) = &self.progress {
            writeln!(
                f,
                "progress      weights {} to {}",
                range.start(),
                range.end()
            )?;
        }
        Ok(())
    }
}
