//! A solved book in which one can walk.

use std::sync::Arc;

use shogi_core::{Color, Move, Move16, Position};

use crate::graph::{Identity, Index, NodeId, OnFault, Source, SourceRecord, View, rotate_move};
use crate::peta_shock::{Arena, Outcome, Solved, Target, solve};
use crate::records::legal_move;
use crate::{Job, Result, Unit};

/// A book with the outcome of every position.
pub(super) struct SolvedBook {
    index: Arc<Index>,
    solved: Solved,
    /// Whether each entry is written with white to move.
    white: Vec<bool>,
    /// Positions, and what was left out.
    pub(super) positions: u64,
    pub(super) left_out: u64,
}

impl SolvedBook {
    /// Reads and solves a book.
    pub(super) fn read<S: Source>(source: &S, on_fault: OnFault, job: &Job) -> Result<Self> {
        let index = Index::build(job, source, Identity::UpToFlip, on_fault)?;
        let index = Arc::new(index);
        let (arena, links) = Arena::link(&index, source, job)?;
        Ok(Self {
            white: white_to_move(source, index.len(), job)?,
            index,
            solved: solve(arena, job)?,
            positions: links.nodes,
            left_out: links.bad_moves + links.bad_positions,
        })
    }

    pub(super) const fn arena(&self) -> &Arena {
        self.solved.arena()
    }

    /// What a target is worth to the side that moves there.
    #[inline]
    pub(super) fn outcome(&self, target: Target) -> Outcome {
        match target {
            Target::Leaf(value) => Outcome::leaf(value),
            Target::Node(node) => self.solved.outcome(node),
        }
    }

    /// The node of a position, if it has moves.
    pub(super) fn find(&self, position: &Position) -> Option<NodeId> {
        let node = self.index.find(position)?;
        (self.arena().moves(node).len() > 0).then_some(node)
    }

    /// A move of `node` as it is played in `position`, which is that node.
    pub(super) fn legal(&self, node: NodeId, position: &Position, mv: Move16) -> Option<Move> {
        let turned = self.white[node.index()] != (position.side_to_move() == Color::White);
        legal_move(position, if turned { rotate_move(mv) } else { mv })
    }
}

/// For every entry of a book whether white is to move.
fn white_to_move<S: Source>(source: &S, len: usize, job: &Job) -> Result<Vec<bool>> {
    job.progress
        .stage("read sides", Some(source.size()), Unit::Bytes);
    let mut white = Vec::with_capacity(len);
    let mut read = source.open()?;
    while let Some(chunk) = read()? {
        job.check()?;
        white.extend(source.records(&chunk).map(|record| {
            let position = record.position(View::AsWritten);
            position.is_ok_and(|(position, _)| position.side_to_move() == Color::White)
        }));
        job.progress.advance(S::chunk_size(&chunk));
    }
    // A book that has grown meanwhile must not lead beyond the graph.
    white.resize(len, false);
    Ok(white)
}
