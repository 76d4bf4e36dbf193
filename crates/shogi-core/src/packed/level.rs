//! The fastest way that the processor knows.

use super::attack;
use super::board::{self, Sets, Squares};
use super::form::Form;
use super::placement::{MANY, Placement, Way};
use super::{PackError, plain, wide};
use crate::{MoveText, Position};

#[cfg(target_arch = "x86_64")]
use super::{starts, x86};

/// Packs a position into `bytes`.
#[inline]
pub(super) fn encode(
    position: &Position,
    form: &Form,
    bytes: &mut [u8; 32],
) -> Result<(), PackError> {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx2::detect() {
        return x86::encode(features, position, form, bytes);
    }
    *bytes = plain::encode(position, form.codes)?;
    Ok(())
}

/// Reads and checks a packed position; `false` when it is none.
#[inline]
pub(super) fn read(bytes: &[u8; 32], form: &'static Form, placement: &mut Placement) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(features) = x86::Avx512::detect() {
            return x86::read_512(features, bytes, &starts::find(bytes), form, placement);
        }
        if let Some(features) = x86::Avx2::detect() {
            return x86::read(features, bytes, &starts::find(bytes), form, placement);
        }
    }
    read_plain(bytes, form, placement)
}

/// As [`read`], for [`MANY`] positions.
pub(super) fn read_many(
    bytes: &[[u8; 32]; MANY],
    form: &'static Form,
    placements: &mut [Placement; MANY],
    good: &mut [bool; MANY],
) {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(features) = x86::Avx512::detect() {
            return x86::read_many_512(features, bytes, form, placements, good);
        }
    }
    for (bytes, (placement, good)) in bytes.iter().zip(placements.iter_mut().zip(good)) {
        *good = read(bytes, form, placement);
    }
}

/// [`read`] on any processor.
pub(super) fn read_plain(bytes: &[u8; 32], form: &'static Form, placement: &mut Placement) -> bool {
    let way = Way {
        read_board: |words: &[u64; 4], header| board::read(words, header, form),
        deposit: wide::deposit,
        counts: Squares::counts,
        attackers: attack::attackers_on_rays,
    };
    placement.read_with(bytes, form, way)
}

/// Whether a move is legal.
#[inline]
pub(super) fn is_legal(placement: &Placement, text: MoveText) -> bool {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx512::detect() {
        return x86::is_legal_512(features, placement, text);
    }
    is_legal_plain(placement, text)
}

/// [`is_legal`] on any processor.
pub(super) fn is_legal_plain(placement: &Placement, text: MoveText) -> bool {
    placement.is_legal_with(text, attack::attackers_on_rays)
}

/// The pieces by the way they move, and by colour.
#[inline]
pub(super) fn sets(squares: &Squares) -> Sets {
    #[cfg(target_arch = "x86_64")]
    if let Some(features) = x86::Avx2::detect() {
        return x86::sets(features, squares);
    }
    squares.sets()
}

/// Writes a position that has been read.
#[inline]
pub(super) fn write(
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
