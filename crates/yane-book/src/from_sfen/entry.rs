//! A position of the book that is being made.

use shogi_core::Move16;

use super::occurrence::Occurrence;
use crate::db::{LineEnd, push_move_line, push_position_line};
use crate::{BookMove, sort_moves};

/// The depth that books made from records say.
const DEPTH: i32 = 32;

/// A position with what was played there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The SFEN without its move number.
    pub(super) position: Vec<u8>,
    pub(super) ply: u32,
    /// In the order in which they were first played.
    pub(super) moves: Vec<Occurrence>,
}

impl Entry {
    /// Takes over what was read later about the same position.
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

    /// Appends everything but the position as bytes for a sorter.
    pub(super) fn push_body(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.ply.to_le_bytes());
        for played in &self.moves {
            out.extend_from_slice(&played.mv.0.to_le_bytes());
            out.extend_from_slice(&played.ponder.0.to_le_bytes());
            out.extend_from_slice(&played.count.to_le_bytes());
        }
    }

    /// What [`Self::push_body`] wrote.
    pub(super) fn from_bytes(position: &[u8], body: &[u8]) -> Self {
        let (ply, moves) = body.split_first_chunk().unwrap_or((&[0; 4], &[]));
        let (moves, _) = moves.as_chunks();
        let played = |&[a, b, c, d, count @ ..]: &[u8; 8]| Occurrence {
            mv: Move16(u16::from_le_bytes([a, b])),
            ponder: Move16(u16::from_le_bytes([c, d])),
            count: u32::from_le_bytes(count),
        };
        Self {
            position: position.to_vec(),
            ply: u32::from_le_bytes(*ply),
            moves: moves.iter().map(played).collect(),
        }
    }

    /// Appends the lines of a book: the position, then the moves, the most frequent first.
    pub(super) fn push_lines(&self, out: &mut Vec<u8>, line_end: LineEnd) {
        push_position_line(out, &self.position, self.ply, line_end);
        let mut moves: Vec<_> = self.moves.iter().copied().map(book_move).collect();
        sort_moves(&mut moves);
        for mv in &moves {
            push_move_line(out, mv);
            out.extend_from_slice(line_end.bytes());
        }
    }
}

fn book_move(played: Occurrence) -> BookMove {
    BookMove {
        mv: Some(played.mv),
        ponder: Some(played.ponder),
        eval: 0,
        depth: DEPTH,
        count: played.count.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ply: u32, moves: &[(u16, u16, u32)]) -> Entry {
        let moves = moves.iter().map(|&(mv, ponder, count)| Occurrence {
            mv: Move16(mv),
            ponder: Move16(ponder),
            count,
        });
        Entry {
            position: b"position".to_vec(),
            ply,
            moves: moves.collect(),
        }
    }

    #[test]
    fn bytes_say_everything() {
        let entry = entry(7, &[(1, 2, 3), (0xffff, 0x1234, u32::MAX)]);
        let mut body = Vec::new();
        entry.push_body(&mut body);
        assert_eq!(Entry::from_bytes(&entry.position, &body), entry);
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
