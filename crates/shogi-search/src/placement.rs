//! Where the threads of a search run.

// The processors that the threads of a search run on.

/// The processors on which the threads of a search run: any, or for each those of one node of a machine whose
/// memory is in several places (NUMA), so that what a thread writes stays near to it.
///
/// Binding works on Linux. Elsewhere, and for processors that the process may not use, it has no effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadPlacement {
    /// The processors of each node; none is empty.
    pub(super) nodes: Vec<Vec<usize>>,
}

impl ThreadPlacement {
    /// Returns the placement on any processors.
    pub const fn anywhere() -> Self {
        Self { nodes: Vec::new() }
    }

    /// On nodes with these processors, as the system numbers them. Nodes without any are left out.
    pub fn on_nodes(mut nodes: Vec<Vec<usize>>) -> Self {
        nodes.retain(|node| !node.is_empty());
        Self { nodes }
    }

    /// Each on one of the processors that this process may use. Anywhere where the system does not tell them.
    pub fn on_processors() -> Self {
        Self::on_nodes(allowed().into_iter().map(|one| vec![one]).collect())
    }

    /// The processors of each node; no node when threads run anywhere.
    pub fn nodes(&self) -> &[Vec<usize>] {
        &self.nodes
    }

    /// The node of thread `thread`, counted from 0; `None` for anywhere. Threads go in turn to the node that
    /// has the most processors left for each, so that all nodes fill evenly.
    pub(super) fn node_of(&self, thread: usize) -> Option<usize> {
        let mut threads = vec![0; self.nodes.len()];
        let mut node = None;
        for _ in 0..=thread {
            // The least crowded after one more; the first of equals.
            let next = (0..threads.len()).min_by(|&a, &b| {
                let crowd =
                    |node: usize, other: usize| (threads[node] + 1) * self.nodes[other].len();
                crowd(a, b).cmp(&crowd(b, a))
            })?;
            threads[next] += 1;
            node = Some(next);
        }
        node
    }

    /// Binds the current thread as thread `thread` of a search, or of several: threads and processes that
    /// it starts from now on are bound too.
    pub fn enter(&self, thread: usize) {
        if let Some(node) = self.node_of(thread) {
            bind(&self.nodes[node]);
        }
    }
}

/// Lets the current thread run on `processors` only. A wish: where it cannot be, the thread runs anywhere.
#[cfg(target_os = "linux")]
pub(super) fn bind(processors: &[usize]) {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    for &processor in processors {
        if processor < CpuSet::MAX_CPU {
            set.set(processor);
        }
    }
    let _ = sched_setaffinity(None, &set);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn bind(_: &[usize]) {}

/// The processors that this process may use; none if that is not known.
#[cfg(target_os = "linux")]
pub(super) fn allowed() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let set = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    let all = 0..CpuSet::MAX_CPU;
    all.filter(|&processor| set.is_set(processor)).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn allowed() -> Vec<usize> {
    Vec::new()
}
