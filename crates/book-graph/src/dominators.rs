//! Dominators: a node dominates another when every way from the entries to the other leads through
//! it.

use crate::adjacency::Graph;

/// The dominator tree of a [`Graph`], and the tree of the walk that found it.
#[derive(Debug)]
pub struct Dominators {
    /// Number in which the walk found each node, from 1.
    number: Vec<u32>,
    /// By number: the node. 0 stands for a node before all entries.
    node: Vec<u32>,
    /// By number: the number of the node from which the walk came.
    parent: Vec<u32>,
    /// By number: the index of the first node that it dominates, in an order in which those nodes
    /// are consecutive, itself first.
    start: Vec<u32>,
    /// By number: the number of nodes that it dominates.
    size: Vec<u32>,
}

impl Dominators {
    /// The dominators of all nodes when games begin at `entries`, from which all can be reached.
    ///
    /// The algorithm is that of Lengauer and Tarjan ("A fast algorithm for finding dominators in a
    /// flowgraph", 1979) with path compression: `O(m log n)`, and linear in practice.
    pub fn new(graph: &Graph, entries: &[u32]) -> Self {
        let (number, node, parent) = walk(graph, entries);
        let mut is_entry = vec![false; graph.len()];
        for &entry in entries {
            is_entry[entry as usize] = true;
        }
        let mut forest = Forest::new(parent.clone());
        let count = node.len();
        let mut dominator = vec![0u32; count];
        let mut bucket_head = vec![0u32; count];
        let mut bucket_next = vec![0u32; count];
        for w in (1..count as u32).rev() {
            if is_entry[node[w as usize] as usize] {
                forest.semi[w as usize] = 0;
            } else {
                for &from in graph.predecessors(node[w as usize]) {
                    let u = forest.best(number[from as usize]);
                    let semi = forest.semi[u as usize];
                    let own = &mut forest.semi[w as usize];
                    *own = semi.min(*own);
                }
            }
            let semi = forest.semi[w as usize] as usize;
            bucket_next[w as usize] = bucket_head[semi];
            bucket_head[semi] = w;
            let above = parent[w as usize];
            forest.link(w);
            let mut v = std::mem::take(&mut bucket_head[above as usize]);
            while v != 0 {
                let u = forest.best(v);
                let earlier = forest.semi[u as usize] < forest.semi[v as usize];
                dominator[v as usize] = if earlier { u } else { above };
                v = bucket_next[v as usize];
            }
        }
        for w in 1..count {
            if dominator[w] != forest.semi[w] {
                dominator[w] = dominator[dominator[w] as usize];
            }
        }
        let (start, size) = intervals(&dominator);
        Self {
            number,
            node,
            parent,
            start,
            size,
        }
    }

    /// Returns whether every way from the entries to `node` leads through `other`. A node dominates itself.
    pub fn dominates(&self, other: u32, node: u32) -> bool {
        let other = self.number[other as usize] as usize;
        let start = self.start[self.number[node as usize] as usize];
        self.start[other] <= start && start < self.start[other] + self.size[other]
    }

    /// Nodes in the order in which the walk found them, each with the node from which the walk came;
    /// `None` for entries where it began.
    pub fn walked(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.node
            .iter()
            .zip(&self.parent)
            .skip(1)
            .map(|(&node, &parent)| (node, (parent != 0).then(|| self.node[parent as usize])))
    }
}

/// Walks the graph depth first: numbers by node, nodes by number, parents by number.
fn walk(graph: &Graph, entries: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut number = vec![0u32; graph.len()];
    let (mut node, mut parent) = (vec![0], vec![0]);
    let mut path: Vec<(u32, usize)> = Vec::new();
    for &entry in entries {
        if number[entry as usize] != 0 {
            continue;
        }
        number[entry as usize] = node.len() as u32;
        node.push(entry);
        parent.push(0);
        path.push((entry, 0));
        while let Some((from, link)) = path.last_mut() {
            let Some(&to) = graph.successors(*from).get(*link) else {
                path.pop();
                continue;
            };
            *link += 1;
            if number[to as usize] == 0 {
                parent.push(number[*from as usize]);
                number[to as usize] = node.len() as u32;
                node.push(to);
                path.push((to, 0));
            }
        }
    }
    (number, node, parent)
}

const NONE: u32 = u32::MAX;

/// The forest of the nodes that were handled, with the smallest semidominator on the ways up.
struct Forest {
    semi: Vec<u32>,
    parent: Vec<u32>,
    /// [`NONE`]: not linked yet.
    ancestor: Vec<u32>,
    label: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    fn new(parent: Vec<u32>) -> Self {
        let count = parent.len() as u32;
        Self {
            semi: (0..count).collect(),
            parent,
            ancestor: vec![NONE; count as usize],
            label: (0..count).collect(),
            path: Vec::new(),
        }
    }

    fn link(&mut self, v: u32) {
        self.ancestor[v as usize] = self.parent[v as usize];
    }

    /// The node with the smallest semidominator on the way from `v` up to below the forest's root.
    fn best(&mut self, v: u32) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return self.label[v as usize];
        }
        let mut at = v;
        while self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(at) = self.path.pop() {
            let above = self.ancestor[at as usize] as usize;
            let semi = |label: u32| self.semi[label as usize];
            if semi(self.label[above]) < semi(self.label[at as usize]) {
                self.label[at as usize] = self.label[above];
            }
            self.ancestor[at as usize] = self.ancestor[above];
        }
        self.label[v as usize]
    }
}

/// An order in which every node is followed by all that it dominates: place and number of them.
fn intervals(dominator: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let count = dominator.len();
    let mut size = vec![1u32; count];
    for w in (1..count).rev() {
        size[dominator[w] as usize] += size[w];
    }
    let mut start = vec![0u32; count];
    let mut free = vec![1u32; count];
    for w in 1..count {
        let above = dominator[w] as usize;
        start[w] = free[above];
        free[above] += size[w];
        free[w] = start[w] + 1;
    }
    (start, size)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns whether `node` can be reached from the entries without passing `closed`.
    fn reached(graph: &Graph, entries: &[u32], closed: Option<u32>) -> Vec<bool> {
        let mut seen = vec![false; graph.len()];
        let mut todo: Vec<_> = entries.to_vec();
        while let Some(node) = todo.pop() {
            if Some(node) != closed && !std::mem::replace(&mut seen[node as usize], true) {
                todo.extend_from_slice(graph.successors(node));
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            edges in proptest::collection::vec((0..20u32, 0..20u32), 0..60),
            entries in proptest::collection::vec(0..20u32, 1..4),
        ) {
            let mut edges = edges;
            edges.sort_unstable();
            let graph = Graph::new(20, &edges);
            // All nodes must be reached: what is not becomes an entry.
            let seen = reached(&graph, &entries, None);
            let mut entries = entries;
            entries.extend((0..20).filter(|&node| !seen[node as usize]));
            let dominators = Dominators::new(&graph, &entries);
            for other in 0..20 {
                let without = reached(&graph, &entries, Some(other));
                for node in 0..20 {
                    prop_assert_eq!(
                        dominators.dominates(other, node),
                        !without[node as usize],
                        "{} over {}", other, node
                    );
                }
            }
        }
    }
}
