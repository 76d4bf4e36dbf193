//! Many packed positions at a time.

use crate::form::Form;
use crate::level::{Level, Steps};
use crate::moves::Moves;
use crate::placement::{Few, Placement, why_not};
use crate::wide::head;
use crate::{FEW, MANY};
use shogi_core::Color;
use shogi_core::{PackError, UnpackError};

/// A packed position that was read, checked and written again, in the same form or the other one.
#[derive(Clone, Copy, Debug)]
pub struct Repacked<'a> {
    /// The position, hands and box in canonical order.
    pub bytes: &'a [u8; 32],
    /// The player to move.
    pub side: Color,
    /// The move that was asked about, if it is one and legal: the bits of [`Move16`](shogi_core::Move16) with a
    /// position in YaneuraOu's form, those of [`AperyMove16`](shogi_core::AperyMove16) with one in Apery's.
    pub code: Option<u16>,
}

/// Reads the positions that records begin with, checks them and the moves that `code` finds in the records,
/// writes both in the form `to`, and hands all that on in order.
///
/// Each step is done for several before the next one: what one of them waits for, the others need not.
pub(crate) fn each<const N: usize>(
    level: Level,
    records: &[[u8; N]],
    [from, to]: [&'static Form; 2],
    code: impl Fn(&[u8; N]) -> u16,
    mut f: impl FnMut(&[u8; N], Result<Repacked<'_>, UnpackError>),
) {
    let mut steps = Box::new(Steps::NONE);
    let mut read = Few {
        moves: Moves::NONE,
        placements: std::array::from_fn(|_| Placement::empty()),
        good: [false; FEW],
        legal: [false; FEW],
        written: [[0; 32]; FEW],
        is_written: [false; FEW],
    };
    for some in records.chunks(MANY) {
        let padded;
        let many = if let Ok(many) = some.try_into() {
            many
        } else {
            let mut last = [[0; N]; MANY];
            last[..some.len()].copy_from_slice(some);
            padded = last;
            &padded
        };
        for (i, few) in some.chunks(FEW).enumerate() {
            let records = many.as_chunks::<FEW>().0;
            let codes = records[i].each_ref().map(&code);
            level.read_moves(&mut read.moves, codes, [from.moves, to.moves]);
            level.read_few(many, i, from, &mut steps, &mut read);
            level.write_few(&mut read, to);
            for (i, record) in few.iter().enumerate() {
                // One call of `f`, so that it becomes part of the loop.
                let repacked = if !read.good[i] {
                    Err(why_not(head(record), from))
                } else if !read.is_written[i] && write_seldom(&mut read, i, to).is_err() {
                    Err(UnpackError::MissingKing)
                } else {
                    Ok(Repacked {
                        bytes: &read.written[i],
                        side: read.placements[i].side_to_move(),
                        code: read.legal[i].then_some(read.moves.written[i]),
                    })
                };
                f(record, repacked);
            }
        }
    }
}

/// Fails for a position without a king, which was read from 32 bytes that leave out pieces of the box.
#[cold]
#[inline(never)]
fn write_seldom(read: &mut Few, i: usize, form: &Form) -> Result<(), PackError> {
    read.placements[i].write_any(form, &mut read.written[i])
}
