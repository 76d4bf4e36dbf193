//! Positions as records of either program.

use othello_core::{Board, State};

use crate::Edge;
use crate::convert::record_of;
use crate::edax::{EdaxRecord, EdaxRecordRef};
use crate::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use crate::files::side_car::check_number;
use crate::store::{Bounds, GameCounts, PositionData, canonicalized};

/// The length of a record of Egaroucid before its links, which only old books have.
const ENTRY: usize = 25;

/// A position as a record of either program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BookPosition {
    Edax(EdaxRecord),
    Egaroucid(EgaroucidRecord),
}

impl BookPosition {
    pub(crate) const fn board(&self) -> Board {
        match self {
            Self::Edax(record) => record.board,
            Self::Egaroucid(entry) => entry.board,
        }
    }

    pub(crate) fn known(&self) -> PositionData {
        match self {
            Self::Edax(record) => record.into(),
            Self::Egaroucid(entry) => entry.into(),
        }
    }

    /// The position on its canonical board.
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
                entry.leaf = canonicalized(entry.board, (&*entry).into()).1.leaf;
                entry.board = canonical.board;
                entry.links.iter_mut().for_each(turn);
            }
        }
        self
    }

    /// Appends the encoding that [`decode`](Self::decode) reads.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Edax(record) => {
                out.push(0);
                record.write_to(out);
            }
            Self::Egaroucid(entry) => {
                out.push(1);
                entry.write_to(EgaroucidVersion::Egbk3, out);
                for link in &entry.links {
                    out.extend([link.score as u8, link.number]);
                }
            }
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (kind, bytes) = bytes.split_first()?;
        if *kind == 0 {
            let record = EdaxRecordRef::framed(bytes, 0).ok()?;
            return Some(Self::Edax(record.to_record()));
        }
        let (entry, links) = bytes.split_at_checked(ENTRY)?;
        let mut entry = EgaroucidRecord::read(EgaroucidVersion::Egbk3, entry).ok()?;
        let links = links.chunks_exact(2).map(|pair| Edge {
            score: pair[0] as i8,
            number: pair[1],
        });
        entry.links = links.collect();
        Some(Self::Egaroucid(entry))
    }

    /// Returns whether a book of Egaroucid can hold the position.
    pub(crate) fn fits_egaroucid(&self) -> bool {
        let known = self.known();
        known.has_value() && self.board().state() != State::Pass
    }

    /// The data of this position of a side-car, and the games of `now`, the data of the book: a position of Egaroucid has none.
    pub(crate) fn restored(&self, now: PositionData) -> PositionData {
        match self {
            Self::Edax(_) => self.known(),
            Self::Egaroucid(_) => PositionData {
                games: now.games,
                ..self.known()
            },
        }
    }

    /// Returns whether this position of a book is what was made of `side`, the other program's position in its
    /// side-car.
    pub(crate) fn is_derived_from(&self, side: &SideCarPosition) -> bool {
        match (self, &side.position) {
            (Self::Egaroucid(entry), Self::Edax(record)) => {
                let made = PositionData::from(record).entry(entry.board);
                made == *entry
            }
            (Self::Edax(record), Self::Egaroucid(entry)) => match side.check {
                Some(check) => !side.left_out && check == check_number(record),
                None => is_derived_from(record, entry),
            },
            _ => false,
        }
    }
}

/// Returns whether a record is what was written for a position of a side-car without check sums.
fn is_derived_from(record: &EdaxRecord, entry: &EgaroucidRecord) -> bool {
    let made = record_of(entry.board, &entry.into(), None);
    let known = PositionData::from(record);
    let untouched = known.games == GameCounts::default() && known.bounds == Bounds::default();
    let same = (record.value, record.level, record.lines) == (made.value, made.level, made.lines);
    let is_link = |edge: Edge| record.links.iter().any(|link| link.number == edge.number);
    let leaf = if made.leaf.mv().is_some() && !is_link(made.leaf) {
        // Or it was a link, and became the leaf again as the worst one.
        record.leaf == made.leaf || record.leaf.number == made.leaf.number && is_made_up(record)
    } else {
        record.leaf.number == Edge::NONE || is_made_up(record)
    };
    untouched && same && leaf
}

/// Returns whether a leaf may be the worst link, made a leaf because Edax demands one.
fn is_made_up(record: &EdaxRecord) -> bool {
    let least = record.links.iter().map(|link| link.score).min();
    match least {
        Some(least) => record.leaf.score <= least,
        None => true,
    }
}

/// A position of a side-car.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SideCarPosition {
    pub(crate) position: BookPosition,
    /// True if it was omitted from the book because no move of it was known.
    pub(crate) left_out: bool,
    /// The check sum of the record that was written for a position of Egaroucid. Old side-cars lack it.
    pub(crate) check: Option<u32>,
    /// True if it comes back when the book lacks it.
    pub(crate) comes_back: bool,
}

impl SideCarPosition {
    /// Returns whether the book cannot hold it.
    pub(crate) fn is_unstorable(&self) -> bool {
        match self.position {
            BookPosition::Edax(_) => !self.position.fits_egaroucid(),
            BookPosition::Egaroucid(_) => self.left_out,
        }
    }
}

#[cfg(test)]
mod tests {
    use othello_core::{Game, Symmetry};

    use super::*;
    use crate::egaroucid::BookLeaf;

    fn board(moves: &str) -> Board {
        moves.parse::<Game>().unwrap().position().board()
    }

    #[test]
    fn positions_are_canonicalized_and_come_back_from_bytes() {
        let board = board("f5d6c3");
        let moves = board.legal_moves();
        let edge = |n: usize| {
            let square = moves.iter().nth(n).unwrap();
            Edge::new(n as i8, othello_core::Move::Place(square))
        };
        let entry = EgaroucidRecord {
            board,
            value: 3,
            level: 21,
            lines: 7,
            leaf: BookLeaf {
                edge: edge(0),
                level: 9,
            },
            links: vec![edge(1), edge(2)],
        };
        let record = EdaxRecord {
            links: vec![edge(1), edge(2)],
            ..record_of(board, &(&entry).into(), None)
        };
        for symmetry in Symmetry::ALL {
            let canonicalized_edge = |edge: Edge| {
                let mv = edge.mv().unwrap();
                Edge::new(edge.score, symmetry.apply(mv))
            };
            let canonicalized = EgaroucidRecord {
                board: symmetry.board(board),
                leaf: BookLeaf {
                    edge: canonicalized_edge(entry.leaf.edge),
                    ..entry.leaf
                },
                links: entry
                    .links
                    .iter()
                    .map(|&link| canonicalized_edge(link))
                    .collect(),
                ..entry
            };
            let canonicalized = BookPosition::Egaroucid(canonicalized).canonical();
            assert_eq!(
                canonicalized,
                BookPosition::Egaroucid(entry.clone()).canonical()
            );
            let canonicalized_record = EdaxRecord {
                board: symmetry.board(board),
                leaf: canonicalized_edge(record.leaf),
                links: record
                    .links
                    .iter()
                    .map(|&link| canonicalized_edge(link))
                    .collect(),
                ..record
            };
            let canonicalized_record = BookPosition::Edax(canonicalized_record).canonical();
            assert_eq!(
                canonicalized_record,
                BookPosition::Edax(record.clone()).canonical()
            );
            for position in [canonicalized, canonicalized_record] {
                let mut bytes = Vec::new();
                position.encode(&mut bytes);
                assert_eq!(BookPosition::decode(&bytes), Some(position));
            }
        }
        assert_eq!(BookPosition::decode(&[]), None);
    }
}
