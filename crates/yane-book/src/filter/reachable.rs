//! Which positions of a book can be reached by its own moves.

use std::path::Path;

use shogi_core::Position;

use crate::entries::Entry;
use crate::memory::{Book, ReadOptions};
use crate::records::legal_move;
use crate::{Job, Result, Unit};

/// Positions walked between two looks at the clock.
const STEP: u64 = 1 << 12;

/// The positions of a book that can be reached.
pub(super) struct Reachable {
    book: Book,
    /// For each entry of the book, whether it was reached.
    reached: Vec<bool>,
}

impl Reachable {
    /// Walks the book at `path` from `roots`, whatever the plies are.
    pub(super) fn from(path: &Path, roots: &[Position], job: &Job) -> Result<Self> {
        let book = Book::read(path, ReadOptions { ignore_ply: true }, job)?;
        let mut walk = Self {
            reached: vec![false; book.len()],
            book,
        };
        let total = walk.book.len() as u64;
        job.progress.stage("walk", Some(total), Unit::Positions);
        // Depth first: few positions wait at any time. Each is put there once.
        let mut waiting: Vec<Position> = Vec::new();
        for root in roots {
            walk.reach(root, &mut waiting);
        }
        let mut done = 0u64;
        while let Some(position) = waiting.pop() {
            done += 1;
            if done.is_multiple_of(STEP) {
                job.check()?;
                job.progress.advance(STEP);
            }
            let Some(moves) = walk.book.get(&position) else {
                continue;
            };
            let moves: Vec<_> = moves.iter().filter_map(|known| known.mv).collect();
            for m in moves {
                let Some(m) = legal_move(&position, m) else {
                    continue;
                };
                let mut child = position.clone();
                let _ = child.do_move(m);
                walk.reach(&child, &mut waiting);
            }
        }
        Ok(walk)
    }

    /// Marks a position; one that is new and in the book waits to be walked from.
    fn reach(&mut self, position: &Position, waiting: &mut Vec<Position>) {
        if let Some(at) = self.book.index_of_key(position.key128())
            && !std::mem::replace(&mut self.reached[at], true)
        {
            waiting.push(position.clone());
        }
    }

    /// Number of positions reached.
    pub(super) fn len(&self) -> u64 {
        self.reached.iter().filter(|&&reached| reached).count() as u64
    }

    /// Whether the position of the entry was reached.
    pub(super) fn contains(&self, entry: &Entry<'_>) -> bool {
        Position::from_sfen(entry.sfen)
            .ok()
            .and_then(|position| self.book.index_of_key(position.key128()))
            .is_some_and(|at| self.reached[at])
    }
}
