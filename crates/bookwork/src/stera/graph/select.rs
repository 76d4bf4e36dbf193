//! Choice of the leaf to search next.
//!
//! The distance of a leaf from the best play is the most by which the value of any position on the line to it,
//! or its own, differs from the value of the root. The end of the principal variation is at distance 0.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use hashbrown::HashSet;

use super::{DECIDED, Edge, LeafState, NONE, SearchGraph};

/// An entry of the queue ordered by distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Leaf(u32),
    Node(u32),
}

impl SearchGraph {
    /// The free leaf that is nearest to the best play from `root`; of several the one that fewest moves lead
    /// to. None when the root is decided, or no leaf can be reached.
    pub(in crate::stera) fn nearest_leaf(&self, root: u32) -> Option<u32> {
        let view = View::of(self, root)?;
        let mut waiting = BinaryHeap::from([(Reverse((0, 0)), Item::Node(root))]);
        let mut order = 0;
        let mut seen = HashSet::new();
        while let Some((Reverse((distance, _)), item)) = waiting.pop() {
            let node = match item {
                Item::Leaf(edge) => return Some(edge),
                Item::Node(node) if !seen.insert(node) => continue,
                Item::Node(node) => node,
            };
            let mut wait = |distance, item| {
                order += 1;
                waiting.push((Reverse((distance, order)), item));
            };
            if let Some((leaf, far)) = view.best_leaf(node, |_| true) {
                wait(far.max(distance), Item::Leaf(leaf));
            }
            for (to, far) in view.inner(node).filter(|(to, _)| !seen.contains(to)) {
                wait(far.max(distance), Item::Node(to));
            }
        }
        None
    }

    /// A free leaf, to a position whose key is `wanted`, at a distance of at most `most` from the best play:
    /// the one that fewest moves lead to. None when the root is decided.
    pub(in crate::stera) fn leaf_within(
        &self,
        root: u32,
        most: i32,
        wanted: impl Fn(u128) -> bool,
    ) -> Option<u32> {
        let view = View::of(self, root)?;
        let mut waiting = VecDeque::from([root]);
        let mut seen: HashSet<u32> = HashSet::from_iter([root]);
        while let Some(node) = waiting.pop_front() {
            let best = view.best_leaf(node, |edge| wanted(self.targets[edge as usize]));
            if let Some((leaf, far)) = best
                && far <= most
            {
                return Some(leaf);
            }
            let near = view.inner(node).filter(|&(_, far)| far <= most);
            waiting.extend(near.map(|(to, _)| to).filter(|&to| seen.insert(to)));
        }
        None
    }
}

/// The graph as seen from a root.
struct View<'a> {
    graph: &'a SearchGraph,
    root: u32,
    /// Value of the root.
    value: i32,
}

impl<'a> View<'a> {
    fn of(graph: &'a SearchGraph, root: u32) -> Option<Self> {
        let value = graph.value(root);
        let is_open = value.abs() < DECIDED;
        is_open.then_some(Self { graph, root, value })
    }

    /// Returns the difference between the value of an edge and that of the root.
    fn distance(&self, edge: &Edge) -> i32 {
        let nodes = &self.graph.nodes;
        let worth = self.graph.worth(edge);
        let same = nodes[edge.from as usize].turn == nodes[self.root as usize].turn;
        (self.value - if same { worth } else { -worth }).abs()
    }

    /// The nearest leaf of a node that is free, and its distance.
    fn best_leaf(&self, node: u32, is_wanted: impl Fn(u32) -> bool) -> Option<(u32, i32)> {
        let numbers = self.graph.edges(node);
        let is_free = |edge: &Edge| {
            edge.to == NONE && edge.state == LeafState::Free && i32::from(edge.eval).abs() < DECIDED
        };
        numbers
            .zip(self.graph.edges_of(node))
            .filter(|&(number, edge)| is_free(edge) && is_wanted(number))
            .map(|(number, edge)| (number, self.distance(edge)))
            .min_by_key(|&(_, distance)| distance)
    }

    /// The nodes that a node leads to, with the distance of the edge.
    fn inner(&self, node: u32) -> impl Iterator<Item = (u32, i32)> {
        let has_links = self.graph.nodes[node as usize].links > 0;
        let edges = if has_links {
            self.graph.edges_of(node)
        } else {
            &[]
        };
        let linked = edges.iter().filter(|edge| edge.to != NONE);
        linked.map(|edge| (edge.to, self.distance(edge)))
    }
}
