//! The graph of a growing book: where its moves lead, and what its positions are worth.
//!
//! Positions are numbers here; a move is an *edge*, which leads to a position of the book or, as a *leaf*, out
//! of it. A position is worth as much as its best move: a move into the book is worth what the position behind
//! it is to the other side, one out of it what its search found. All ways to a position end at one node: a leaf
//! to a position that joins the book becomes an edge to it wherever it is.
//!
//! Values are always those of the whole graph. A new position updates the values above it, as far as anything
//! changes, so that the choice of a leaf does not search the book again. For cycles see [`components`].

mod components;
mod grow;
mod select;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use hashbrown::HashTable;
use shogi_core::Color;

/// No node, edge or component.
const NONE: u32 = u32::MAX;

/// Values from here on are mates: there is nothing to search.
pub(super) const DECIDED: i32 = 32_000 - 246;
/// The value of being in perpetual check: the other side must not continue.
const PERPETUAL: i32 = DECIDED;

/// The state of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeafState {
    /// It can be searched.
    Free,
    /// It is being searched.
    Taken,
    /// There is nothing behind it, or nothing that can be searched.
    Ended,
}

/// A move.
#[derive(Clone, Copy, Debug)]
struct Edge {
    /// Whose move it is.
    from: u32,
    /// Where it leads; [`NONE`] for a leaf.
    to: u32,
    /// The next edge to the same position.
    next: u32,
    /// The value by the search.
    eval: i16,
    state: LeafState,
}

/// A position of the book.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The first of its edges, which stand together, the best by `eval` first.
    first: u32,
    len: u16,
    /// How many of them are no leaves.
    links: u16,
    /// The first edge that leads here.
    parents: u32,
    /// Its strongly connected component, if that has several nodes.
    component: u32,
    /// For the side to move.
    value: i32,
    turn: Color,
    in_check: bool,
    /// Waits to be updated.
    queued: bool,
}

/// A position to be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewNode {
    /// Its key.
    pub(super) key: u128,
    /// Whose move it is.
    pub(super) turn: Color,
    /// Whether that side is in check.
    pub(super) in_check: bool,
}

/// The graph.
#[derive(Debug, Default)]
pub(super) struct SearchGraph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Keys of the nodes.
    keys: Vec<u128>,
    /// Keys of the positions that edges lead to.
    targets: Vec<u128>,
    /// Nodes by key.
    stored: HashTable<u32>,
    /// The first edge to each position that is not stored, by its key.
    leaves: HashTable<u32>,
    components: Vec<Vec<u32>>,
    /// Nodes whose value may be outdated.
    queue: VecDeque<u32>,
    /// How much less a leaf counts while it is searched.
    virtual_loss: i32,
}

/// Keys are random already.
const fn hash(key: u128) -> u64 {
    key as u64
}

impl SearchGraph {
    /// An empty graph, in which a leaf that is being searched counts `virtual_loss` less.
    pub(super) fn new(virtual_loss: i32) -> Self {
        Self {
            virtual_loss,
            ..Self::default()
        }
    }

    /// Number of positions.
    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node of a position.
    pub(super) fn find(&self, key: u128) -> Option<u32> {
        let found = self
            .stored
            .find(hash(key), |&node| self.keys[node as usize] == key);
        found.copied()
    }

    /// The value of a node for its side to move.
    pub(super) fn value(&self, node: u32) -> i32 {
        self.nodes[node as usize].value
    }

    /// The edges of a node, by number.
    pub(super) fn edges(&self, node: u32) -> std::ops::Range<u32> {
        let Node { first, len, .. } = self.nodes[node as usize];
        first..first + u32::from(len)
    }

    /// The node that has an edge.
    pub(super) fn origin(&self, edge: u32) -> u32 {
        self.edges[edge as usize].from
    }

    /// The key of the position that an edge leads to.
    #[cfg(test)]
    pub(super) fn target(&self, edge: u32) -> u128 {
        self.targets[edge as usize]
    }

    /// The value of an edge for the side that moves.
    fn worth(&self, edge: &Edge) -> i32 {
        if edge.to != NONE {
            return -self.nodes[edge.to as usize].value;
        }
        let loss = if edge.state == LeafState::Taken {
            self.virtual_loss
        } else {
            0
        };
        i32::from(edge.eval) - loss
    }

    /// The edges of a node.
    fn edges_of(&self, node: u32) -> &[Edge] {
        let range = self.edges(node);
        &self.edges[range.start as usize..range.end as usize]
    }

    fn best(&self, node: u32) -> i32 {
        let worth = self.edges_of(node).iter().map(|edge| self.worth(edge));
        worth.max().unwrap_or(-DECIDED)
    }

    /// The nodes that lead to `node`, one for every edge.
    fn parents(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut at = self.nodes[node as usize].parents;
        std::iter::from_fn(move || {
            let edge = self.edges.get(at as usize)?;
            at = edge.next;
            Some(edge.from)
        })
    }

    /// The nodes that `node` leads to, one for every edge.
    fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let has_links = self.nodes[node as usize].links > 0;
        let edges = if has_links { self.edges_of(node) } else { &[] };
        let linked = edges.iter().filter(|edge| edge.to != NONE);
        linked.map(|edge| edge.to)
    }
}
