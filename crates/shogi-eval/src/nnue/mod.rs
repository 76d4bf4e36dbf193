//! Neural networks as evaluation files (`nn.bin`) hold them.
//!
//! [`Network::open`] reads a file of any known shape ([`arch::Architecture`]);
//! [`reference::evaluate`] evaluates a position with it, slowly and exactly.
//!
//! ```
//! use shogi_core::Position;
//! use shogi_eval::nnue::file::NetworkReadOptions;
//! use test_networks::RandomNetwork;
//! use shogi_eval::nnue::{Network, reference};
//!
//! let mut file = Vec::new();
//! RandomNetwork::new("kp_32x2-8-8".parse()?, 1).write(&mut file)?;
//! let loaded = Network::from_bytes(&file, &NetworkReadOptions::default())?;
//! for note in &loaded.notes {
//!     eprintln!("{note}"); // a wrong hash, or an architecture that had to be assumed
//! }
//! println!("{}", loaded.network.describe());
//! let scale = loaded.network.architecture().default_fv_scale();
//! let value = reference::evaluate(&loaded.network, &Position::startpos(), scale);
//! # assert!(loaded.notes.is_empty() && value.abs() < 31_753);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aligned;
pub mod arch;
mod describe;
mod fast;
pub mod features;
pub mod file;
mod fv_scale;
pub mod header;
mod mean;
mod network;
pub(crate) mod own_scale;
pub mod reference;
mod simd;

pub use crate::files::shared;
pub use aligned::Aligned;
pub use describe::{Description, Ranges};
pub(crate) use fast::EXTENSION;
pub use fast::{MappedError, MappedKey, MappedNetwork, NnueEvaluator, PreparedNetwork};
pub use fv_scale::FvScale;
pub use mean::{MeanError, NetworkMean};
pub use network::{
    AffineLayers, FeatureWeights, GameProgress, Layer, Network, StackedLayer, Transformer,
};
pub use simd::Level;

/// A random network. It comes as bytes: the types of `test_networks` are not those that unit tests see.
#[cfg(test)]
pub(crate) fn random_network(architecture: &str, seed: u64) -> Network {
    let mut bytes = Vec::new();
    test_networks::RandomNetwork::new(architecture.parse().unwrap(), seed)
        .write(&mut bytes)
        .unwrap();
    let architecture = Some(architecture.parse().unwrap());
    let options = file::NetworkReadOptions { architecture };
    Network::from_bytes(&bytes, &options).unwrap().network
}
