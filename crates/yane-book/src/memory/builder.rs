//! Gathers positions in any order and makes a book of them.

use super::moves::{Stored, add};
use super::{Book, Entry, ReadOptions, index};
use crate::BookMove;
use shogi_core::Position;

/// Positions as they come, with their moves.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) entries: Vec<Entry>,
    pub(super) moves: Vec<Stored>,
}

impl Builder {
    /// Begins a position; the moves added next are its own.
    pub(super) fn begin(&mut self, position: &Position, options: ReadOptions) {
        let ply = if options.ignore_ply {
            0
        } else {
            position.ply()
        };
        self.entries.push(Entry {
            key: position.key128(),
            start: self.moves.len() as u64,
            ply,
            len: 0,
        });
    }

    /// Adds a move to the position begun last, if there is one.
    pub(super) fn add(&mut self, new: BookMove) {
        if let Some(entry) = self.entries.last_mut() {
            let start = entry.start as usize;
            add(&mut self.moves, start, new.into());
            entry.len = (self.moves.len() - start) as u32;
        }
    }

    /// Appends what another builder has gathered.
    pub(super) fn append(&mut self, other: Self) {
        let start = self.moves.len() as u64;
        self.moves.extend_from_slice(&other.moves);
        let moved = other.entries.into_iter().map(|entry| Entry {
            start: entry.start + start,
            ..entry
        });
        self.entries.extend(moved);
    }

    /// Makes room when `done` of `total` bytes of input have been read, so that arrays do not grow
    /// by doubling, which would take twice the memory.
    pub(super) fn reserve(&mut self, done: u64, total: u64) {
        let share = total.saturating_sub(done) as f64 / done.max(1) as f64 * 1.05;
        let more = |len: usize| (len as f64 * share) as usize;
        self.entries.reserve(more(self.entries.len()));
        self.moves.reserve(more(self.moves.len()));
    }

    /// Sorts, joins what belongs to the same position in the order in which it came, and indexes.
    pub(super) fn finish(mut self, options: ReadOptions) -> Book {
        self.entries
            .sort_unstable_by_key(|entry| (entry.id(), entry.start));
        self.join_duplicates();
        self.entries.shrink_to_fit();
        self.moves.shrink_to_fit();
        Book {
            index: index::Index::new(&self.entries),
            entries: self.entries,
            moves: self.moves,
            options,
        }
    }

    /// Joins neighbours that are the same position. The joined list goes to the end of the moves;
    /// duplicates are too rare for their old places to matter.
    fn join_duplicates(&mut self) {
        let mut kept = 0;
        let mut at = 0;
        while at < self.entries.len() {
            let mut entry = self.entries[at];
            let same = self.entries[at..]
                .iter()
                .take_while(|other| other.id() == entry.id())
                .count();
            if same > 1 {
                let start = self.moves.len();
                for i in at..at + same {
                    for j in self.entries[i].range() {
                        let stored = self.moves[j];
                        add(&mut self.moves, start, stored);
                    }
                }
                entry.start = start as u64;
                entry.len = (self.moves.len() - start) as u32;
            }
            self.entries[kept] = entry;
            kept += 1;
            at += same;
        }
        self.entries.truncate(kept);
    }
}
