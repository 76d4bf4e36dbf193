//! Lines that come out.

use othello_core::{Board, Move};

use super::{Reached, Walk};
use crate::Edge;
use crate::miner::judge;
use crate::miner::mismatch::{Mismatch, Moves};
use crate::miner::moves::{push, push_number};
use crate::miner::{Dialect, Line, replies};

impl Walk<'_, '_> {
    /// Looks for replies to a leaf that lead back into the book, if those are wanted.
    pub(super) fn replies(&mut self, edge: Edge, mv: Move, board: Board) -> yane_io::Result<()> {
        let len = self.transcript.len();
        push(&mut self.transcript, mv);
        let ply = self.stack.len() as u32;
        for reply in replies::all(self.index, self.options.mode, edge, board) {
            let line = self.transcript.len();
            if let Some(mv) = reply.shown {
                push(&mut self.transcript, mv);
            }
            if !self.printed.contains(&self.transcript) {
                self.printed.insert(self.transcript.clone());
                let size = reply.expected.abs_diff(reply.found);
                self.summary.mismatch(ply, size);
                self.give(ply, reply.expected, reply.found)?;
            }
            self.transcript.truncate(line);
        }
        self.transcript.truncate(len);
        Ok(())
    }

    /// Gives out the lines of a mismatch.
    pub(super) fn report(
        &mut self,
        mismatch: &Mismatch,
        judged: &Reached<'_>,
    ) -> yane_io::Result<()> {
        // The position that was judged is not on the stack yet.
        let ply = self.stack.len() as u32;
        self.summary.mismatch(ply, mismatch.size());
        match mismatch.moves {
            Moves::None => Ok(()),
            Moves::Best(edge) => self.line(mismatch, judged, edge, ply),
            Moves::Above(bound) => {
                let record = judged.found.record;
                let leaf = match self.options.dialect {
                    Dialect::V1 => Some(record.leaf()),
                    Dialect::Seed | Dialect::V2 => judge::leaf(&record),
                };
                let edges = record.links().chain(leaf);
                for edge in edges.filter(|edge| i32::from(edge.score) > bound) {
                    self.line(mismatch, judged, edge, ply)?;
                }
                Ok(())
            }
        }
    }

    fn line(
        &mut self,
        mismatch: &Mismatch,
        judged: &Reached<'_>,
        edge: Edge,
        ply: u32,
    ) -> yane_io::Result<()> {
        if let Some(limits) = &self.options.limits
            && limits
                .after(&judged.found.record, edge, judged.lost, ply + 1)
                .is_none()
        {
            return Ok(());
        }
        let len = self.transcript.len();
        match edge.mv().map(|mv| judged.back.apply(mv)) {
            Some(mv @ Move::Place(_)) => push(&mut self.transcript, mv),
            _ if self.options.dialect == Dialect::V1 => push_number(&mut self.transcript, edge),
            _ => {}
        }
        let given = self.give(ply, mismatch.expected, mismatch.found);
        self.transcript.truncate(len);
        given
    }

    /// Gives out the transcript as it is.
    fn give(&mut self, ply: u32, expected: i32, found: i32) -> yane_io::Result<()> {
        if self.options.limit.is_some_and(|n| self.summary.lines >= n) {
            self.summary.cut_short = true;
            return Ok(());
        }
        self.summary.lines += 1;
        (self.each)(&Line {
            transcript: &self.transcript,
            ply,
            expected,
            found,
        })
    }
}
