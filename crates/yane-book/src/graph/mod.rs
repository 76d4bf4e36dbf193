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

mod group;
mod index;
mod keys;
mod layout;
mod link;
pub(crate) mod order;
pub(crate) mod rewrite;
mod source;
mod table;
pub(crate) mod values;

pub use index::Index;
pub(crate) use keys::sfen_position;
pub use keys::{Keys, View};
pub use layout::{Layout, NumberedChunk};
pub use link::{Child, Collect, LinkReport, Node};
pub use source::YbbSource;
pub(crate) use source::registered_moves;
pub use source::{DbSource, GraphSource, Registered, SourceRecord};

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

/// When two entries of a book are the same position.
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

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;

    #[test]
    fn starts_are_positions() {
        for sfen in START_SFENS {
            assert_eq!(Position::from_sfen(sfen).unwrap().to_sfen(), sfen);
        }
        assert_eq!(START_SFENS[0], Position::STARTPOS_SFEN);
    }
}
