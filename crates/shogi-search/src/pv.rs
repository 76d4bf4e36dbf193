//! The principal variation, collected from the leaves up.

use shogi_core::Move;

use crate::MAX_PLY;

const ROWS: usize = MAX_PLY as usize + 2;

/// A triangular table: row `ply` holds the best line found from that ply on.
#[derive(Debug)]
pub(crate) struct PvTable {
    moves: Box<[Option<Move>]>,
    lengths: Box<[usize]>,
}

impl PvTable {
    pub(crate) fn new() -> Self {
        Self {
            moves: vec![None; ROWS * ROWS].into(),
            lengths: vec![0; ROWS].into(),
        }
    }

    /// No line from `ply` is known.
    #[inline]
    pub(crate) fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// The best line from `ply` is `m` followed by that from the next ply.
    pub(crate) fn set(&mut self, ply: usize, m: Move) {
        let length = self.lengths[ply + 1];
        let (upper, lower) = self.moves.split_at_mut((ply + 1) * ROWS);
        let row = &mut upper[ply * ROWS..];
        row[0] = Some(m);
        row[1..=length].copy_from_slice(&lower[..length]);
        self.lengths[ply] = length + 1;
    }

    /// The line from `ply`.
    pub(crate) fn line(&self, ply: usize) -> impl Iterator<Item = Move> {
        self.moves[ply * ROWS..][..self.lengths[ply]]
            .iter()
            .copied()
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::{Piece, Square};

    #[test]
    fn lines_are_joined() {
        let a = Move::normal(Square::S7G, Square::S7F, Piece::BlackPawn);
        let b = Move::normal(Square::S3C, Square::S3D, Piece::WhitePawn);
        let mut table = PvTable::new();
        table.clear(2);
        table.set(1, b);
        table.set(0, a);
        assert_eq!(table.line(0).collect::<Vec<_>>(), [a, b]);
        table.clear(1);
        table.set(0, b);
        assert_eq!(table.line(0).collect::<Vec<_>>(), [b]);
    }
}
