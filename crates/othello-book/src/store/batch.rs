//! Batched lookups in an index.
//!
//! A lookup waits for memory three times: for a cache line of the hash, which gives a slot, for the slot, which gives
//! the offset of the record, and for the record. Each step is done for all boards before the next, with prefetching, so
//! that the waits overlap. Lines of the hash are prefetched when a board is pushed, as making boards takes longer than
//! their arrival.

use othello_core::Board;

use crate::store::edax_index::{EdaxIndex, IndexHit, hash};
use crate::store::perfect_hash::{HashPlaces, NONE};

/// A batch of boards to look up, and their results.
#[derive(Debug, Default)]
pub struct BatchLookup<'a> {
    queries: Vec<Query>,
    candidates: Vec<Candidate>,
    found: Vec<Option<IndexHit<'a>>>,
}

#[derive(Clone, Copy, Debug)]
struct Query {
    board: Board,
    hash: u64,
    places: HashPlaces,
    slot: u64,
}

/// A query with a possible record.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    queries: usize,
    offset: usize,
}

impl<'a> BatchLookup<'a> {
    /// Adds a board, in the orientation of the book: canonical, if that is sound.
    #[inline]
    pub fn push(&mut self, index: &EdaxIndex<'a>, board: Board) {
        let hash = hash(board);
        self.queries.push(Query {
            board,
            hash,
            places: index.perfect.prefetch(hash),
            slot: NONE,
        });
    }

    /// Resolves all boards, in the order in which they were pushed, and empties the batch.
    pub fn resolve(&mut self, index: &EdaxIndex<'a>) -> &[Option<IndexHit<'a>>] {
        for queries in &mut self.queries {
            queries.slot = index.perfect.number(queries.hash, queries.places);
        }
        for queries in &self.queries {
            index.slots.prefetch(queries.slot);
        }
        for (n, &Query { hash, slot, .. }) in self.queries.iter().enumerate() {
            let offset = match slot {
                NONE => None,
                slot => index.slots.offset(slot, hash),
            };
            // Pushed and popped again without an unpredictable branch.
            self.candidates.push(Candidate {
                queries: n,
                offset: offset.unwrap_or(0) as usize,
            });
            let count = self.candidates.len() - usize::from(offset.is_none());
            self.candidates.truncate(count);
        }
        for candidate in &self.candidates {
            index.prefetch(candidate.offset);
        }
        self.found.clear();
        self.found.resize(self.queries.len(), None);
        for &Candidate { queries: n, offset } in &self.candidates {
            let queries = &self.queries[n];
            self.found[n] = index.record_of(queries.slot, offset, queries.board);
        }
        if index.has_others() {
            for (found, queries) in self.found.iter_mut().zip(&self.queries) {
                *found = found.or_else(|| index.find_other(queries.board));
            }
        }
        self.queries.clear();
        self.candidates.clear();
        &self.found
    }
}
