//! The graph of a growing book: where its moves lead, and what its positions are worth.
//!
//! Positions are numbers here; a move is an *edge*, which leads to a position of the book or, as a *leaf*, out
//! of it. A position is worth as much as its best move: a move into the book is worth what the position behind
//! it is to the other side, one out of it what its search said. All ways to a position end at one node: a leaf
//! to a position that joins the book becomes an edge to it wherever it is.
//!
//! Values are always those of the whole graph. What a new position changes goes upwards from it, as far as
//! anything changes, so that choosing what to search next does not search the book again. Where moves lead in
//! circles see [`rings`].

mod components;
mod rings;
mod select;
mod solve;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use hashbrown::HashTable;
use shogi_core::Color;

/// No node, edge or ring.
const NONE: u32 = u32::MAX;

/// Values from here on are mates: nothing is left to be found out.
pub(super) const DECIDED: i32 = 32_000 - 246;
/// What it is worth to be in check in every position of a loop: the other side must not go on.
const PERPETUAL: i32 = DECIDED;

/// What can become of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
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
    /// What the search said.
    eval: i16,
    state: State,
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
    /// The set of positions on common cycles that it belongs to.
    ring: u32,
    /// For the side to move.
    value: i32,
    turn: Color,
    in_check: bool,
    /// Waits to be looked at again.
    queued: bool,
}

/// What a position is besides its moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// Its key.
    pub(super) key: u128,
    /// Whose move it is.
    pub(super) turn: Color,
    /// Whether that side is in check.
    pub(super) in_check: bool,
}

/// The graph.
#[derive(Debug, Default)]
pub(super) struct Net {
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
    rings: Vec<Vec<u32>>,
    /// Nodes whose value may not be right any more.
    queue: VecDeque<u32>,
    /// How much less a leaf counts while it is searched.
    virtual_loss: i32,
}

/// Keys are random already.
const fn hash(key: u128) -> u64 {
    key as u64
}

impl Net {
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

    /// What a node is worth to its side to move.
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

    /// Adds a position that is not there yet, with the key and the value of each of its moves, of which there
    /// is at least one, the best first. Values are right again after [`Self::settle`].
    pub(super) fn add(
        &mut self,
        facts: Facts,
        moves: impl IntoIterator<Item = (u128, i16)>,
    ) -> u32 {
        let node = self.add_unsettled(facts, moves);
        if self.nodes[node as usize].links > 0 {
            self.join_ring(node);
        }
        node
    }

    /// As [`Self::add`] for the first of many: rings and values are found by [`Self::settle_all`].
    pub(super) fn add_unsettled(
        &mut self,
        facts: Facts,
        moves: impl IntoIterator<Item = (u128, i16)>,
    ) -> u32 {
        let node = self.nodes.len() as u32;
        let first = self.edges.len() as u32;
        self.nodes.push(Node {
            first,
            len: 0,
            links: 0,
            parents: NONE,
            ring: NONE,
            value: 0,
            turn: facts.turn,
            in_check: facts.in_check,
            queued: false,
        });
        self.keys.push(facts.key);
        let keys = &self.keys;
        self.stored
            .insert_unique(hash(facts.key), node, |&node| hash(keys[node as usize]));
        self.adopt(node);
        for (key, eval) in moves {
            self.add_edge(node, key, eval);
        }
        self.nodes[node as usize].len = (self.edges.len() as u32 - first) as u16;
        self.touch(node);
        node
    }

    /// The leaves that lead to the new `node` lead into the book now.
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
            edge.state = State::Free;
            let (from, next) = (edge.from, edge.next);
            self.nodes[from as usize].links += 1;
            self.touch(from);
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
            state: State::Free,
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
                // What is known of the others is true of this one.
                let other = self.edges[edge.next as usize];
                edge.state = other.state;
                if other.state == State::Ended {
                    edge.eval = other.eval;
                }
            } else {
                let by_key = |&edge: &u32| hash(targets[edge as usize]);
                self.leaves.insert_unique(hash(key), number, by_key);
            }
        }
        self.edges.push(edge);
    }

    /// All leaves to the position with `key` are being searched.
    pub(super) fn take(&mut self, key: u128) {
        self.change(key, |edge| edge.state = State::Taken);
    }

    /// Nothing can be searched behind them; with a value where one is known.
    pub(super) fn end(&mut self, key: u128, eval: Option<i16>) {
        self.change(key, |edge| {
            edge.state = State::Ended;
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
            self.touch(from);
            at = next;
        }
        self.settle();
    }

    /// What an edge is worth to the side that moves.
    fn worth(&self, edge: &Edge) -> i32 {
        if edge.to != NONE {
            return -self.nodes[edge.to as usize].value;
        }
        let loss = if edge.state == State::Taken {
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

    /// The value of `node` may not be right any more.
    fn touch(&mut self, node: u32) {
        let ring = self.nodes[node as usize].ring;
        // One member of a ring stands for all of it.
        let node = self.rings.get(ring as usize).map_or(node, |ring| ring[0]);
        let queued = &mut self.nodes[node as usize].queued;
        if !*queued {
            *queued = true;
            self.queue.push_back(node);
        }
    }

    /// Makes all values right.
    pub(super) fn settle(&mut self) {
        while let Some(node) = self.queue.pop_front() {
            self.nodes[node as usize].queued = false;
            let ring = self.nodes[node as usize].ring;
            if ring != NONE {
                self.settle_ring(ring);
                continue;
            }
            let value = self.best(node);
            if std::mem::replace(&mut self.nodes[node as usize].value, value) != value {
                self.touch_parents(node, NONE);
            }
        }
    }

    fn touch_parents(&mut self, node: u32, but_of_ring: u32) {
        let mut at = self.nodes[node as usize].parents;
        while at != NONE {
            let Edge { from, next, .. } = self.edges[at as usize];
            if but_of_ring == NONE || self.nodes[from as usize].ring != but_of_ring {
                self.touch(from);
            }
            at = next;
        }
    }

    /// Solves a ring afresh, and tells those that lead into it.
    fn settle_ring(&mut self, ring: u32) {
        let members = std::mem::take(&mut self.rings[ring as usize]);
        let values = self.solve(&members);
        self.rings[ring as usize] = members;
        for (index, value) in values.into_iter().enumerate() {
            let node = self.rings[ring as usize][index];
            if std::mem::replace(&mut self.nodes[node as usize].value, value) != value {
                self.touch_parents(node, ring);
            }
        }
    }
}
