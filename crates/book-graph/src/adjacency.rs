//! Adjacency lists in compressed sparse rows (CSR): what belongs to a node, its row, is a range of arrays for all nodes.

/// The target of an edge that leads nowhere.
pub const NO_NODE: u32 = u32::MAX;

/// Offsets of compressed sparse rows: which range of the arrays is the row of each node.
#[derive(Clone, Debug)]
pub struct Offsets(Vec<u32>);

impl Default for Offsets {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl Offsets {
    /// No rows, with space for the offsets of `rows`.
    pub fn with_capacity(rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self(offsets)
    }

    /// Adds a row from the end of the last one to `end`.
    pub fn push(&mut self, end: usize) {
        self.0.push(end as u32);
    }

    /// Adds the rows of `more` behind those that are there.
    pub fn append(&mut self, more: &Self) {
        let start = self.end() as u32;
        self.0.extend(more.0[1..].iter().map(|end| start + end));
    }

    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.0.len() - 1
    }

    /// Returns whether there is no row.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The range of a row.
    #[inline(always)]
    pub fn range(&self, row: u32) -> std::ops::Range<usize> {
        self.0[row as usize] as usize..self.0[row as usize + 1] as usize
    }

    /// Place where the last row ends.
    pub fn end(&self) -> usize {
        self.0[self.len()] as usize
    }
}

/// Borrowed adjacency lists: the targets of each node's edges are a row; [`NO_NODE`] is no edge.
#[derive(Clone, Copy, Debug)]
pub struct Adjacency<'a> {
    offsets: &'a [u32],
    targets: &'a [u32],
}

impl<'a> Adjacency<'a> {
    /// Lists of these rows of `targets`.
    pub fn new(rows: &'a Offsets, targets: &'a [u32]) -> Self {
        Self {
            offsets: &rows.0,
            targets,
        }
    }

    /// Number of nodes.
    pub const fn len(self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns whether there is no node.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The numbers of the edges of `node`.
    #[inline(always)]
    pub fn range(self, node: u32) -> std::ops::Range<usize> {
        self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize
    }

    /// The node that edge number `edge` leads to, or [`NO_NODE`].
    #[inline(always)]
    pub fn target(self, edge: usize) -> u32 {
        self.targets[edge]
    }
}

/// The edges of a graph backwards: for every node those that lead to it, one for each edge.
#[derive(Debug)]
pub struct Predecessors {
    rows: Offsets,
    nodes: Vec<u32>,
}

impl Predecessors {
    /// Of a graph of `nodes` nodes with the edges (from, to) that `edges` yields, the same ones twice. Predecessors
    /// come in the order of the edges.
    pub fn new<I: IntoIterator<Item = (u32, u32)>>(nodes: usize, edges: impl Fn() -> I) -> Self {
        // By node, two places further on, first the number of its predecessors; then, one place further on, where the
        // next of them goes, which is in the end where they end.
        let mut offsets = vec![0u32; nodes + 2];
        for (_, to) in edges() {
            offsets[to as usize + 2] += 1;
        }
        for at in 2..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        let mut sources = vec![0; offsets[nodes + 1] as usize];
        for (from, to) in edges() {
            let next = &mut offsets[to as usize + 1];
            sources[*next as usize] = from;
            *next += 1;
        }
        offsets.pop();
        Self {
            rows: Offsets(offsets),
            nodes: sources,
        }
    }

    /// Nodes that lead to `node`.
    #[inline]
    pub fn of(&self, node: u32) -> &[u32] {
        &self.nodes[self.rows.range(node)]
    }
}

/// A graph with numbered nodes, each edge known from both ends.
#[derive(Debug)]
pub struct Graph {
    rows: Offsets,
    targets: Vec<u32>,
    predecessors: Predecessors,
}

impl Graph {
    /// A graph of `nodes` nodes from `edges` (from, to) in the order of `from`.
    pub fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let mut rows = Offsets::with_capacity(nodes);
        let mut end = 0;
        for node in 0..nodes as u32 {
            while edges.get(end).is_some_and(|&(from, _)| from == node) {
                end += 1;
            }
            rows.push(end);
        }
        Self {
            rows,
            targets: edges.iter().map(|&(_, to)| to).collect(),
            predecessors: Predecessors::new(nodes, || edges.iter().copied()),
        }
    }

    /// Number of nodes.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there is no node.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The edges as they lead.
    pub fn forward(&self) -> Adjacency<'_> {
        Adjacency::new(&self.rows, &self.targets)
    }

    /// Nodes that `node` leads to.
    pub fn successors(&self, node: u32) -> &[u32] {
        &self.targets[self.rows.range(node)]
    }

    /// Nodes that lead to `node`.
    pub fn predecessors(&self, node: u32) -> &[u32] {
        self.predecessors.of(node)
    }
}
