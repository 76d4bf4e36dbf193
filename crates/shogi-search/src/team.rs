//! What the threads of one search tell each other: atomic numbers, nothing else.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A number on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Padded(AtomicU64);

/// What the threads of one search tell each other.
#[derive(Debug)]
pub(crate) struct Team {
    done: AtomicBool,
    /// Positions visited by each thread, as of its last look at the limits.
    nodes: Box<[Padded]>,
}

impl Team {
    /// For a search on so many threads.
    pub(crate) fn new(members: usize) -> Self {
        Self {
            done: AtomicBool::new(false),
            nodes: (0..members).map(|_| Padded::default()).collect(),
        }
    }

    /// Whether the first thread is done.
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Relaxed)
    }

    /// A thread has visited so many positions.
    pub(crate) fn publish(&self, member: usize, nodes: u64) {
        self.nodes[member].0.store(nodes, Relaxed);
    }

    /// Positions visited by all threads but `member`.
    pub(crate) fn nodes_of_others(&self, member: usize) -> u64 {
        let of = |(other, nodes): (usize, &Padded)| {
            if other == member {
                0
            } else {
                nodes.0.load(Relaxed)
            }
        };
        self.nodes.iter().enumerate().map(of).sum()
    }
}

/// Tells the team that the first thread is done when it goes, be it by a panic.
pub(crate) struct End<'a>(pub(crate) &'a Team);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.done.store(true, Relaxed);
    }
}
