//! Data collected so far: positions, the smallest move number of each, the moves played there.
//!
//! Flat arrays and one list of texts: some 110 bytes a position and 20 a move.

use hashbrown::HashTable;
use shogi_core::{Move16, Position};
use yane_io::external::Sorter;

use super::RecordScores;
use crate::book_move::RECORD_DEPTH;
use crate::db::{LineEnd, push_move_line, push_position_line};
use crate::records::MoveScore;
use crate::{BookMove, Result, sort_moves};

/// End of a chain of moves.
const NONE: u32 = u32::MAX;

/// Positions with their moves.
#[derive(Default)]
pub(super) struct Collected {
    numbers: HashTable<u32>,
    keys: Vec<u128>,
    nodes: Vec<CollectedPosition>,
    moves: Vec<Cell>,
    /// SFENs without move numbers, one after the other.
    texts: Vec<u8>,
}

#[derive(Clone, Copy)]
struct CollectedPosition {
    /// Place where the text begins.
    text: u32,
    ply: u32,
    /// First and last of the chain of moves.
    first: u32,
    last: u32,
}

/// A move in the chain of its position.
#[derive(Clone, Copy)]
struct Cell {
    occurrence: Occurrence,
    next: u32,
}

impl Collected {
    /// Notes that a move was played in `position`.
    pub(super) fn add(&mut self, position: &Position, played: Occurrence) {
        let text = |out: &mut Vec<u8>| position.push_sfen_without_ply(out);
        self.insert(position.key128(), position.ply(), text, played);
    }

    /// Merges data that was read after all data here.
    pub(super) fn absorb(&mut self, later: &Self) {
        for (number, node) in later.nodes.iter().enumerate() {
            for occurrence in later.chain(node) {
                let text = |out: &mut Vec<u8>| out.extend_from_slice(later.text(number));
                self.insert(later.keys[number], node.ply, text, occurrence);
            }
        }
    }

    /// Returns whether there is no position.
    pub(super) const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns whether memory of so many bytes is used up when this is sorted and written.
    pub(super) fn is_full(&self, memory: u64) -> bool {
        // Of the hash table, half of whose slots may be empty.
        const SLOT: usize = 10;
        let node = size_of::<u128>() + size_of::<CollectedPosition>() + SLOT;
        let used = self.nodes.len() * node + self.moves.len() * size_of::<Cell>();
        // Offsets and numbers have 32 bits, and one more piece must fit in.
        let limit = memory.min(u64::from(u32::MAX) - (1 << 28));
        (used + self.texts.len()) as u64 > limit
    }

    fn insert(&mut self, key: u128, ply: u32, text: impl FnOnce(&mut Vec<u8>), played: Occurrence) {
        let keys = &self.keys;
        let same = |&number: &u32| keys[number as usize] == key;
        let number = if let Some(&number) = self.numbers.find(key as u64, same) {
            number as usize
        } else {
            let number = self.nodes.len();
            self.numbers
                .insert_unique(key as u64, number as u32, |&number| {
                    self.keys[number as usize] as u64
                });
            self.keys.push(key);
            self.nodes.push(CollectedPosition {
                text: self.texts.len() as u32,
                ply,
                first: NONE,
                last: NONE,
            });
            text(&mut self.texts);
            number
        };
        let node = &mut self.nodes[number];
        if ply < node.ply {
            (node.ply, node.first, node.last) = (ply, NONE, NONE);
        }
        if ply == node.ply {
            self.add_move(number, played);
        }
    }

    fn add_move(&mut self, number: usize, played: Occurrence) {
        let node = &mut self.nodes[number];
        let mut at = node.first;
        while at != NONE {
            let cell = &mut self.moves[at as usize];
            if cell.occurrence.mv == played.mv {
                cell.occurrence.absorb(played);
                return;
            }
            at = cell.next;
        }
        let new = self.moves.len() as u32;
        self.moves.push(Cell {
            occurrence: played,
            next: NONE,
        });
        match self.moves.get_mut(node.last as usize) {
            Some(last) => last.next = new,
            None => node.first = new,
        }
        node.last = new;
    }

    fn text(&self, number: usize) -> &[u8] {
        let start = self.nodes[number].text as usize;
        let end = self.nodes.get(number + 1);
        &self.texts[start..end.map_or(self.texts.len(), |node| node.text as usize)]
    }

    fn chain(&self, node: &CollectedPosition) -> impl Iterator<Item = Occurrence> {
        let mut at = node.first;
        std::iter::from_fn(move || {
            let cell = self.moves.get(at as usize)?;
            at = cell.next;
            Some(cell.occurrence)
        })
    }

    /// Hands everything to a sorter.
    pub(super) fn spill(self, sorter: &mut Sorter) -> Result<()> {
        let mut body = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            body.clear();
            push_body(node.ply, self.chain(node), &mut body);
            sorter.push(self.text(number), &body)?;
        }
        Ok(())
    }
}

/// Appends everything about a position but its text, as bytes for a sorter.
fn push_body(ply: u32, moves: impl Iterator<Item = Occurrence>, out: &mut Vec<u8>) {
    out.extend_from_slice(&ply.to_le_bytes());
    for played in moves {
        out.extend_from_slice(&played.mv.0.to_le_bytes());
        out.extend_from_slice(&played.ponder.map_or(0, |ponder| ponder.0).to_le_bytes());
        out.extend_from_slice(&played.count.to_le_bytes());
        out.extend_from_slice(&played.eval.to_le_bytes());
        out.extend_from_slice(&played.depth.to_le_bytes());
    }
}

/// A position with the moves played there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CollectedEntry {
    /// The SFEN without its move number.
    pub(super) position: Vec<u8>,
    pub(super) ply: u32,
    /// In the order in which they were first played.
    pub(super) moves: Vec<Occurrence>,
}

impl CollectedEntry {
    /// Merges data that was read later about the same position.
    pub(super) fn join(&mut self, later: Self) {
        if later.ply < self.ply {
            *self = later;
        } else if later.ply == self.ply {
            for played in later.moves {
                match self.moves.iter_mut().find(|known| known.mv == played.mv) {
                    Some(known) => known.absorb(played),
                    None => self.moves.push(played),
                }
            }
        }
    }

    /// Returns what [`push_body`] wrote.
    pub(super) fn from_bytes(position: &[u8], body: &[u8]) -> Self {
        let (ply, moves) = body.split_first_chunk().unwrap_or((&[0; 4], &[]));
        let (moves, _) = moves.as_chunks();
        let played = |bytes: &[u8; 16]| {
            let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            let word = |at: usize| std::array::from_fn(|i| bytes[at + i]);
            Occurrence {
                mv: Move16(half(0)),
                ponder: (half(2) != 0).then_some(Move16(half(2))),
                count: u32::from_le_bytes(word(4)),
                eval: i32::from_le_bytes(word(8)),
                depth: i32::from_le_bytes(word(12)),
            }
        };
        Self {
            position: position.to_vec(),
            ply: u32::from_le_bytes(*ply),
            moves: moves.iter().map(played).collect(),
        }
    }

    /// Number of moves with a score.
    pub(super) fn scored(&self) -> u64 {
        self.moves
            .iter()
            .filter(|played| played.has_score())
            .count() as u64
    }

    /// Appends the lines of a book: the position, then the moves, the most frequent first.
    pub(super) fn push_lines(&self, scores: RecordScores, out: &mut Vec<u8>, line_end: LineEnd) {
        push_position_line(out, &self.position, self.ply, line_end);
        let mut moves: Vec<_> = self
            .moves
            .iter()
            .copied()
            .map(|played| played.book_move(scores))
            .collect();
        sort_moves(&mut moves);
        for mv in &moves {
            push_move_line(out, mv);
            out.extend_from_slice(line_end.bytes());
        }
    }
}

/// Depth of a move whose record has no score.
const NO_SCORE: i32 = i32::MIN;

/// A move with its latest reply, how often it was played, and the deepest score that records have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) mv: Move16,
    pub(super) ponder: Option<Move16>,
    pub(super) count: u32,
    /// For the side that plays the move; 0 without a score.
    eval: i32,
    /// −1 when the record does not say it; [`NO_SCORE`] without a score.
    depth: i32,
}

impl Occurrence {
    pub(super) const fn new(mv: Move16, ponder: Option<Move16>) -> Self {
        Self {
            mv,
            ponder,
            count: 1,
            eval: 0,
            depth: NO_SCORE,
        }
    }

    pub(super) fn with_score(self, score: Option<MoveScore>) -> Self {
        let Some(MoveScore { eval, depth }) = score else {
            return self;
        };
        Self {
            eval,
            depth: depth.unwrap_or(-1),
            ..self
        }
    }

    const fn has_score(&self) -> bool {
        self.depth != NO_SCORE
    }

    /// The same move was played later, too.
    pub(super) fn absorb(&mut self, later: Self) {
        self.count = self.count.saturating_add(later.count);
        self.ponder = later.ponder.or(self.ponder);
        if later.depth > self.depth {
            (self.eval, self.depth) = (later.eval, later.depth);
        }
    }

    fn book_move(self, scores: RecordScores) -> BookMove {
        let (eval, depth) = match scores {
            RecordScores::Ignore => (0, RECORD_DEPTH),
            RecordScores::Take => (self.eval, self.depth.max(0)),
        };
        BookMove {
            mv: Some(self.mv),
            ponder: self.ponder,
            eval,
            depth,
            count: self.count.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Move16;

    use super::*;

    #[test]
    fn only_the_smallest_move_number_counts() {
        let at = |ply| Position::startpos().with_ply(ply);
        let mut first = Collected::default();
        let occurrence = |mv, ponder| Occurrence::new(Move16(mv), Some(Move16(ponder)));
        first.add(&at(3), occurrence(1, 2));
        first.add(&at(2), occurrence(3, 4));
        first.add(&at(5), occurrence(5, 6));
        first.add(&at(2), occurrence(7, 8));
        let mut all = Collected::default();
        all.absorb(&first);
        all.add(&at(2), occurrence(3, 9));
        all.absorb(&first);
        assert_eq!((all.nodes.len(), all.nodes[0].ply), (1, 2));
        let moves: Vec<_> = all.chain(&all.nodes[0]).collect();
        let counted = |played, count| Occurrence { count, ..played };
        let expected = [counted(occurrence(3, 4), 3), counted(occurrence(7, 8), 2)];
        assert_eq!(moves, expected);
    }

    fn entry(ply: u32, moves: &[(u16, u16, u32)]) -> CollectedEntry {
        let moves = moves.iter().map(|&(mv, ponder, count)| Occurrence {
            count,
            ..Occurrence::new(Move16(mv), Some(Move16(ponder)))
        });
        CollectedEntry {
            position: b"position".to_vec(),
            ply,
            moves: moves.collect(),
        }
    }

    #[test]
    fn bytes_say_everything() {
        let entry = entry(7, &[(1, 2, 3), (0xffff, 0x1234, u32::MAX)]);
        let mut body = Vec::new();
        push_body(entry.ply, entry.moves.iter().copied(), &mut body);
        assert_eq!(CollectedEntry::from_bytes(&entry.position, &body), entry);
    }

    #[test]
    fn the_deepest_score_stays() {
        let score = |eval, depth| {
            let played = Occurrence::new(Move16(1), None);
            played.with_score(Some(MoveScore { eval, depth }))
        };
        let mut all = Occurrence::new(Move16(1), Some(Move16(2)));
        for later in [
            score(-102, Some(21)),
            score(-72, Some(31)),
            score(5, Some(31)),
            score(9, None),
        ] {
            all.absorb(later);
        }
        let known = all.book_move(RecordScores::Take);
        assert_eq!((known.eval, known.depth, known.count), (-72, 31, 5));
        assert_eq!(known.ponder, Some(Move16(2)));
        let plain = all.book_move(RecordScores::Ignore);
        assert_eq!((plain.eval, plain.depth), (0, 32));
        // A score without depth is better than none.
        let mut none = Occurrence::new(Move16(1), None);
        assert_eq!(none.book_move(RecordScores::Take).depth, 0);
        none.absorb(score(7, None));
        let known = none.book_move(RecordScores::Take);
        assert_eq!((known.eval, known.depth, none.has_score()), (7, 0, true));
    }

    #[test]
    fn parts_read_one_after_the_other_are_as_one() {
        let mut all = entry(3, &[(1, 1, 1)]);
        all.join(entry(2, &[(5, 6, 7), (1, 2, 3)]));
        all.join(entry(3, &[(9, 9, 9)]));
        all.join(entry(2, &[(1, 4, 10), (8, 8, 1)]));
        assert_eq!(all, entry(2, &[(5, 6, 7), (1, 4, 13), (8, 8, 1)]));
    }
}
