#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

#[cfg(any(test, all(target_arch = "wasm32", target_os = "unknown")))]
#[cfg_attr(test, allow(dead_code, reason = "a queue of its own is tested"))]
mod queue;
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
mod system;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod tab;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
use system as host;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
use tab as host;

pub use host::{Instant, begin_pauses, end_pauses, pause_point};

/// Scoped threads.
pub mod thread {
    pub use crate::host::{Builder, Scope, ScopedJoinHandle, scope, sleep, work};
}
