//! Units of work: a position to be searched, what comes of it, and the bytes of that in the journal.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | 0: a position with its moves; 1: one without legal moves; 2: one that was given up |
//! | 32 | the position, packed |
//! | 2 | its ply |
//! | then, for each move: 2 | the move |
//! | 2 | the expected reply, or 0 |
//! | 2 | value |
//! | 2 | depth |
//!
//! All numbers are little-endian.

use std::hash::{Hash, Hasher};

use shogi_core::{Move16, PackedSfen, Position};
use yane_book::BookMove;

/// The value of a move that mates.
pub(super) const MATES: i16 = 31_999;

/// A position to be searched.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    key: u128,
    position: Position,
}

impl Leaf {
    pub(super) fn new(position: Position) -> Self {
        Self {
            key: position.key128(),
            position,
        }
    }

    /// Its key.
    pub(super) const fn key(&self) -> u128 {
        self.key
    }

    /// The position.
    pub(super) const fn position(&self) -> &Position {
        &self.position
    }
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Leaf {}

impl Hash for Leaf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// What came of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All its legal moves, with values.
    Moves(Vec<BookMove>),
    /// There is no legal move.
    Mated,
    /// Engines failed again and again.
    GivenUp,
}

/// The bytes of a unit.
pub(super) fn encode(leaf: &Leaf, outcome: &Outcome) -> Option<Vec<u8>> {
    let packed = PackedSfen::encode(&leaf.position).ok()?;
    let (kind, moves) = match outcome {
        Outcome::Moves(moves) => (0, &moves[..]),
        Outcome::Mated => (1, &[][..]),
        Outcome::GivenUp => (2, &[][..]),
    };
    let mut bytes = vec![kind];
    bytes.extend_from_slice(&packed.0);
    let ply = u16::try_from(leaf.position.ply()).unwrap_or(u16::MAX);
    bytes.extend_from_slice(&ply.to_le_bytes());
    for known in moves {
        let bits = |mv: Option<Move16>| mv.map_or(0, |mv| mv.0);
        for word in [
            bits(known.mv),
            bits(known.ponder),
            known.eval as i16 as u16,
            known.depth as u16,
        ] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }
    Some(bytes)
}

/// A unit from its bytes; `None` when they are none.
pub(super) fn decode(bytes: &[u8]) -> Option<(Leaf, Outcome)> {
    let (&kind, rest) = bytes.split_first()?;
    let (packed, rest) = rest.split_first_chunk::<32>()?;
    let (ply, rest) = rest.split_first_chunk::<2>()?;
    let position = PackedSfen(*packed).decode().ok()?;
    let leaf = Leaf::new(position.with_ply(u16::from_le_bytes(*ply).into()));
    let (moves, []) = rest.as_chunks::<8>() else {
        return None;
    };
    let book_move = |bytes: &[u8; 8]| {
        let [mv, ponder, eval, depth] =
            [0, 2, 4, 6].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let named = |bits| (bits != 0).then_some(Move16(bits));
        BookMove {
            mv: named(mv),
            ponder: named(ponder),
            eval: i32::from(eval as i16),
            depth: depth.into(),
            count: 1,
        }
    };
    let outcome = match kind {
        0 => Outcome::Moves(moves.iter().map(book_move).collect()),
        1 => Outcome::Mated,
        2 => Outcome::GivenUp,
        _ => return None,
    };
    Some((leaf, outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_back() {
        let mv = |text| shogi_core::MoveText::from_usi(text).map(Move16::encode);
        let leaf = Leaf::new(Position::startpos().with_ply(300));
        let moves = vec![
            BookMove {
                ponder: mv("3c3d"),
                eval: -32_000,
                depth: 9,
                ..BookMove::new(mv("7g7f"))
            },
            BookMove {
                eval: 31_999,
                ..BookMove::new(mv("2g2f"))
            },
        ];
        for outcome in [Outcome::Moves(moves), Outcome::Mated, Outcome::GivenUp] {
            let bytes = encode(&leaf, &outcome).unwrap();
            let (again, found) = decode(&bytes).unwrap();
            assert_eq!(again.position().to_sfen(), leaf.position().to_sfen());
            assert_eq!((again, &found), (leaf.clone(), &outcome));
            for len in 0..bytes.len() {
                let cut = decode(&bytes[..len]);
                assert!(cut.is_none() || len % 8 == 35 % 8, "{len}");
            }
        }
        assert_eq!(decode(&[9; 35]), None);
    }
}
