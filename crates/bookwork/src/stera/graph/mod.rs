//! The graph of a growing book: its moves and the values of its positions.
//!
//! Positions are numbers here; a move is an *edge*, which leads to a position of the book or, as a *leaf*, out
//! of it. A position is worth as much as its best move: a move into the book is worth what the position behind
//! it is to the other side, one out of it what its search found. All ways to a position end at one node: a leaf
//! to a position that joins the book becomes an edge to it wherever it is.
//!
//! Values are always those of the whole graph. A new position updates the values above it, as far as anything
//! changes, so that the choice of a leaf does not search the book again. For cycles see [`components`].

mod components;
mod select;

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
    /// The leaf can be searched.
    Free,
    /// The leaf is being searched.
    Taken,
    /// There is nothing behind it, or nothing that can be searched.
    Ended,
}

/// A move.
#[derive(Clone, Copy, Debug)]
struct Edge {
    /// The node that the edge starts from.
    from: u32,
    /// The position it leads to; [`NONE`] for a leaf.
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
    /// Number of them that are no leaves.
    links: u16,
    /// The first edge that leads here.
    parents: u32,
    /// The strongly connected component of the node, if it has several nodes.
    component: u32,
    /// Value for the side to move.
    value: i32,
    turn: Color,
    in_check: bool,
    /// Waits to be updated.
    queued: bool,
}

/// A position to be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewNode {
    /// Key of the position.
    pub(super) key: u128,
    /// The side to move.
    pub(super) turn: Color,
    /// True if the side to move is in check.
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
    /// Reduction of a leaf's value while it is searched.
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

// Adding positions, ending leaves, and updating the values above them.

impl SearchGraph {
    /// Adds a position that is not there yet, with the key and the value of each of its moves, of which there
    /// is at least one, the best first. Values are valid again after [`Self::settle`].
    pub(in crate::stera) fn add(
        &mut self,
        new: NewNode,
        moves: impl IntoIterator<Item = (u128, i16)>,
    ) -> u32 {
        let node = self.add_unsettled(new, moves);
        if self.nodes[node as usize].links > 0 {
            self.join_component(node);
        }
        node
    }

    /// As [`Self::add`] for one of many: [`Self::settle_all`] finds components and values.
    pub(in crate::stera) fn add_unsettled(
        &mut self,
        new: NewNode,
        moves: impl IntoIterator<Item = (u128, i16)>,
    ) -> u32 {
        let node = self.nodes.len() as u32;
        let first = self.edges.len() as u32;
        self.nodes.push(Node {
            first,
            len: 0,
            links: 0,
            parents: NONE,
            component: NONE,
            value: 0,
            turn: new.turn,
            in_check: new.in_check,
            queued: false,
        });
        self.keys.push(new.key);
        let keys = &self.keys;
        self.stored
            .insert_unique(hash(new.key), node, |&node| hash(keys[node as usize]));
        self.adopt(node);
        for (key, eval) in moves {
            self.add_edge(node, key, eval);
        }
        self.nodes[node as usize].len = (self.edges.len() as u32 - first) as u16;
        self.mark(node);
        node
    }

    /// Links the leaves that lead to the new `node`.
    fn adopt(&mut self, node: u32) {
        let key = self.keys[node as usize];
        let targets = &self.targets;
        let found = self
            .leaves
            .find_entry(hash(key), |&edge| targets[edge as usize] == key);
        let Ok(entry) = found else {
            return;
        };
        let (head, _) = entry.remove();
        self.nodes[node as usize].parents = head;
        let mut at = head;
        while at != NONE {
            let edge = &mut self.edges[at as usize];
            edge.to = node;
            edge.state = LeafState::Free;
            let (from, next) = (edge.from, edge.next);
            self.nodes[from as usize].links += 1;
            self.mark(from);
            at = next;
        }
    }

    fn add_edge(&mut self, from: u32, key: u128, eval: i16) {
        let number = self.edges.len() as u32;
        let mut edge = Edge {
            from,
            to: NONE,
            next: NONE,
            eval,
            state: LeafState::Free,
        };
        self.targets.push(key);
        if let Some(to) = self.find(key) {
            edge.to = to;
            edge.next = std::mem::replace(&mut self.nodes[to as usize].parents, number);
            self.nodes[from as usize].links += 1;
        } else {
            let targets = &self.targets;
            let same = |&edge: &u32| targets[edge as usize] == key;
            if let Some(head) = self.leaves.find_mut(hash(key), same) {
                edge.next = std::mem::replace(head, number);
                // It shares the state of the others.
                let other = self.edges[edge.next as usize];
                edge.state = other.state;
                if other.state == LeafState::Ended {
                    edge.eval = other.eval;
                }
            } else {
                let by_key = |&edge: &u32| hash(targets[edge as usize]);
                self.leaves.insert_unique(hash(key), number, by_key);
            }
        }
        self.edges.push(edge);
    }

    /// Marks all leaves to the position with `key` as being searched.
    pub(in crate::stera) fn take(&mut self, key: u128) {
        self.change(key, |edge| edge.state = LeafState::Taken);
    }

    /// Marks them as ended, with a value where one is known.
    pub(in crate::stera) fn end(&mut self, key: u128, eval: Option<i16>) {
        self.change(key, |edge| {
            edge.state = LeafState::Ended;
            edge.eval = eval.unwrap_or(edge.eval);
        });
    }

    fn change(&mut self, key: u128, change: impl Fn(&mut Edge)) {
        let targets = &self.targets;
        let same = |&edge: &u32| targets[edge as usize] == key;
        let mut at = self.leaves.find(hash(key), same).copied().unwrap_or(NONE);
        while at != NONE {
            let edge = &mut self.edges[at as usize];
            change(edge);
            let (from, next) = (edge.from, edge.next);
            self.mark(from);
            at = next;
        }
        self.settle();
    }
}

impl SearchGraph {
    /// Marks the value of `node` as outdated.
    fn mark(&mut self, node: u32) {
        let component = self.nodes[node as usize].component;
        // One member represents its component.
        let node = self
            .components
            .get(component as usize)
            .map_or(node, |component| component[0]);
        let queued = &mut self.nodes[node as usize].queued;
        if !*queued {
            *queued = true;
            self.queue.push_back(node);
        }
    }

    /// Updates all outdated values, upwards as far as anything changes.
    pub(in crate::stera) fn settle(&mut self) {
        while let Some(node) = self.queue.pop_front() {
            self.nodes[node as usize].queued = false;
            let component = self.nodes[node as usize].component;
            if component != NONE {
                self.update_component(component);
                continue;
            }
            let value = self.best(node);
            if std::mem::replace(&mut self.nodes[node as usize].value, value) != value {
                self.mark_parents(node, NONE);
            }
        }
    }

    fn mark_parents(&mut self, node: u32, except_component: u32) {
        let mut at = self.nodes[node as usize].parents;
        while at != NONE {
            let Edge { from, next, .. } = self.edges[at as usize];
            if except_component == NONE || self.nodes[from as usize].component != except_component {
                self.mark(from);
            }
            at = next;
        }
    }

    /// Solves a component anew, and marks the nodes that lead into it.
    fn update_component(&mut self, component: u32) {
        let members = std::mem::take(&mut self.components[component as usize]);
        let values = self.solve(&members);
        self.components[component as usize] = members;
        for (index, value) in values.into_iter().enumerate() {
            let node = self.components[component as usize][index];
            if std::mem::replace(&mut self.nodes[node as usize].value, value) != value {
                self.mark_parents(node, component);
            }
        }
    }
}

#[cfg(test)]
mod tests;
