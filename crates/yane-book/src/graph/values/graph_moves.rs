//! Data of a linked book that the solver needs.

use std::sync::Arc;

use book_graph::{Adjacency, NO_NODE, Offsets};
use shogi_core::{Color, EnteringKingRule, Move16, Piece, PieceKind, Position};

use crate::graph::{Child, Collect, GraphSource, Index, LinkReport, Node, NodeId, customary_order};
use crate::{Job, Result};

/// Kind of a move of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveKind {
    /// The move leads out of the book; `eval` is the book's value.
    Leaf,
    /// The move leads to a node without being registered.
    Joined,
    /// The move leads to a node; `eval` is the book's value.
    Linked,
    /// The move ends the game at once; `eval` is the value of that end.
    Terminal,
    /// The move repeats a position: a draw.
    Draw,
    /// The move repeats a position: the opponent has given perpetual check and loses.
    Win,
    /// The move repeats a position: the mover has given perpetual check and loses.
    Lose,
}

/// Facts about a node, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts(u8);

impl Facts {
    /// White is to move.
    pub(crate) const WHITE: Self = Self(1);
    /// The side to move is in check.
    pub(crate) const CHECK: Self = Self(1 << 1);
    /// The side to move is mated.
    pub(crate) const MATED: Self = Self(1 << 2);
    /// The side to move wins at once.
    pub(crate) const WINS: Self = Self(1 << 3);
    /// The node is not part of the book.
    pub(crate) const ABSENT: Self = Self(1 << 4);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[cfg(test)]
    pub(super) fn plain(color: Color, check: bool) -> Self {
        let mut facts = Self::default();
        facts.set(Self::WHITE, color == Color::White);
        facts.set(Self::CHECK, check);
        facts
    }

    fn set(&mut self, other: Self, on: bool) {
        if on {
            self.0 |= other.0;
        }
    }

    pub(crate) const fn color(self) -> Color {
        if self.has(Self::WHITE) {
            Color::White
        } else {
            Color::Black
        }
    }
}

/// The moves of all nodes: adjacency lists (CSR) with a column for each property. Of the moves that lead out of the book only the best is here,
/// the first of equal ones; the others change nothing.
#[derive(Debug, Default)]
pub(crate) struct GraphMoves {
    rows: Offsets,
    pub(crate) mv: Vec<Move16>,
    pub(super) target: Vec<u32>,
    pub(crate) kind: Vec<MoveKind>,
    /// Value for the mover.
    pub(super) eval: Vec<i32>,
    pub(super) ponder: Vec<Option<Move16>>,
    pub(crate) facts: Vec<Facts>,
}

impl GraphMoves {
    /// Number of nodes.
    pub(crate) const fn len(&self) -> usize {
        self.facts.len()
    }

    /// Numbers of the moves of `node`.
    #[inline(always)]
    pub(crate) fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.rows.range(node)
    }

    pub(super) fn adjacency(&self) -> Adjacency<'_> {
        Adjacency::new(&self.rows, &self.target)
    }

    /// The node that a move leads to.
    pub(super) fn target(&self, at: usize) -> Option<u32> {
        Some(self.target[at]).filter(|&target| target != NO_NODE)
    }

    /// Appends the moves of the next nodes.
    fn append(&mut self, mut more: Self) {
        self.rows.append(&more.rows);
        self.mv.append(&mut more.mv);
        self.target.append(&mut more.target);
        self.kind.append(&mut more.kind);
        self.eval.append(&mut more.eval);
        self.ponder.append(&mut more.ponder);
        self.facts.append(&mut more.facts);
    }

    fn push(&mut self, entry: &NodeMove) {
        self.mv.push(entry.mv);
        self.target.push(entry.target);
        self.kind.push(entry.kind);
        self.eval.push(entry.eval);
        self.ponder.push(entry.ponder);
    }

    pub(super) fn end_node(&mut self, facts: Facts) {
        self.rows.push(self.mv.len());
        self.facts.push(facts);
    }

    #[cfg(test)]
    pub(super) fn push_plain(&mut self, mv: Move16, target: u32, kind: MoveKind, eval: i32) {
        self.push(&NodeMove {
            place: 0,
            mv,
            target,
            kind,
            eval,
            ponder: None,
        });
    }

    /// Makes moves to nodes that are not part of the book into moves out of the book.
    pub(crate) fn unlink_absent(&mut self) {
        for at in 0..self.mv.len() {
            let target = self.target[at];
            if target != NO_NODE && self.facts[target as usize].has(Facts::ABSENT) {
                self.target[at] = NO_NODE;
                self.kind[at] = MoveKind::Leaf;
            }
        }
    }
}

/// The books that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    /// Books with some moves for every position. A move that mates or allows a declaration is worth
    /// what that is, whatever the book says.
    SomeMoves(EnteringKingRule),
    /// Books with a value for every legal move. Positions that lack one are not part of the book;
    /// those in which the side to move can declare or mate at once are won.
    AllMoves(EnteringKingRule),
}

/// Value of a move after which the opponent is mated.
pub(crate) const MATES: i32 = 31999;
/// Value of a move after which the opponent wins by declaration.
const ALLOWS_WIN: i32 = -31999;

/// A move about to be appended, with its place in the customary order.
struct NodeMove {
    place: u32,
    mv: Move16,
    target: u32,
    kind: MoveKind,
    eval: i32,
    ponder: Option<Move16>,
}

impl Judge {
    /// Links the book `source` of `index`. Returns the moves of all nodes, and the report.
    ///
    /// # Errors
    /// Those of [`Index::link`].
    pub(crate) fn link<S: GraphSource>(
        self,
        index: &Arc<Index>,
        job: &Job,
        source: &S,
    ) -> Result<(GraphMoves, LinkReport)> {
        let mut graph = GraphMoves::default();
        let links = index.link(job, source, self, |more| {
            graph.append(more);
            Ok(())
        })?;
        Ok((graph, links))
    }
}

impl Collect for Judge {
    type Columns = GraphMoves;

    fn add(&self, moves: &mut GraphMoves, node: &Node<'_>) -> Result<()> {
        let position = node.position;
        let mut facts = Facts::default();
        facts.set(Facts::WHITE, position.side_to_move() == Color::White);
        facts.set(Facts::CHECK, position.in_check());
        facts.set(Facts::MATED, position.in_check() && node.legal.is_empty());
        let (Self::SomeMoves(rule) | Self::AllMoves(rule)) = *self;
        facts.set(Facts::WINS, position.declaration(rule).is_some());
        if let Self::AllMoves(_) = self {
            let known = node
                .children
                .iter()
                .filter(|child| child.registered.is_some());
            facts.set(Facts::ABSENT, known.count() < node.legal.len());
            facts.set(Facts::WINS, position.mate_in_one().is_some());
        }
        if facts.has(Facts(Facts::MATED.0 | Facts::WINS.0 | Facts::ABSENT.0)) {
            moves.end_node(facts);
            return Ok(());
        }
        let mut entries = match self {
            Self::SomeMoves(rule) => terminal_moves(node, *rule),
            Self::AllMoves(_) => Vec::new(),
        };
        add_children(&mut entries, node);
        for entry in &entries {
            moves.push(entry);
        }
        moves.end_node(facts);
        Ok(())
    }

    fn add_absent(&self, moves: &mut GraphMoves, _: NodeId) {
        moves.end_node(Facts::ABSENT);
    }
}

/// Adds the moves that lead to nodes and the best of the others, and puts all in order.
fn add_children(entries: &mut Vec<NodeMove>, node: &Node<'_>) {
    let terminal = entries.len();
    let mut best_leaf: Option<NodeMove> = None;
    for child in node.children {
        if entries[..terminal].iter().any(|entry| entry.mv == child.mv) {
            continue;
        }
        let (eval, ponder) = child
            .registered
            .map_or((0, None), |known| (known.eval, known.ponder));
        let entry = NodeMove {
            place: place_of(node, child),
            mv: child.mv,
            target: child.node.map_or(NO_NODE, |id| id.0),
            kind: match (child.node, child.registered) {
                (None, _) => MoveKind::Leaf,
                (Some(_), None) => MoveKind::Joined,
                (Some(_), Some(_)) => MoveKind::Linked,
            },
            eval,
            ponder,
        };
        if child.node.is_some() {
            entries.push(entry);
        } else if best_leaf
            .as_ref()
            .is_none_or(|best| is_better(&entry, best))
        {
            best_leaf = Some(entry);
        }
    }
    entries.extend(best_leaf);
    entries.sort_unstable_by_key(|entry| entry.place);
}

/// The better of two moves, or the first of equal ones.
const fn is_better(entry: &NodeMove, than: &NodeMove) -> bool {
    entry.eval > than.eval || (entry.eval == than.eval && entry.place < than.place)
}

fn place_of(node: &Node<'_>, child: &Child) -> u32 {
    customary_order(node.position, node.legal[usize::from(child.place)])
}

/// The moves that end the game at once.
fn terminal_moves(node: &Node<'_>, rule: EnteringKingRule) -> Vec<NodeMove> {
    let mut found = Vec::new();
    if node.position.mate_in_one().is_some() {
        let mates = node.position.mating_moves();
        found.extend(mates.into_iter().map(|m| (m, MATES)));
    }
    let them = node.position.side_to_move().flip();
    if let Some(king) = node.position.king(them)
        && king.is_promotion_zone(them)
    {
        let mut child: Position = node.position.clone();
        for &m in node.legal {
            debug_assert!(child.piece_on(king) == Some(Piece::new(them, PieceKind::King)));
            let undo = child.do_move_unchecked(m);
            if child.declaration(rule).is_some() {
                found.push((m, ALLOWS_WIN));
            }
            child.undo_move(m, &undo);
        }
    }
    let entry = |(m, eval)| NodeMove {
        place: customary_order(node.position, m),
        mv: m.into(),
        target: NO_NODE,
        kind: MoveKind::Terminal,
        eval,
        ponder: None,
    };
    found.into_iter().map(entry).collect()
}
