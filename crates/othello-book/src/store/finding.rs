//! Boards that are looked for in an index, many at a time.
//!
//! Finding a position is waiting for memory three times: for a line of the hash, which tells a slot, for the slot, which
//! tells where the record is, and for the record. Each step is taken for all boards before the next, and what the next
//! one looks at is asked for all at once, so that the waits overlap. Lines of the hash are asked for when the board is:
//! making boards takes longer than they do to come.

use othello_core::Board;

use super::index::{Found, Index, hash};
use super::perfect::{NONE, Places};

/// Boards that are looked for, at first none, and what was found.
#[derive(Debug, Default)]
pub struct Finding<'a> {
    asked: Vec<Asked>,
    candidates: Vec<Candidate>,
    found: Vec<Option<Found<'a>>>,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    board: Board,
    hash: u64,
    places: Places,
    slot: u64,
}

/// A board that may have its record at an offset.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    asked: usize,
    offset: usize,
}

impl<'a> Finding<'a> {
    /// Looks for one more board, as it stands in the book: canonical, if that is sound.
    #[inline]
    pub fn ask(&mut self, index: &Index<'a>, board: Board) {
        let hash = hash(board);
        self.asked.push(Asked {
            board,
            hash,
            places: index.perfect.ask(hash),
            slot: NONE,
        });
    }

    /// What the index that was asked has of each board, in the order in which they were asked for. Then no board is
    /// looked for any more.
    pub fn finish(&mut self, index: &Index<'a>) -> &[Option<Found<'a>>] {
        for asked in &mut self.asked {
            asked.slot = index.perfect.number(asked.hash, asked.places);
        }
        for asked in &self.asked {
            index.slots.prefetch(asked.slot);
        }
        for (n, &Asked { hash, slot, .. }) in self.asked.iter().enumerate() {
            let offset = match slot {
                NONE => None,
                slot => index.slots.offset(slot, hash),
            };
            // Taken in and out again without a branch, which would be a coin's toss.
            self.candidates.push(Candidate {
                asked: n,
                offset: offset.unwrap_or(0) as usize,
            });
            let count = self.candidates.len() - usize::from(offset.is_none());
            self.candidates.truncate(count);
        }
        for candidate in &self.candidates {
            index.prefetch(candidate.offset);
        }
        self.found.clear();
        self.found.resize(self.asked.len(), None);
        for &Candidate { asked: n, offset } in &self.candidates {
            let asked = &self.asked[n];
            self.found[n] = index.record_of(asked.slot, offset, asked.board);
        }
        if index.has_others() {
            for (found, asked) in self.found.iter_mut().zip(&self.asked) {
                *found = found.or_else(|| index.find_other(asked.board));
            }
        }
        self.asked.clear();
        self.candidates.clear();
        &self.found
    }
}
