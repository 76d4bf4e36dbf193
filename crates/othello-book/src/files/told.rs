//! A position as its book tells it.

use othello_core::{Board, State};

use super::side::{Aside, check_number};
use crate::Edge;
use crate::convert::record_of;
use crate::edax::{Record, RecordRef};
use crate::egaroucid::{Entry, Version};
use crate::store::{Bounds, Games, Known, turned};

/// Bytes of an entry before its links, which only old books have.
const ENTRY: usize = 25;

/// A position as its book tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Edax(Record),
    Egaroucid(Entry),
}

impl Told {
    pub(crate) const fn board(&self) -> Board {
        match self {
            Self::Edax(record) => record.board,
            Self::Egaroucid(entry) => entry.board,
        }
    }

    pub(crate) fn known(&self) -> Known {
        match self {
            Self::Edax(record) => record.into(),
            Self::Egaroucid(entry) => entry.into(),
        }
    }

    /// On the canonical board.
    pub(crate) fn canonical(mut self) -> Self {
        let canonical = self.board().canonical();
        if canonical.board == self.board() {
            return self;
        }
        let turn = |edge: &mut Edge| {
            if let Some(mv) = edge.mv() {
                *edge = Edge::new(edge.score, canonical.symmetry.apply(mv));
            }
        };
        match &mut self {
            Self::Edax(record) => {
                record.board = canonical.board;
                record.links.iter_mut().for_each(turn);
                turn(&mut record.leaf);
            }
            Self::Egaroucid(entry) => {
                entry.leaf = turned(entry.board, (&*entry).into()).1.leaf;
                entry.board = canonical.board;
                entry.links.iter_mut().for_each(turn);
            }
        }
        self
    }

    /// Appends the bytes that [`decode`](Self::decode) reads.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Edax(record) => {
                out.push(0);
                record.write_to(out);
            }
            Self::Egaroucid(entry) => {
                out.push(1);
                entry.write_to(Version::Egbk3, out);
                for link in &entry.links {
                    out.extend([link.score as u8, link.number]);
                }
            }
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (kind, bytes) = bytes.split_first()?;
        if *kind == 0 {
            let record = RecordRef::framed(bytes, 0).ok()?;
            return Some(Self::Edax(record.to_record()));
        }
        let (entry, links) = bytes.split_at_checked(ENTRY)?;
        let mut entry = Entry::read(Version::Egbk3, entry).ok()?;
        let links = links.chunks_exact(2).map(|pair| Edge {
            score: pair[0] as i8,
            number: pair[1],
        });
        entry.links = links.collect();
        Some(Self::Egaroucid(entry))
    }

    /// Whether a book of Egaroucid has room for the position at all.
    pub(crate) fn fits_egaroucid(&self) -> bool {
        let known = self.known();
        known.has_value() && self.board().state() != State::Pass
    }

    /// Whether this, as the book has it now, is what was made of `side`, as its side-car has it from the other
    /// program's book.
    pub(crate) fn is_made_of(&self, side: &Aside) -> bool {
        match (self, &side.told) {
            (Self::Egaroucid(entry), Self::Edax(record)) => {
                let made = Known::from(record).entry(entry.board);
                made == *entry
            }
            (Self::Edax(record), Self::Egaroucid(entry)) => match side.check {
                Some(check) => !side.left_out && check == check_number(record),
                None => is_made_of(record, entry),
            },
            _ => false,
        }
    }
}

/// Whether a record is what was written for an entry when side-cars had no check numbers.
fn is_made_of(record: &Record, entry: &Entry) -> bool {
    let made = record_of(entry.board, &entry.into(), None);
    let known = Known::from(record);
    let untouched = known.games == Games::default() && known.bounds == Bounds::default();
    let same = (record.value, record.level, record.lines) == (made.value, made.level, made.lines);
    let is_link = |edge: Edge| record.links.iter().any(|link| link.number == edge.number);
    let leaf = if made.leaf.mv().is_some() && !is_link(made.leaf) {
        // Or it led to a position of the book, and the move became the leaf again because it was the worst.
        record.leaf == made.leaf || record.leaf.number == made.leaf.number && is_made_up(record)
    } else {
        record.leaf.number == Edge::NONE || is_made_up(record)
    };
    untouched && same && leaf
}

/// Whether a leaf can be one that was put in because Edax must have one.
fn is_made_up(record: &Record) -> bool {
    let least = record.links.iter().map(|link| link.score).min();
    match least {
        Some(least) => record.leaf.score <= least,
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use othello_core::{Game, Symmetry};

    use super::*;
    use crate::egaroucid::Leaf;

    fn board(moves: &str) -> Board {
        moves.parse::<Game>().unwrap().position().board()
    }

    #[test]
    fn positions_are_turned_and_come_back_from_bytes() {
        let board = board("f5d6c3");
        let moves = board.legal_moves();
        let edge = |n: usize| {
            let square = moves.iter().nth(n).unwrap();
            Edge::new(n as i8, othello_core::Move::Place(square))
        };
        let entry = Entry {
            board,
            value: 3,
            level: 21,
            lines: 7,
            leaf: Leaf {
                edge: edge(0),
                level: 9,
            },
            links: vec![edge(1), edge(2)],
        };
        let record = Record {
            links: vec![edge(1), edge(2)],
            ..record_of(board, &(&entry).into(), None)
        };
        for symmetry in Symmetry::ALL {
            let turned_edge = |edge: Edge| {
                let mv = edge.mv().unwrap();
                Edge::new(edge.score, symmetry.apply(mv))
            };
            let turned = Entry {
                board: symmetry.board(board),
                leaf: Leaf {
                    edge: turned_edge(entry.leaf.edge),
                    ..entry.leaf
                },
                links: entry.links.iter().map(|&link| turned_edge(link)).collect(),
                ..entry
            };
            let turned = Told::Egaroucid(turned).canonical();
            assert_eq!(turned, Told::Egaroucid(entry.clone()).canonical());
            let turned_record = Record {
                board: symmetry.board(board),
                leaf: turned_edge(record.leaf),
                links: record.links.iter().map(|&link| turned_edge(link)).collect(),
                ..record
            };
            let turned_record = Told::Edax(turned_record).canonical();
            assert_eq!(turned_record, Told::Edax(record.clone()).canonical());
            for told in [turned, turned_record] {
                let mut bytes = Vec::new();
                told.encode(&mut bytes);
                assert_eq!(Told::decode(&bytes), Some(told));
            }
        }
        assert_eq!(Told::decode(&[]), None);
    }
}
