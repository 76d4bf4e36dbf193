//! Positions with their moves, and who keeps what of them.

use shogi_core::movegen::MoveList;
use shogi_core::{Move16, Position};

use super::NodeId;
use crate::{BookMove, Result};

/// A move of a position that the book registers, or that leads to a position of the book, or both.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// The move, as the position is written.
    pub mv: Move16,
    /// Its place in [`Node::legal`].
    pub place: u16,
    /// The position it leads to, if that is in the book.
    pub node: Option<NodeId>,
    /// What the book says about it, if that is registered.
    pub registered: Option<BookMove>,
    /// Number of its line among those of the position, from 0; `u16::MAX` when it is not registered.
    pub line: u16,
}

/// A position with its moves.
#[derive(Debug)]
pub struct Node<'a> {
    /// Its number.
    pub id: NodeId,
    /// The position: with black to move if positions are the same up to flip, else as written.
    pub position: &'a Position,
    /// Whether `position` is turned against what is written.
    pub turned: bool,
    /// All legal moves of `position`, pointless non-promotions included.
    pub legal: &'a MoveList,
    /// The moves that matter, in the order of `legal`.
    pub children: &'a [Child],
}

/// Keeps what it needs of the nodes.
pub trait Collect: Send + Sync + 'static {
    /// What is kept of a piece of the book.
    type Columns: Default + Send + 'static;

    /// Keeps what it needs of a node. Called with rising numbers within a piece.
    ///
    /// # Errors
    /// An error ends the linking.
    fn add(&self, rows: &mut Self::Columns, node: &Node<'_>) -> Result<()>;

    /// Called in place of [`Self::add`] for entries that are no nodes ([`super::Layout::absent`], and with
    /// [`super::OnFault::Skip`] those that break the rules).
    fn add_absent(&self, rows: &mut Self::Columns, id: NodeId);
}

/// What was found while linking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkReport {
    /// Entries that are nodes.
    pub nodes: u64,
    /// Moves that are registered, each counted once for a position.
    pub registered: u64,
    /// Registered moves that lead to positions of the book.
    pub linked: u64,
    /// Moves that lead to positions of the book without being registered.
    pub joined: u64,
    /// Entries left out because they are no positions ([`super::OnFault::Skip`]).
    pub bad_positions: u64,
    /// Moves left out because they are illegal or no moves ([`super::OnFault::Skip`]).
    pub bad_moves: u64,
    /// Entries whose moves were added to those of an earlier one.
    pub repeated: u64,
}

impl LinkReport {
    pub(super) fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.registered += other.registered;
        self.linked += other.linked;
        self.joined += other.joined;
        self.bad_positions += other.bad_positions;
        self.bad_moves += other.bad_moves;
    }

    /// Counts a node with its moves.
    pub(super) fn count(&mut self, children: &[Child]) {
        self.nodes += 1;
        for child in children {
            match (child.registered, child.node) {
                (None, _) => self.joined += 1,
                (Some(_), None) => self.registered += 1,
                (Some(_), Some(_)) => {
                    self.registered += 1;
                    self.linked += 1;
                }
            }
        }
    }
}

/// The result of a piece.
pub(super) struct Linked<R> {
    pub(super) rows: R,
    pub(super) report: LinkReport,
    pub(super) size: u64,
}
