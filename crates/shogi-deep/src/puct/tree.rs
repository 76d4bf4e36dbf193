//! The tree: nodes and edges in two pools, with numbers instead of pointers.

use std::cmp::Ordering;

use shogi_core::Move;

use super::RootProof;

/// The number of a node.
pub(super) type NodeId = u32;

/// No node yet.
pub(super) const NO_NODE: NodeId = u32::MAX;

/// What is proved about the move of an edge, seen from the position behind it: there the opponent of the player moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    /// The position behind is won for the side to move there: the move loses.
    pub(super) const WIN: Self = Self(1);
    /// The position behind is lost for the side to move there: the move wins.
    pub(super) const LOSE: Self = Self(2);
    pub(super) const DRAW: Self = Self(4);
    pub(super) const ALL: Self = Self(7);

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) const fn proof(self) -> RootProof {
        if self.has(Self::LOSE) {
            RootProof::Wins
        } else if self.has(Self::WIN) {
            RootProof::Loses
        } else if self.has(Self::DRAW) {
            RootProof::Draws
        } else {
            RootProof::Open
        }
    }
}

/// A move of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) m: Move,
    pub(super) flags: Flags,
    pub(super) child: NodeId,
    /// Probability that the policy gives it.
    pub(super) prior: f32,
    /// Playouts that went through it, including those without a result yet.
    pub(super) visits: u32,
    /// Sum of their results for the player of the move.
    pub(super) wins: f32,
}

impl Edge {
    /// The order in which moves are preferred.
    pub(super) fn better_first(&self, other: &Self) -> Ordering {
        let rank = |edge: &Self| {
            let loses = edge.flags.has(Flags::WIN) && !edge.flags.has(Flags::LOSE);
            (edge.flags.has(Flags::LOSE), !loses, edge.visits)
        };
        let by_prior = || other.prior.total_cmp(&self.prior);
        rank(other).cmp(&rank(self)).then_with(by_prior)
    }
}

/// A position in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Playouts that went on from here, including those without a result yet.
    pub(super) visits: u32,
    /// Sum of their results for the side to move here.
    pub(super) wins: f32,
    /// Sum of the priors of the moves that were chosen, with repetition.
    pub(super) prior_sum: f32,
    /// Its edges in the pool.
    first: u32,
    count: u16,
    pub(super) is_evaluated: bool,
}

/// Both pools.
pub(super) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Tree {
    /// The root.
    pub(super) const ROOT: NodeId = 0;

    /// A root without moves.
    pub(super) fn new() -> Self {
        let mut tree = Self {
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        tree.add_node();
        tree
    }

    pub(super) fn add_node(&mut self) -> NodeId {
        self.nodes.push(Node {
            visits: 0,
            wins: 0.0,
            prior_sum: 0.0,
            first: 0,
            count: 0,
            is_evaluated: false,
        });
        (self.nodes.len() - 1) as NodeId
    }

    /// Gives a node its moves.
    pub(super) fn expand(&mut self, id: NodeId, moves: &[Move]) {
        let first = self.edges.len() as u32;
        self.edges.extend(moves.iter().map(|&m| Edge {
            m,
            flags: Flags::default(),
            child: NO_NODE,
            prior: 0.0,
            visits: 0,
            wins: 0.0,
        }));
        let node = self.node_mut(id);
        (node.first, node.count) = (first, moves.len() as u16);
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn edges(&self, id: NodeId) -> &[Edge] {
        let node = self.node(id);
        &self.edges[node.first as usize..][..usize::from(node.count)]
    }

    pub(super) fn edges_mut(&mut self, id: NodeId) -> &mut [Edge] {
        let node = *self.node(id);
        &mut self.edges[node.first as usize..][..usize::from(node.count)]
    }
}
