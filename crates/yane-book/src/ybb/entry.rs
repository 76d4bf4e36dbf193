//! A position of a `.ybb` book with its moves.

use shogi_core::{Move16, PackedSfen, Position, UnpackError};
use shogi_packed::Packing as _;

use super::MoveDepths;
use super::header::record_offset;
use crate::BookMove;

/// A position of a book, borrowed from its file.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Which position of the book, from 0.
    pub index: u64,
    /// The position.
    pub packed: PackedSfen,
    /// Its move number.
    pub ply: u16,
    /// Where its moves begin in the file, in bytes.
    pub(super) moves_offset: u64,
    pub(super) moves: &'a [u8],
    pub(super) depths: MoveDepths,
}

impl<'a> Entry<'a> {
    /// The position with its move number.
    ///
    /// # Errors
    /// When the 32 bytes are no position.
    pub fn position(&self) -> Result<Position, UnpackError> {
        Ok(self.packed.unpack()?.with_ply(self.ply.into()))
    }

    /// Where its index record begins in the file, in bytes.
    pub const fn offset(&self) -> u64 {
        record_offset(self.index as usize) as u64
    }

    /// Where the move with this place, from 0, begins in the file, in bytes.
    pub const fn move_offset(&self, place: usize) -> u64 {
        self.moves_offset + (place * self.depths.move_len()) as u64
    }

    /// The moves in the order of the file.
    pub fn moves(&self) -> Moves<'a> {
        Moves {
            rest: self.moves,
            depths: self.depths,
        }
    }
}

/// Iterator over the moves of an [`Entry`], which may be any 16 bits: their legality is not checked.
/// Reply and count are not stored and come as `None` and 0, as does a depth that is not stored.
#[derive(Clone, Debug)]
pub struct Moves<'a> {
    rest: &'a [u8],
    depths: MoveDepths,
}

impl Iterator for Moves<'_> {
    type Item = BookMove;

    #[inline]
    fn next(&mut self) -> Option<BookMove> {
        let (bytes, rest) = self.rest.split_at_checked(self.depths.move_len())?;
        self.rest = rest;
        let &[m0, m1, e0, e1, ref depth @ ..] = bytes else {
            return None;
        };
        let code = u16::from_le_bytes([m0, m1]);
        Some(BookMove {
            mv: (code != 0).then_some(Move16(code)),
            ponder: None,
            eval: i16::from_le_bytes([e0, e1]).into(),
            depth: match *depth {
                [low, high] => u16::from_le_bytes([low, high]).into(),
                _ => 0,
            },
            count: 0,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.rest.len() / self.depths.move_len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for Moves<'_> {}
