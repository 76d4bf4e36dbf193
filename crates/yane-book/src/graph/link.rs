//! The second reading: where the moves lead, position by position.

use std::sync::Arc;

use shogi_core::movegen::MoveList;
use shogi_core::{Move16, Position};
use yane_io::OrderedParallelMap;

use super::group::{GROUP, Group};
use super::{GraphSource, Index, NodeId, NumberedChunk};
use crate::{BookError, BookMove, Job, Result, Unit};

impl Index {
    /// Reads `source` again, which must not have changed, and gives every node to `collect`. The
    /// columns of the pieces come to `append` in the order of the book.
    ///
    /// # Errors
    /// When reading fails, a position or move is wrong ([`crate::db::BadLines::Fail`]), or the job is cancelled.
    pub fn link<S: GraphSource, C: Collect>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        collect: C,
        mut append: impl FnMut(C::Columns) -> Result<()>,
    ) -> Result<LinkReport> {
        job.progress
            .stage("link moves", Some(source.size()), Unit::Bytes);
        let mut report = LinkReport {
            repeated: self.layout.absent.len() as u64 - self.bad,
            ..LinkReport::default()
        };
        for linked in self.link_pieces(job, source, collect)? {
            let linked = linked?;
            job.check()?;
            report.add(&linked.report);
            append(linked.columns)?;
            job.progress.advance(linked.size);
        }
        report.bad_positions += self.bad;
        Ok(report)
    }

    fn link_pieces<S: GraphSource, C: Collect>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        collect: C,
    ) -> Result<OrderedParallelMap<Linked<C::Columns>, BookError>> {
        let index = self.clone();
        self.layout
            .read_again(job, source, move |piece| index.link_piece(&collect, &piece))
    }

    fn link_piece<S: GraphSource, C: Collect>(
        &self,
        collect: &C,
        piece: &NumberedChunk<'_, S>,
    ) -> Result<Linked<C::Columns>> {
        let mut linked = Linked {
            columns: C::Columns::default(),
            report: LinkReport::default(),
            size: piece.size(),
        };
        let mut group = Group::default();
        let mut records = piece.records().peekable();
        while records.peek().is_some() {
            for (id, record) in records.by_ref().take(GROUP) {
                group.add(self, piece.source, record.as_ref(), id, &mut linked.report)?;
            }
            group.finish(self, piece.source, collect, &mut linked)?;
        }
        Ok(linked)
    }
}

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
    /// True if `position` is flipped against what is written.
    pub flipped: bool,
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
    fn add(&self, columns: &mut Self::Columns, node: &Node<'_>) -> Result<()>;

    /// Called in place of [`Self::add`] for entries that are no nodes ([`super::Layout::absent`], and with
    /// [`crate::db::BadLines::Skip`] those that break the rules).
    fn add_absent(&self, columns: &mut Self::Columns, id: NodeId);
}

/// Summary of what was found while linking.
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
    /// Entries left out because they are no positions ([`crate::db::BadLines::Skip`]).
    pub bad_positions: u64,
    /// Moves left out because they are illegal or no moves ([`crate::db::BadLines::Skip`]).
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
pub(super) struct Linked<C> {
    pub(super) columns: C,
    pub(super) report: LinkReport,
    pub(super) size: u64,
}
