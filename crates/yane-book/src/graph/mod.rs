//! The book graph: which moves of a book lead to which of its positions.
//!
//! A book with millions of positions is read twice, in pieces and on several threads, and never held
//! as text:
//!
//! 1. [`Index::build`] takes the 128-bit key of every position and puts the keys in a table.
//! 2. [`Index::link`] reads the book again, generates the legal moves of every position with the
//!    keys of the positions after them ([`shogi_core::Position::generate_with_keys`]), and looks
//!    these up. Nearly all are not in the book, which a small bit filter tells at once. What a move
//!    says and where it leads goes to a [`Collect`], which keeps the columns it needs.
//!
//! A [`NodeId`] is the number of the position in the file, from 0, so that results can be written
//! back in one more reading of the file.
//!
//! Two different positions with one 128-bit key would be taken for one; among a thousand million
//! positions the odds of that are about one in 10^21.

mod index;
mod keys;
mod link;
pub(crate) mod rewrite;
mod source;
pub(crate) mod values;

use shogi_core::{HandKind, Move, PieceKind, Position};

pub use index::{Index, Layout, NumberedChunk};
pub(crate) use keys::sfen_position;
pub use keys::{Keys, View};
pub use link::{Child, Collect, LinkReport, Node};
pub(crate) use source::registered_moves;
pub use source::{DbSource, GraphSource, Registered, SourceRecord, YbbSource};

/// Number of a position in its book, from 0 in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number, for arrays with a place for every position.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Identity of two entries of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// When board, side to move and hands agree, whatever the move number. Moves of later entries
    /// are added to those of the first ([`crate::add_move`]), which is the node.
    Position,
    /// When the move numbers agree too. A move leads to a position only if that has the next number.
    PositionAndPly,
    /// When they agree or become equal by turning the board by 180 degrees and exchanging the
    /// players. Every entry is a node of its own, with its own moves, of which the first line of each
    /// counts; moves lead to the last of the entries of a position.
    UpToFlip,
}

/// SFENs of the even game and the usual handicaps, with the move number 1: even, lance, right lance,
/// bishop, rook, rook and lance, two to six pieces, left five, eight, ten pieces, and the naked king
/// with three pawns in hand.
pub const START_SFENS: [&str; 15] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1",
];

// The order in which the field's programs generate moves.
//
// It shows in books where moves are equal: the first of the best is the one expected, and equal moves
// are written in this order. Pieces of a kind go together, the weaker kinds first; drops come last.
// (The order of YaneuraOu, but for positions with moves that would leave the king in check, which that
// program generates and then replaces by the last ones.)

/// Returns where `m` stands among the legal moves of `position`: sorts them.
pub(crate) fn customary_order(position: &Position, m: Move) -> u32 {
    let us = position.side_to_move();
    let to = m.to() as u32;
    let Some(from) = m.from() else {
        return drop_order(position, m);
    };
    let pack = |group: u32, from: u32, stage: u32| {
        group << 20 | from << 12 | stage << 10 | to << 2 | u32::from(!m.is_promotion())
    };
    let in_zone = from.is_promotion_zone(us);
    // Pieces that may promote where they arrive go there first.
    let far = u32::from(!in_zone && !m.to().is_promotion_zone(us));
    let from = from as u32;
    match m.piece_before().kind() {
        PieceKind::King if position.in_check() => pack(0, from, 0),
        PieceKind::Pawn => pack(1, 0, 0),
        PieceKind::Lance => pack(2, from, u32::from(!m.is_promotion())),
        PieceKind::Knight => pack(3, from, 0),
        PieceKind::Silver => pack(4, from, far),
        PieceKind::Bishop | PieceKind::Rook => pack(5, from, far),
        _ => pack(6, from, 0),
    }
}

/// Pawns first, other kinds square by square. With a knight or lance in hand the two far ranks, where
/// these may not be dropped, come first.
fn drop_order(position: &Position, m: Move) -> u32 {
    let us = position.side_to_move();
    let hand = position.hand(us);
    let to = m.to() as u32;
    let rank = m.to().rank().distance_to_edge(us) as u32;
    let kind = match m.dropped() {
        Some(HandKind::Pawn) | None => return 7 << 20 | to << 2,
        Some(HandKind::Knight) => 0,
        Some(HandKind::Lance) => 1,
        Some(HandKind::Silver) => 2,
        Some(HandKind::Gold) => 3,
        Some(HandKind::Bishop) => 4,
        Some(HandKind::Rook) => 5,
    };
    let staged = hand.has(HandKind::Knight) || hand.has(HandKind::Lance);
    let stage = if staged { rank.min(2) } else { 0 };
    8 << 20 | stage << 12 | to << 3 | kind
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;
    use shogi_core::movegen::LegalAll;

    use super::*;

    #[test]
    fn starts_are_positions() {
        for sfen in START_SFENS {
            assert_eq!(Position::from_sfen(sfen).unwrap().to_sfen(), sfen);
        }
        assert_eq!(START_SFENS[0], Position::STARTPOS_SFEN);
    }

    #[test]
    fn moves_are_in_the_customary_order() {
        for (sfen, start) in [
            (
                Position::STARTPOS_SFEN,
                "1g1f 2g2f 3g3f 4g4f 5g5f 6g6f 7g7f 8g8f 9g9f 1i1h 9i9h 3i3h 3i4h",
            ),
            (
                "9/9/4k4/9/9/9/9/9/4K4 b PLNS 1",
                "5i4h 5i4i 5i5h 5i6h 5i6i P*1b P*1c P*1d",
            ),
            (
                "7k1/9/9/P3S4/9/9/9/9/L3K4 b - 1",
                "9d9c+ 9d9c 9i9e 9i9f 9i9g 9i9h 5d4c+ 5d4c",
            ),
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            let mut moves = position.moves::<LegalAll>();
            moves.sort_by_key(|&m| customary_order(&position, m));
            let moves: Vec<_> = moves.iter().map(ToString::to_string).collect();
            assert!(moves.join(" ").starts_with(start), "{moves:?}");
        }
    }

    #[test]
    fn no_two_moves_stand_in_one_place() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
        let position = Position::from_sfen(sfen).unwrap();
        let moves = position.moves::<LegalAll>();
        let mut places: Vec<_> = moves
            .iter()
            .map(|&m| customary_order(&position, m))
            .collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), moves.len());
    }
}
