//! Neural networks as evaluation files (`nn.bin`) hold them.
//!
//! [`Network::from_bytes`] reads a file of any known shape ([`arch::Architecture`]);
//! [`reference::evaluate`] evaluates a position with it, slowly and exactly. [`random`] makes networks
//! of any shape for tests.

mod aligned;
pub mod arch;
mod describe;
pub mod features;
pub mod file;
mod fv_scale;
pub mod header;
mod network;
mod progress;
pub mod random;
pub mod reference;

pub use aligned::Aligned;
pub use describe::{Description, Ranges};
pub use fv_scale::FvScale;
pub use network::{Layer, Network, Rows, SmallLayers, StackedLayer, Transformer};
pub use progress::Progress;
