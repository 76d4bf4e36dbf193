//! What may be wrong in the name of an architecture, or in its sizes.

use thiserror::Error;

use crate::nnue::arch::{FeatureSet, HandScheme, KingScheme, PROGRESS_BUCKETS};

/// Error of an architecture's name or sizes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchitectureError {
    /// The name does not have the parts of one.
    #[error(
        "`{name}` is not the name of an architecture: expected one like `halfkp_256x2-32-32` or \
         `SFNN_halfkahm2_1536_15_32_k3k3`"
    )]
    Malformed {
        /// The name.
        name: String,
    },
    /// There is no such feature set.
    #[error(
        "`{name}`: unknown feature set `{features}`; known are {}",
        known_features()
    )]
    Features {
        /// The name.
        name: String,
        /// The feature set in it.
        features: String,
    },
    /// There is no such way to choose stacks.
    #[error(
        "`{name}`: unknown part `{part}`; stacks are chosen by {}",
        known_stacks()
    )]
    Part {
        /// The name.
        name: String,
        /// The part.
        part: String,
    },
    /// A size is 0 or too large.
    #[error("{what}: {size}; possible are 1 to {max}")]
    Size {
        /// The part with that size.
        what: &'static str,
        /// The size.
        size: usize,
        /// The largest.
        max: usize,
    },
    /// The accumulator of an SFNN network is multiplied by halves.
    #[error("the width of an SFNN network is even, not {width}")]
    OddWidth {
        /// The width.
        width: usize,
    },
    /// The first hidden layer of an SFNN network.
    #[error(
        "the first hidden layer of an SFNN network has 8n - 1 (with a shortcut) or 8n outputs, \
         not {size}"
    )]
    FirstHidden {
        /// Its size.
        size: usize,
    },
    /// Shards do not cover the inputs or divide the outputs.
    #[error(
        "c{common}_s{shard}x{groups}: {common} + {shard} x {groups} must be the width {width}, and \
         {groups}, at least 2, must divide the {outputs} outputs of the feature transformer"
    )]
    Shards {
        /// Inputs of all groups.
        common: usize,
        /// Inputs of one group.
        shard: usize,
        /// Groups.
        groups: usize,
        /// Inputs there are.
        width: usize,
        /// Outputs there are.
        outputs: usize,
    },
}

pub(super) fn known_features() -> String {
    FeatureSet::ALL.map(FeatureSet::short_name).join(", ")
}

pub(super) fn known_stacks() -> String {
    let hands = HandScheme::ALL.map(HandScheme::name).join(" ");
    let kings = KingScheme::ALL.map(KingScheme::name).join(" ");
    let progress = PROGRESS_BUCKETS[1..]
        .iter()
        .map(|n| format!("progress{n}"))
        .collect::<Vec<_>>()
        .join(" ");
    format!("{} {} {progress}", hands.trim(), kings.trim())
}
