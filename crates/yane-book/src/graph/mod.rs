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
mod node;
pub(crate) mod order;
pub(crate) mod rewrite;
mod source;
mod starts;
mod table;
pub(crate) mod values;
mod ybb_source;

pub use index::{Index, OnFault};
pub(crate) use keys::sfen_position;
pub use keys::{Keys, View};
pub use layout::{Layout, Piece};
pub use node::{Child, Collect, LinkReport, Node};
pub use source::{DbSource, Registered, Source, SourceRecord};
pub use ybb_source::YbbSource;

pub use starts::START_SFENS;

pub(crate) use source::registered_moves;

use shogi_core::Move16;

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

/// The move on the board turned by 180 degrees.
pub const fn rotate_move(mv: Move16) -> Move16 {
    const TO: u16 = 0x7f;
    const FROM: u16 = 0x7f << 7;
    const LAST: u16 = 80;
    let to = LAST - (mv.0 & TO);
    if mv.0 & 1 << 14 != 0 {
        return Move16(mv.0 & !TO | to);
    }
    let from = LAST - ((mv.0 & FROM) >> 7);
    Move16(mv.0 & !(TO | FROM) | from << 7 | to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_turn_like_the_board() {
        for (mv, turned) in [("7g7f", "3c3d"), ("P*5d", "P*5f"), ("8h2b+", "2b8h+")] {
            let parse = |text: &str| crate::book_move::move_from_usi(text.as_bytes()).unwrap();
            assert_eq!(rotate_move(parse(mv)), parse(turned));
            assert_eq!(rotate_move(parse(turned)), parse(mv));
        }
    }
}
