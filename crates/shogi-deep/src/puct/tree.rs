//! The tree, which any number of threads grow at once: nodes and edges in pools, with numbers instead of pointers.
//!
//! What is written once (moves, priors) is published by the flag that its node is evaluated; counters are atomic, so that playouts lock nothing.
//! Counters of edges are made when a node is left for the first time: most nodes never are.

use std::cmp::Ordering;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32};

use super::pool::Pool;

use shogi_core::movegen::MAX_MOVES;
use shogi_core::{Move, Move16};

use crate::PolicyLabel;

/// The number of a node.
pub(super) type NodeId = u32;

/// Bits of an edge's word that hold the number of its child; above them are its flags.
const CHILD: u32 = (1 << 29) - 1;
/// No child yet.
const NO_CHILD: u32 = CHILD;
/// A thread is making the child.
const BEING_MADE: u32 = CHILD - 1;

/// What is proved about the move of an edge, seen from the position behind it: there the opponent of the player moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u32);

impl Flags {
    /// The position behind is won for the side to move there: the move loses.
    pub(super) const WIN: Self = Self(1 << 29);
    /// The position behind is lost for the side to move there: the move wins.
    pub(super) const LOSE: Self = Self(2 << 29);
    pub(super) const DRAW: Self = Self(4 << 29);
    pub(super) const ALL: Self = Self(7 << 29);

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
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

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Child {
    None,
    /// Another thread is about to say.
    BeingMade,
    Node(NodeId),
}

const fn child_of(word: u32) -> Child {
    match word & CHILD {
        NO_CHILD => Child::None,
        BEING_MADE => Child::BeingMade,
        node => Child::Node(node),
    }
}

/// An edge, as it was when it was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The move, to be completed by the position it is played in.
    pub(super) code: Move16,
    pub(super) flags: Flags,
    pub(super) child: Child,
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

/// A float that threads add to.
#[derive(Default)]
struct AtomicF32(AtomicU32);

impl AtomicF32 {
    fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    fn set(&self, number: f32) {
        self.0.store(number.to_bits(), Relaxed);
    }

    fn add(&self, number: f32) {
        let add = |bits| Some((f32::from_bits(bits) + number).to_bits());
        let _ = self.0.fetch_update(Relaxed, Relaxed, add);
    }
}

/// What an edge is made with: 6 bytes.
#[derive(Default)]
struct Choice {
    code: AtomicU16,
    /// The bits of the prior, the lower ones first; before the node is evaluated the label of the move.
    prior: [AtomicU16; 2],
}

impl Choice {
    fn prior(&self) -> f32 {
        let [low, high] = [0, 1].map(|half| u32::from(self.prior[half].load(Relaxed)));
        f32::from_bits(low | high << 16)
    }

    fn set_prior(&self, prior: f32) {
        let bits = prior.to_bits();
        self.prior[0].store(bits as u16, Relaxed);
        self.prior[1].store((bits >> 16) as u16, Relaxed);
    }
}

/// What playouts through an edge come to: 12 bytes.
#[derive(Default)]
struct Counts {
    visits: AtomicU32,
    wins: AtomicF32,
    /// The child's number and the flags.
    word: AtomicU32,
}

/// No counters yet.
const NO_COUNTS: u32 = u32::MAX;

/// A position in the tree: 24 bytes.
#[derive(Default)]
struct Node {
    /// Playouts that went on from here, including those without a result yet.
    visits: AtomicU32,
    /// Sum of their results for the side to move here.
    wins: AtomicF32,
    /// Sum of the priors of the moves that were chosen, with repetition.
    prior_sum: AtomicF32,
    choices: AtomicU32,
    /// The number of its first counters, or [`NO_COUNTS`].
    counts: AtomicU32,
    count: AtomicU16,
    is_evaluated: AtomicBool,
    /// A mate of the side to move has been searched for, or is known not to exist.
    is_mate_searched: AtomicBool,
}

/// The counters of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeCounts {
    pub(super) visits: u32,
    pub(super) wins: f32,
    pub(super) prior_sum: f32,
}

/// The pools.
pub(super) struct Tree {
    nodes: Pool<Node>,
    choices: Pool<Choice>,
    counts: Pool<Counts>,
}

/// Elements of the pools of edges that are handed out together.
const EDGE_GRAIN: usize = 4;

impl Tree {
    /// An empty tree.
    pub(super) fn new() -> Self {
        Self {
            nodes: Pool::new(1, 1),
            choices: Pool::new(EDGE_GRAIN, MAX_MOVES),
            counts: Pool::new(EDGE_GRAIN, MAX_MOVES),
        }
    }

    /// Forgets all nodes. Their memory is kept for others.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.choices.clear();
        self.counts.clear();
    }

    /// Bytes of the system that the tree has, used or not.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.bytes() + self.choices.bytes() + self.counts.bytes()
    }

    /// A new node without moves; `None` when the tree is full.
    pub(super) fn add_node(&self) -> Option<NodeId> {
        let id = self.nodes.take(1).filter(|&node| node < BEING_MADE)?;
        let node = self.node(id);
        node.visits.store(0, Relaxed);
        node.wins.set(0.0);
        node.prior_sum.set(0.0);
        node.count.store(0, Relaxed);
        node.counts.store(NO_COUNTS, Relaxed);
        node.is_evaluated.store(false, Relaxed);
        node.is_mate_searched.store(false, Relaxed);
        Some(id)
    }

    /// Gives the memory of nodes and all below them back, those of `kept` excepted. Nobody may be there or come there.
    pub(super) fn release(&self, mut nodes: Vec<NodeId>, kept: Option<NodeId>) {
        while let Some(id) = nodes.pop() {
            let node = self.node(id);
            let count = self.edge_count(id);
            for counts in self.counts_of(id) {
                match child_of(counts.word.load(Acquire)) {
                    Child::Node(child) if Some(child) != kept => nodes.push(child),
                    _ => {}
                }
            }
            if count > 0 {
                self.choices.give_back(node.choices.load(Relaxed), count);
                let counts = node.counts.load(Acquire);
                if counts != NO_COUNTS {
                    self.counts.give_back(counts, count);
                }
            }
            self.nodes.give_back(id, 1);
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes.slice(id, 1)[0]
    }

    /// Gives a node its moves, with their labels; false when the tree is full.
    pub(super) fn expand(&self, id: NodeId, moves: &[Move]) -> bool {
        let Some(first) = self.choices.take(moves.len()) else {
            return false;
        };
        for (choice, &m) in self.choices.slice(first, moves.len()).iter().zip(moves) {
            choice.code.store(Move16::from(m).0, Relaxed);
            let label = PolicyLabel::new(m).index() as u16;
            choice.prior[0].store(label, Relaxed);
        }
        let node = self.node(id);
        node.choices.store(first, Relaxed);
        node.count.store(moves.len() as u16, Relaxed);
        true
    }

    /// Gives the moves of a node priors from the logits of their labels, and lets other threads in.
    pub(super) fn set_priors(
        &self,
        id: NodeId,
        logits: &[f32; PolicyLabel::COUNT],
        temperature: f32,
    ) {
        let per_temperature = 1.0 / temperature;
        let choices = self.choices_of(id);
        let logit =
            |choice: &Choice| logits[usize::from(choice.prior[0].load(Relaxed))] * per_temperature;
        let most = choices.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for choice in choices {
            let prior = (logit(choice) - most).exp();
            choice.set_prior(prior);
            sum += prior;
        }
        for choice in choices {
            choice.set_prior(choice.prior() / sum);
        }
        self.node(id).is_evaluated.store(true, Release);
    }

    /// Returns whether a node's moves have priors.
    pub(super) fn is_evaluated(&self, id: NodeId) -> bool {
        self.node(id).is_evaluated.load(Acquire)
    }

    /// Takes the task of searching for a mate of the side to move; false if it is done, another thread has it, or there is known to be none.
    pub(super) fn begin_mate_search(&self, id: NodeId) -> bool {
        !self.node(id).is_mate_searched.swap(true, Relaxed)
    }

    /// Notes that a mate of the side to move need not be searched for, or has to be after all.
    pub(super) fn set_mate_searched(&self, id: NodeId, is_searched: bool) {
        self.node(id).is_mate_searched.store(is_searched, Relaxed);
    }

    /// Number of moves of a node.
    pub(super) fn edge_count(&self, id: NodeId) -> usize {
        self.node(id).count.load(Relaxed).into()
    }

    pub(super) fn counts(&self, id: NodeId) -> NodeCounts {
        let node = self.node(id);
        NodeCounts {
            visits: node.visits.load(Relaxed),
            wins: node.wins.get(),
            prior_sum: node.prior_sum.get(),
        }
    }

    fn choices_of(&self, id: NodeId) -> &[Choice] {
        let first = self.node(id).choices.load(Relaxed);
        self.choices.slice(first, self.edge_count(id))
    }

    fn counts_of(&self, id: NodeId) -> &[Counts] {
        match self.node(id).counts.load(Acquire) {
            NO_COUNTS => &[],
            first => self.counts.slice(first, self.edge_count(id)),
        }
    }

    /// Makes the counters of a node's edges if there are none; false when the tree is full.
    pub(super) fn make_counts(&self, id: NodeId) -> bool {
        let node = self.node(id);
        if node.counts.load(Acquire) != NO_COUNTS {
            return true;
        }
        let count = self.edge_count(id);
        let Some(first) = self.counts.take(count) else {
            return false;
        };
        for counts in self.counts.slice(first, count) {
            counts.visits.store(0, Relaxed);
            counts.wins.set(0.0);
            counts.word.store(NO_CHILD, Relaxed);
        }
        let counts = &node.counts;
        if counts
            .compare_exchange(NO_COUNTS, first, AcqRel, Acquire)
            .is_err()
        {
            // Another thread was faster.
            self.counts.give_back(first, count);
        }
        true
    }

    /// The edges of a node, in the order of their labels.
    pub(super) fn edges(&self, id: NodeId) -> impl Iterator<Item = Edge> {
        let counts = self.counts_of(id);
        self.choices_of(id)
            .iter()
            .enumerate()
            .map(|(number, choice)| {
                let edge = Edge {
                    code: Move16(choice.code.load(Relaxed)),
                    flags: Flags::default(),
                    child: Child::None,
                    prior: choice.prior(),
                    visits: 0,
                    wins: 0.0,
                };
                let Some(counts) = counts.get(number) else {
                    return edge;
                };
                let word = counts.word.load(Acquire);
                Edge {
                    flags: Flags(word & !CHILD),
                    child: child_of(word),
                    visits: counts.visits.load(Relaxed),
                    wins: counts.wins.get(),
                    ..edge
                }
            })
    }

    /// Notes what is proved about an edge.
    pub(super) fn prove(&self, (node, number): EdgeId, flags: Flags) {
        self.counts_of(node)[number].word.fetch_or(flags.0, AcqRel);
    }

    /// Takes the task of making the child of an edge; false if it is done or another thread has it.
    pub(super) fn begin_child(&self, (node, number): EdgeId) -> bool {
        let begin = |word: u32| (word & CHILD == NO_CHILD).then_some(word & !CHILD | BEING_MADE);
        let word = &self.counts_of(node)[number].word;
        word.fetch_update(AcqRel, Relaxed, begin).is_ok()
    }

    /// The task is done, or given up with `None`.
    pub(super) fn set_child(&self, (node, number): EdgeId, child: Option<NodeId>) {
        let set = |word: u32| Some(word & !CHILD | child.unwrap_or(NO_CHILD));
        let word = &self.counts_of(node)[number].word;
        let _ = word.fetch_update(AcqRel, Relaxed, set);
    }

    /// Counts a playout through an edge, whose result is to come (a virtual loss).
    pub(super) fn add_visit(&self, (node, number): EdgeId) {
        self.node(node).visits.fetch_add(1, Relaxed);
        self.counts_of(node)[number].visits.fetch_add(1, Relaxed);
    }

    /// A playout through an edge came to nothing.
    pub(super) fn take_visit_back(&self, (node, number): EdgeId) {
        self.node(node).visits.fetch_sub(1, Relaxed);
        self.counts_of(node)[number].visits.fetch_sub(1, Relaxed);
    }

    /// Adds the result of a playout through an edge, for the player of its move.
    pub(super) fn add_result(&self, (node, number): EdgeId, result: f32) {
        self.node(node).wins.add(result);
        self.counts_of(node)[number].wins.add(result);
    }

    /// A move of this prior was chosen at a node.
    pub(super) fn add_prior(&self, id: NodeId, prior: f32) {
        self.node(id).prior_sum.add(prior);
    }
}

/// An edge: its node and its number there.
pub(super) type EdgeId = (NodeId, usize);

/// What is proved about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootProof {
    /// Nothing.
    Open,
    /// It wins.
    Wins,
    /// It loses.
    Loses,
    /// It leads to a draw.
    Draws,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_small() {
        assert_eq!(size_of::<Node>(), 24);
        assert_eq!(size_of::<Choice>(), 6);
        assert_eq!(size_of::<Counts>(), 12);
    }

    #[test]
    fn released_nodes_are_used_again() {
        let tree = Tree::new();
        let moves = shogi_core::Position::startpos()
            .moves::<shogi_core::movegen::Legal>()
            .to_vec();
        let mut bytes = None;
        for _ in 0..200 {
            let root = tree.add_node().unwrap();
            assert!(tree.expand(root, &moves) && tree.make_counts(root));
            let mut kept = None;
            for number in 0..moves.len() {
                let child = tree.add_node().unwrap();
                assert!(tree.expand(child, &moves));
                assert!(tree.begin_child((root, number)));
                tree.set_child((root, number), Some(child));
                assert!(!tree.is_evaluated(child) && tree.counts(child).visits == 0);
                kept = Some(child);
            }
            tree.release(vec![root], kept);
            assert_eq!(tree.edge_count(kept.unwrap()), moves.len());
            tree.release(kept.into_iter().collect(), None);
            assert_eq!(*bytes.get_or_insert(tree.bytes()), tree.bytes());
        }
    }
}
