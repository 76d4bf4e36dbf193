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
mod pages;
mod system;

pub use atomic_words::AtomicWords;
pub use pages::{PageBox, Pages, prefetch};
pub use system::{free_memory, total_memory, use_batch_scheduling};
