//! What the output format asks of a position.

use shogi_core::{PackedSfen, Position};
use shogi_packed::Packing as _;

use super::OutOfRange;
use crate::db::Fault;
use crate::ybb::MoveDepths;
use crate::{BookMove, Format, add_move, apery};

/// The format to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) format: Format,
    pub(super) depths: MoveDepths,
    pub(super) out_of_range: OutOfRange,
}

/// Bytes of Apery's key at the start of a sorting key.
pub(super) const APERY_KEY: usize = 8;

impl Target {
    /// Puts the bytes by which the position is sorted into `key`. They tell positions apart whatever
    /// the ply.
    pub(super) fn key(self, position: &Position, key: &mut Vec<u8>) -> Result<(), Fault> {
        key.clear();
        match self.format {
            Format::Db => key.extend_from_slice(position.to_sfen_without_ply().as_bytes()),
            Format::Ybb => {
                let packed = PackedSfen::pack(position).map_err(|_| Fault::Expected {
                    expected: "a position with both kings",
                    found: position.to_sfen(),
                })?;
                key.extend_from_slice(&packed.0);
            }
            Format::Apery => {
                key.extend_from_slice(&apery::key(position).to_be_bytes());
                key.extend_from_slice(&position.key128().to_be_bytes());
            }
        }
        Ok(())
    }

    /// Adds a move to those of its position. Only Apery's format has counts that add up; `.db` and
    /// `.ybb` books keep each line about a move as they do in the field's tools.
    pub(super) fn join(self, moves: &mut Vec<BookMove>, new: BookMove) {
        match self.format {
            Format::Apery => add_move(moves, new),
            Format::Db | Format::Ybb => moves.push(new),
        }
    }

    /// Makes the ply fit.
    pub(super) fn fit_ply(self, ply: &mut u32) -> Result<(), Fault> {
        if self.format != Format::Ybb || u16::try_from(*ply).is_ok() {
            return Ok(());
        }
        if self.out_of_range == OutOfRange::Refuse {
            return Err(Fault::Expected {
                expected: "a ply of 0 to 65535",
                found: ply.to_string(),
            });
        }
        *ply = u16::MAX.into();
        Ok(())
    }

    /// Makes the numbers of a move fit.
    pub(super) fn fit_move(self, book_move: &mut BookMove) -> Result<(), Fault> {
        if self.format != Format::Ybb {
            return Ok(());
        }
        let eval = book_move.eval.clamp(i16::MIN.into(), i16::MAX.into());
        let depth = match self.depths {
            MoveDepths::Stored => book_move.depth.clamp(0, u16::MAX.into()),
            MoveDepths::Omitted => 0,
        };
        if self.out_of_range == OutOfRange::Refuse {
            if eval != book_move.eval {
                return Err(Fault::Expected {
                    expected: "a value of -32768 to 32767",
                    found: book_move.eval.to_string(),
                });
            }
            if depth != book_move.depth && self.depths == MoveDepths::Stored {
                return Err(Fault::Expected {
                    expected: "a depth of 0 to 65535",
                    found: book_move.depth.to_string(),
                });
            }
        }
        (book_move.eval, book_move.depth) = (eval, depth);
        Ok(())
    }
}
