//! The fastest way that the processor knows.

use crate::attack;
use crate::board::{self, Sets, Squares};
use crate::form::Form;
use crate::legal::{self, Look};
use crate::moves::{MoveForm, Moves, Shift};
use crate::placement::{Few, Placement, Way};
use crate::{FEW, MANY};
use crate::{plain, wide};
use shogi_core::PackError;
use shogi_core::Position;

#[cfg(target_arch = "x86_64")]
use crate::x86;

/// Packs a position into `bytes`.
#[inline]
pub(crate) fn encode(
    position: &Position,
    form: &Form,
    bytes: &mut [u8; 32],
) -> Result<(), PackError> {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx2::detect() {
        return x86::encode(features, position, form, bytes);
    }
    *bytes = plain::encode(position, form)?;
    Ok(())
}

/// Reads and checks a packed position; `false` when it is none.
#[inline]
pub(crate) fn read(bytes: &[u8; 32], form: &'static Form, placement: &mut Placement) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(features) = x86::Avx512::detect() {
            return x86::read_512(features, bytes, form, placement);
        }
        if let Some(features) = x86::Avx2::detect() {
            return x86::read(features, bytes, form, placement);
        }
    }
    read_plain(bytes, form, placement)
}

/// What reading many positions leaves from one step to the next.
pub(crate) struct Steps {
    #[cfg(target_arch = "x86_64")]
    x86: x86::Steps,
}

impl Steps {
    /// Nothing known.
    pub(crate) const NONE: Self = Self {
        #[cfg(target_arch = "x86_64")]
        x86: x86::Steps::NONE,
    };
}

/// Reads and checks the positions that the `few`th [`FEW`] of the records begin with, and the moves in them.
/// To be called for the first of them first.
#[inline]
pub(crate) fn read_few<const N: usize>(
    records: &[[u8; N]; MANY],
    few: usize,
    form: &'static Form,
    steps: &mut Steps,
    read: &mut Few,
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx512::detect() {
        let steps = &mut steps.x86;
        return x86::read_few(features, records, few, form, steps, read);
    }
    let records = &records.as_chunks::<FEW>().0[few];
    for (i, record) in records.iter().enumerate() {
        let placement = &mut read.placements[i];
        read.good[i] = self::read(wide::head(record), form, placement);
        read.legal[i] = (read.moves.get(i)).is_some_and(|shift| is_legal(placement, shift));
    }
}

/// [`Moves::read_plain`].
#[inline]
pub(crate) fn read_moves(moves: &mut Moves, codes: [u16; FEW], forms: [MoveForm; 2]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx512::detect() {
        x86::read_moves(features, moves, codes, forms);
        return;
    }
    moves.read_plain(codes, forms);
}

/// Writes those of the positions that are good.
#[inline]
pub(crate) fn write_few(read: &mut Few, form: &Form) {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx512::detect() {
        x86::write_few(features, read, form);
        return;
    }
    for i in 0..FEW {
        read.is_written[i] = read.placements[i].write_common(form, &mut read.written[i]);
    }
}

/// [`read`] on any processor.
pub(crate) fn read_plain(bytes: &[u8; 32], form: &'static Form, placement: &mut Placement) -> bool {
    let way = Way {
        read_board: |words: &[u64; 4], header| board::read(words, header, form),
        deposit: wide::deposit,
        counts: Squares::counts,
    };
    placement.read_with(bytes, form, way)
}

/// Whether a move is legal.
#[inline]
pub(crate) fn is_legal(placement: &Placement, shift: Shift) -> bool {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx512::detect() {
        return x86::is_legal_512(features, placement, shift);
    }
    is_legal_plain(placement, shift)
}

/// [`is_legal`] on any processor.
pub(crate) fn is_legal_plain(placement: &Placement, shift: Shift) -> bool {
    let look = Look {
        occupied: attack::occupied,
        has_on_file: legal::has_on_file,
        is_attacked: attack::is_attacked,
    };
    placement.is_legal_with(shift, look)
}

/// The pieces by the way they move, and by colour.
#[inline]
pub(crate) fn sets(squares: &Squares) -> Sets {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx2::detect() {
        return x86::sets(features, squares);
    }
    squares.sets()
}

/// Writes a position that has been read.
#[inline]
pub(crate) fn write(
    placement: &Placement,
    form: &Form,
    bytes: &mut [u8; 32],
) -> Result<(), PackError> {
    let done = 'done: {
        #[cfg(target_arch = "x86_64")]
        if let Some(features) = x86::Avx512::detect() {
            break 'done x86::write_512(features, placement, form, bytes);
        }
        placement.write_common(form, bytes)
    };
    if done {
        Ok(())
    } else {
        placement.write_any(form, bytes)
    }
}
