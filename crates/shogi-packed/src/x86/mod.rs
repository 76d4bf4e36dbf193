//! Packing with the vector instructions of x86-64 processors.
//!
//! All `unsafe` code of packing is here: calls of functions that need certain instructions, for which
//! a value such as [`Avx2`] is the proof that they are there, and reads and writes of arrays as
//! vectors.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with _mm"
)]

mod board;
mod encode;
mod hands;
mod legal;
mod outline;
mod read;
mod vector;
mod write;

use crate::PackError;
use crate::board::{Sets, Squares};
use crate::form::Form;
use crate::moves::{MoveForm, Moves, Shift};
use crate::placement::{Few, Placement};
use crate::{FEW, MANY};
pub(crate) use read::VectorSteps;
use shogi_core::Position;

/// Proof that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT (since 2013 Intel's Haswell, 2015
/// AMD's Excavator; `pext` and `pdep` are slow before AMD's Zen 3).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// Proof that the processor has the AVX-512 of Ice Lake or Zen 4, and all of [`Avx2`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx2 {
    /// Detects the processor's instructions.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt"))
        .then_some(Self(()))
    }
}

impl Avx512 {
    /// Detects the processor's instructions.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        (!cfg!(feature = "no-avx512")
            && Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512bitalg")
            && is_x86_feature_detected!("gfni"))
        .then_some(Self(()))
    }
}

impl From<Avx512> for Avx2 {
    #[inline(always)]
    fn from(_: Avx512) -> Self {
        Self(())
    }
}

/// Packs a position into `bytes`.
#[inline]
pub(crate) fn encode(
    _: Avx2,
    position: &Position,
    form: &Form,
    bytes: &mut [u8; 32],
) -> Result<(), PackError> {
    // SAFETY: an `Avx2` exists only where the processor has all that the function needs.
    let len = unsafe { encode::encode(position, form, bytes) };
    if len == 256 {
        Ok(())
    } else {
        Err(PackError::MissingKing { bits: len as usize })
    }
}

/// Reads and checks a packed position.
#[inline]
pub(crate) fn read(
    _: Avx2,
    bytes: &[u8; 32],
    form: &'static Form,
    placement: &mut Placement,
) -> bool {
    // SAFETY: as in `encode`.
    unsafe { read::read(bytes, form, placement) }
}

/// Reads and checks the positions that these records begin with; says which moves are legal in those that are good.
#[inline]
pub(crate) fn read_few<const N: usize>(
    _: Avx2,
    records: &[[u8; N]; FEW],
    form: &'static Form,
    read: &mut Few,
) {
    // SAFETY: as in `encode`.
    unsafe {
        read::read_few_256(records, form, &mut read.placements, &mut read.good);
        read.legal = legal::are_legal_256(&read.placements, |i| read.moves.get(i));
    }
}

/// As [`read()`], with AVX-512.
#[inline]
pub(crate) fn read_512(
    _: Avx512,
    bytes: &[u8; 32],
    form: &'static Form,
    placement: &mut Placement,
) -> bool {
    // SAFETY: an `Avx512` exists only where the processor has all that the function needs.
    unsafe { read::read_512(bytes, form, placement) }
}

/// As [`read_512`], for the `few`th of the records, and faster; says which moves are legal in those that
/// are good. To be called for the first of them first.
#[inline]
pub(crate) fn read_few_512<const N: usize>(
    _: Avx512,
    records: &[[u8; N]; MANY],
    few: usize,
    form: &'static Form,
    steps: &mut VectorSteps,
    read: &mut Few,
) {
    // SAFETY: as in `read_512`.
    unsafe {
        if few == 0 {
            outline::find_many(records, &mut steps.outlines);
            steps.hands.find(records, &steps.outlines, form);
        }
        read::read_few(
            records,
            few,
            form,
            steps,
            &mut read.placements,
            &mut read.good,
        );
        read.legal = legal::are_legal(&read.placements, |i| read.moves.get(i));
    }
}

/// [`Moves::read_plain`].
#[inline]
pub(crate) fn read_moves(_: Avx2, moves: &mut Moves, codes: [u16; FEW], forms: [MoveForm; 2]) {
    // SAFETY: as in `encode`.
    unsafe { read::read_moves_256(moves, codes, forms) }
}

/// [`Moves::read_plain`].
#[inline]
pub(crate) fn read_moves_512(
    _: Avx512,
    moves: &mut Moves,
    codes: [u16; FEW],
    forms: [MoveForm; 2],
) {
    // SAFETY: as in `read_512`.
    unsafe { read::read_moves_512(moves, codes, forms) }
}

/// Writes the positions, see [`Few::is_written`].
#[inline]
pub(crate) fn write_few(_: Avx2, read: &mut Few, form: &Form) {
    // SAFETY: as in `encode`.
    read.is_written = unsafe { write::write_256(&read.placements, form, &mut read.written) };
}

/// As [`write_few`], with AVX-512.
#[inline]
pub(crate) fn write_few_512(_: Avx512, read: &mut Few, form: &Form) {
    // SAFETY: as in `read_512`.
    read.is_written = unsafe { write::write(&read.placements, form, &mut read.written) };
}

/// The pieces by the way they move, and by colour.
#[inline]
pub(crate) fn sets(_: Avx2, squares: &Squares) -> Sets {
    // SAFETY: as in `encode`.
    unsafe { encode::sets(squares) }
}

/// Returns true if a move is legal.
#[inline]
pub(crate) fn is_legal(_: Avx2, placement: &Placement, shift: Shift) -> bool {
    // SAFETY: as in `encode`.
    unsafe { legal::are_legal_256(std::array::from_ref(placement), |_| Some(shift))[0] }
}

/// As [`is_legal`], with AVX-512.
#[inline]
pub(crate) fn is_legal_512(_: Avx512, placement: &Placement, shift: Shift) -> bool {
    // SAFETY: as in `read_512`.
    unsafe { legal::are_legal(std::array::from_ref(placement), |_| Some(shift))[0] }
}

/// Writes a position that has been read; `false` when the bytes are not right.
#[inline]
pub(crate) fn write(_: Avx2, placement: &Placement, form: &Form, bytes: &mut [u8; 32]) -> bool {
    let (placements, places) = (std::array::from_ref(placement), std::array::from_mut(bytes));
    // SAFETY: as in `encode`.
    unsafe { write::write_256(placements, form, places)[0] }
}

/// As [`write()`], with AVX-512.
#[inline]
pub(crate) fn write_512(
    _: Avx512,
    placement: &Placement,
    form: &Form,
    bytes: &mut [u8; 32],
) -> bool {
    let (placements, places) = (std::array::from_ref(placement), std::array::from_mut(bytes));
    // SAFETY: as in `read_512`.
    unsafe { write::write(placements, form, places)[0] }
}
