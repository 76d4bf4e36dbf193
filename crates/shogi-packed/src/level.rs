//! Instruction levels of the processor: every step in a version for each level, all with the same
//! results.

use shogi_core::Position;

use crate::board::{Sets, Squares};
use crate::form::Form;
use crate::legal::Look;
use crate::moves::{MoveForm, Moves, Shift};
use crate::placement::{Few, Placement};
use crate::plain::encode_plain;
#[cfg(target_arch = "x86_64")]
use crate::x86;
use crate::{FEW, MANY, PackError, attack, legal, wide};

/// A level of instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// Any processor.
    Plain,
    /// AVX2 and BMI2.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    /// AVX-512 with byte permutations.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

/// State of reading many positions that is kept from one step to the next.
pub(crate) struct Steps {
    #[cfg(target_arch = "x86_64")]
    x86: x86::VectorSteps,
}

impl Steps {
    /// The empty state.
    pub(crate) const NONE: Self = Self {
        #[cfg(target_arch = "x86_64")]
        x86: x86::VectorSteps::NONE,
    };
}

impl Level {
    /// The highest level of this processor.
    #[inline(always)]
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(features) = x86::Avx512::detect() {
                return Self::Avx512(features);
            }
            if let Some(features) = x86::Avx2::detect() {
                return Self::Avx2(features);
            }
        }
        Self::Plain
    }

    /// All levels of this processor.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Self::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(x86::Avx2::detect().map(Self::Avx2));
            all.extend(x86::Avx512::detect().map(Self::Avx512));
        }
        all
    }

    /// Packs a position into `bytes`.
    #[inline]
    pub(crate) fn encode(
        self,
        position: &Position,
        form: &Form,
        bytes: &mut [u8; 32],
    ) -> Result<(), PackError> {
        match self {
            Self::Plain => {
                *bytes = encode_plain(position, form)?;
                Ok(())
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => x86::encode(features, position, form, bytes),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => x86::encode(features.into(), position, form, bytes),
        }
    }

    /// Reads and checks a packed position; `false` when it is none.
    #[inline]
    pub(crate) fn read(
        self,
        bytes: &[u8; 32],
        form: &'static Form,
        placement: &mut Placement,
    ) -> bool {
        match self {
            Self::Plain => placement.read_plain(bytes, form),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => x86::read(features, bytes, form, placement),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => x86::read_512(features, bytes, form, placement),
        }
    }

    /// Reads and checks the positions that the `few`th [`FEW`] of the records begin with, and the moves in them.
    /// To be called for the first of them first.
    #[inline]
    pub(crate) fn read_few<const N: usize>(
        self,
        records: &[[u8; N]; MANY],
        few: usize,
        form: &'static Form,
        steps: &mut Steps,
        read: &mut Few,
    ) {
        let some = &records.as_chunks::<FEW>().0[few];
        match self {
            Self::Plain => {
                for (i, record) in some.iter().enumerate() {
                    let placement = &mut read.placements[i];
                    read.good[i] = placement.read_plain(wide::head(record), form);
                    let is_legal = |shift| self.is_legal(placement, shift);
                    read.legal[i] = read.moves.get(i).is_some_and(is_legal);
                }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => x86::read_few(features, some, form, read),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => {
                x86::read_few_512(features, records, few, form, &mut steps.x86, read);
            }
        }
    }

    /// [`Moves::read_plain`].
    #[inline]
    pub(crate) fn read_moves(self, moves: &mut Moves, codes: [u16; FEW], forms: [MoveForm; 2]) {
        match self {
            Self::Plain => moves.read_plain(codes, forms),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => x86::read_moves(features, moves, codes, forms),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => x86::read_moves_512(features, moves, codes, forms),
        }
    }

    /// Writes those of the positions that are good.
    #[inline]
    pub(crate) fn write_few(self, read: &mut Few, form: &Form) {
        match self {
            Self::Plain => {
                for i in 0..FEW {
                    let bytes = &mut read.written[i];
                    read.is_written[i] = read.placements[i].write_plain(form, bytes);
                }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => x86::write_few(features, read, form),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => x86::write_few_512(features, read, form),
        }
    }

    /// Returns true if a move is legal.
    #[inline]
    pub(crate) fn is_legal(self, placement: &Placement, shift: Shift) -> bool {
        match self {
            Self::Plain => {
                let look = Look {
                    visible: attack::visible,
                    has_on_file: legal::has_on_file,
                    is_attacked: attack::is_attacked,
                };
                placement.is_legal_with(shift, look)
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => x86::is_legal(features, placement, shift),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => x86::is_legal_512(features, placement, shift),
        }
    }

    /// The pieces by the way they move, and by colour.
    #[inline]
    pub(crate) fn sets(self, squares: &Squares) -> Sets {
        match self {
            Self::Plain => squares.sets(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => x86::sets(features, squares),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => x86::sets(features.into(), squares),
        }
    }

    /// Writes a position that has been read.
    #[inline]
    pub(crate) fn write(
        self,
        placement: &Placement,
        form: &Form,
        bytes: &mut [u8; 32],
    ) -> Result<(), PackError> {
        let done = match self {
            Self::Plain => placement.write_plain(form, bytes),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => x86::write(features, placement, form, bytes),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => x86::write_512(features, placement, form, bytes),
        };
        if done {
            Ok(())
        } else {
            placement.write_any(form, bytes)
        }
    }
}
