//! The graph of a book, six bytes a move.

use std::sync::Arc;

use book_graph::{Offsets, Predecessors};
use shogi_core::Move16;

use super::MATE;
use crate::graph::{Child, Collect, GraphSource, Index, LinkReport, Node, NodeId, customary_order};
use crate::{Job, Result};

/// The target of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Out of the book, with this value for the side that moves.
    Leaf(i16),
    /// To a position of the book.
    Node(NodeId),
}

/// A target in 32 bits: the top bit marks a leaf, whose value is in the low half.
#[derive(Clone, Copy, Debug)]
struct PackedTarget(u32);

const LEAF: u32 = 1 << 31;

impl PackedTarget {
    const fn pack(target: Target) -> Self {
        match target {
            Target::Leaf(value) => Self(LEAF | value as u16 as u32),
            Target::Node(node) => Self(node.0),
        }
    }

    #[inline(always)]
    const fn unpack(self) -> Target {
        if self.0 & LEAF != 0 {
            Target::Leaf(self.0 as u16 as i16)
        } else {
            Target::Node(NodeId(self.0))
        }
    }
}

/// One bit a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks(Vec<u64>);

impl Marks {
    pub(super) fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    #[inline(always)]
    pub(super) fn has(&self, node: NodeId) -> bool {
        self.0[node.index() / 64] >> (node.0 % 64) & 1 != 0
    }

    #[inline(always)]
    pub(super) fn set(&mut self, node: NodeId) {
        self.0[node.index() / 64] |= 1 << (node.0 % 64);
    }

    #[inline(always)]
    pub(super) fn clear(&mut self, node: NodeId) {
        self.0[node.index() / 64] &= !(1 << (node.0 % 64));
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The first marked position at or after `from`.
    #[inline]
    pub(super) fn next(&self, from: u32) -> Option<NodeId> {
        let mut at = from as usize / 64;
        let mut word = self.0.get(at)? & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = *self.0.get(at)?;
        }
        Some(NodeId(at as u32 * 64 + word.trailing_zeros()))
    }

    /// All marked positions, rising.
    pub(super) fn iter(&self) -> impl Iterator<Item = NodeId> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let node = self.next(from)?;
            from = node.0 + 1;
            Some(node)
        })
    }
}

/// Positions in the order of the book with their moves.
#[derive(Debug, Default)]
pub struct Arena {
    rows: Offsets,
    moves: Vec<Move16>,
    targets: Vec<PackedTarget>,
    in_check: Marks,
    absent: Marks,
}

impl Arena {
    /// Links the positions of `source`, which `index` was made of.
    ///
    /// # Errors
    /// When reading fails, there is an illegal move, or the job is cancelled.
    pub fn link<S: GraphSource>(
        index: &Arc<Index>,
        source: &S,
        job: &Job,
    ) -> Result<(Self, LinkReport)> {
        let mut arena = Self {
            rows: Offsets::with_capacity(index.len()),
            in_check: Marks::new(index.len()),
            absent: Marks::new(index.len()),
            ..Self::default()
        };
        // Untouched reserve is no memory, growing would hold everything twice for a moment. A move
        // takes about 20 bytes of text.
        let moves = source.size() as usize / 20;
        arena.moves.reserve(moves);
        arena.targets.reserve(moves);
        let report = index.link(job, source, ArenaCollector, |columns: Columns| {
            arena.append(&columns);
            Ok(())
        })?;
        Ok((arena, report))
    }

    fn append(&mut self, columns: &Columns) {
        for &(moves, kind) in &columns.nodes {
            let node = NodeId(self.rows.len() as u32);
            match kind {
                TargetKind::Quiet => {}
                TargetKind::InCheck => self.in_check.set(node),
                TargetKind::Absent => self.absent.set(node),
            }
            self.rows.push(self.rows.end() + moves as usize);
        }
        self.moves.extend_from_slice(&columns.moves);
        self.targets.extend_from_slice(&columns.targets);
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All positions.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    /// The moves of a position, as it is written in the book, with where they lead.
    #[inline]
    pub fn moves(&self, node: NodeId) -> impl ExactSizeIterator<Item = (Move16, Target)> {
        let range = self.rows.range(node.0);
        let targets = self.targets[range.clone()].iter();
        std::iter::zip(&self.moves[range], targets).map(|(mv, to)| (*mv, to.unpack()))
    }

    /// Returns where the moves of a position lead.
    #[inline]
    pub fn targets(&self, node: NodeId) -> impl ExactSizeIterator<Item = Target> {
        self.targets[self.rows.range(node.0)]
            .iter()
            .map(|to| to.unpack())
    }

    /// Returns where the move with this number among those of `node` leads; `None` when there are fewer.
    #[inline]
    pub(super) fn target_at(&self, node: NodeId, place: u32) -> Option<Target> {
        let range = self.rows.range(node.0);
        let at = range.start + place as usize;
        (at < range.end).then(|| self.targets[at].unpack())
    }

    /// Positions of the book that the moves of a position lead to.
    #[inline]
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        self.targets(node).filter_map(|target| match target {
            Target::Node(child) => Some(child),
            Target::Leaf(_) => None,
        })
    }

    /// For each position those of `parents` that have a move to it.
    pub(crate) fn parents<I>(&self, parents: impl Fn() -> I) -> Predecessors
    where
        I: Iterator<Item = NodeId>,
    {
        let links = |parent: NodeId| self.children(parent).map(move |child| (parent.0, child.0));
        Predecessors::new(self.len(), || parents().flat_map(links))
    }

    /// Returns whether the side to move is in check.
    #[inline]
    pub(crate) fn is_in_check(&self, node: NodeId) -> bool {
        self.in_check.has(node)
    }

    /// Returns whether the entry is no position and not part of the graph.
    #[inline]
    pub(super) fn is_absent(&self, node: NodeId) -> bool {
        self.absent.has(node)
    }

    /// Entries that are positions.
    pub(super) fn present(&self) -> u64 {
        self.len() as u64 - self.absent.count()
    }

    /// Positions in check.
    pub(super) const fn in_check(&self) -> &Marks {
        &self.in_check
    }
}

/// Moves of a piece of the book.
#[derive(Default)]
struct Columns {
    /// Number of moves, and kind of the position.
    nodes: Vec<(u32, TargetKind)>,
    moves: Vec<Move16>,
    targets: Vec<PackedTarget>,
    /// Children of one position in the order in which the moves are kept.
    order: Vec<Child>,
}

#[derive(Clone, Copy)]
enum TargetKind {
    Quiet,
    InCheck,
    Absent,
}

/// Collects the data of an arena.
struct ArenaCollector;

impl Collect for ArenaCollector {
    type Columns = Columns;

    fn add(&self, columns: &mut Columns, node: &Node<'_>) -> Result<()> {
        let before = columns.moves.len();
        columns.order.clear();
        columns.order.extend_from_slice(node.children);
        columns
            .order
            .sort_by_key(|child| original_order(node, child));
        for child in &columns.order {
            let target = match (child.node, child.registered) {
                (Some(node), _) => Target::Node(node),
                (None, Some(known)) => {
                    let mate = i32::from(MATE);
                    Target::Leaf(known.eval.clamp(-mate, mate) as i16)
                }
                (None, None) => continue,
            };
            columns.moves.push(child.mv);
            columns.targets.push(PackedTarget::pack(target));
        }
        let moves = (columns.moves.len() - before) as u32;
        let kind = if node.position.in_check() {
            TargetKind::InCheck
        } else {
            TargetKind::Quiet
        };
        columns.nodes.push((moves, kind));
        Ok(())
    }

    fn add_absent(&self, columns: &mut Columns, _: NodeId) {
        columns.nodes.push((0, TargetKind::Absent));
    }
}

/// Sorts moves as the original has them, which shows where moves are equal: those that leave the book
/// as they stand there, then those that stay in it as they are generated.
fn original_order(node: &Node<'_>, child: &Child) -> (u16, u32) {
    if child.node.is_none() {
        return (child.line, 0);
    }
    let m = node.legal[usize::from(child.place)];
    (u16::MAX, customary_order(node.position, m))
}
