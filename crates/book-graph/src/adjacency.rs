//! Adjacency lists in compressed sparse rows (CSR).

/// The target of an edge that leads nowhere.
pub const NO_NODE: u32 = u32::MAX;

/// Borrowed adjacency lists: the edges of `node` lead to `target[first[node]..first[node + 1]]`; [`NO_NODE`] is no edge.
#[derive(Clone, Copy, Debug)]
pub struct Adjacency<'a> {
    first: &'a [u32],
    target: &'a [u32],
}

impl<'a> Adjacency<'a> {
    /// Lists in which the edges of each node begin at `first[node]`; `first` has one number more than there are nodes.
    ///
    /// # Panics
    /// When `first` is empty.
    pub const fn new(first: &'a [u32], target: &'a [u32]) -> Self {
        assert!(!first.is_empty(), "the end of the last list");
        Self { first, target }
    }

    /// Number of nodes.
    pub const fn len(self) -> usize {
        self.first.len() - 1
    }

    /// Returns whether there is no node.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The numbers of the edges of `node`.
    #[inline(always)]
    pub fn range(self, node: u32) -> std::ops::Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }

    /// The node that edge number `edge` leads to, or [`NO_NODE`].
    #[inline(always)]
    pub fn target(self, edge: usize) -> u32 {
        self.target[edge]
    }

    /// Targets of the edges of `node`.
    #[inline(always)]
    pub fn targets(self, node: u32) -> &'a [u32] {
        &self.target[self.range(node)]
    }
}

/// A graph with numbered nodes, each edge known from both ends.
#[derive(Debug)]
pub struct Graph {
    first: Vec<u32>,
    target: Vec<u32>,
    /// The same backwards: where the edges to each node begin, and from where they come.
    first_in: Vec<u32>,
    source: Vec<u32>,
}

impl Graph {
    /// A graph of `nodes` nodes from `edges` (from, to) in the order of `from`.
    pub fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let starts = |end: fn(&(u32, u32)) -> u32| {
            let mut first = vec![0u32; nodes + 1];
            for edge in edges {
                first[end(edge) as usize + 1] += 1;
            }
            for node in 0..nodes {
                first[node + 1] += first[node];
            }
            first
        };
        let first_in = starts(|&(_, to)| to);
        let mut next = first_in.clone();
        let mut source = vec![0; edges.len()];
        for &(from, to) in edges {
            let at = &mut next[to as usize];
            source[*at as usize] = from;
            *at += 1;
        }
        Self {
            first: starts(|&(from, _)| from),
            target: edges.iter().map(|&(_, to)| to).collect(),
            first_in,
            source,
        }
    }

    /// Number of nodes.
    pub const fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns whether there is no node.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The edges as they lead.
    pub fn forward(&self) -> Adjacency<'_> {
        Adjacency::new(&self.first, &self.target)
    }

    /// Nodes that `node` leads to.
    pub fn successors(&self, node: u32) -> &[u32] {
        self.forward().targets(node)
    }

    /// Nodes that lead to `node`.
    pub fn predecessors(&self, node: u32) -> &[u32] {
        Adjacency::new(&self.first_in, &self.source).targets(node)
    }
}
