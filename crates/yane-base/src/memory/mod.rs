//! Memory for large tables, and what a thread that works on them tells the system.
//!
//! * [`Pages`], [`PageBox`]: bytes, or one value, on pages of their own, large ones where the system gives them.
//! * [`AtomicWords`]: an array of numbers that many threads read and write at once, populated in the background.
//! * [`prefetch`]: a hint to the processor.
//! * [`free_memory`], [`total_memory`]: how much there is.
//! * [`use_batch_scheduling`]: for a thread that shares a processor with the program it asks.
//!
//! No files, no formats, no games.

mod atomic_words;
#[cfg(any(target_family = "wasm", test))]
#[cfg_attr(
    not(target_family = "wasm"),
    allow(dead_code, reason = "tested here, used there")
)]
mod heap;
mod pages;
mod system;

#[cfg(target_family = "wasm")]
use heap as maps;
#[cfg(not(target_family = "wasm"))]
use memmap2 as maps;

pub use atomic_words::AtomicWords;
pub use pages::{PageBox, Pages, prefetch};
pub use system::{free_memory, total_memory, use_batch_scheduling};
