//! What the threads of a search share beside the table: atomic numbers, nothing else.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// A number on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Padded(pub(super) AtomicU64);

/// Shared state of the threads of one search: atomic numbers, nothing else.
#[derive(Debug)]
pub(crate) struct SharedThreads {
    pub(super) done: AtomicBool,
    /// Positions visited by each thread, as of its last check of the limits.
    pub(super) nodes: Box<[Padded]>,
}

impl SharedThreads {
    /// Returns the state for a search on `threads` threads.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            done: AtomicBool::new(false),
            nodes: (0..threads).map(|_| Padded::default()).collect(),
        }
    }

    /// Returns whether the first thread is done.
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Relaxed)
    }

    /// A thread has visited so many positions.
    pub(crate) fn publish(&self, thread: usize, nodes: u64) {
        self.nodes[thread].0.store(nodes, Relaxed);
    }

    /// Positions visited by all threads but `thread`.
    pub(crate) fn nodes_of_others(&self, thread: usize) -> u64 {
        let of = |(other, nodes): (usize, &Padded)| {
            if other == thread {
                0
            } else {
                nodes.0.load(Relaxed)
            }
        };
        self.nodes.iter().enumerate().map(of).sum()
    }
}
