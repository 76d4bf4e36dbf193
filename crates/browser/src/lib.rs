#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod context;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod exports;
mod files;
mod network;
#[cfg(feature = "othello")]
mod othello;
#[cfg(feature = "shogi")]
mod shogi;
mod sliced;

pub use context::{Emit, Newness, TabContext};
pub use files::{ROOT, TabFiles};
#[cfg(feature = "othello")]
pub use othello::othello_services;
#[cfg(feature = "shogi")]
pub use shogi::shogi_services;
pub use sliced::put_sliced;

/// What the host says of the machine when it starts a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct HostSetup {
    /// Threads that search, the one that is asked among them.
    pub threads: usize,
    /// Memory of the transposition table in mebibytes.
    pub hash_mib: usize,
    /// A number that differs from start to start.
    pub seed: u64,
}

impl Default for HostSetup {
    fn default() -> Self {
        Self {
            threads: 1,
            hash_mib: 32,
            seed: 0,
        }
    }
}
