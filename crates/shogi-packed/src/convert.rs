//! What callers do with packed positions, each in the fastest way that the processor knows.

use crate::batch::{self, Repacked};
use crate::board::Sets;
use crate::form::{Form, HCP_FORM, PACKED_SFEN_FORM};
use crate::level::Level;
use crate::placement::{Placement, why_not};
use shogi_core::PositionParts;
use shogi_core::{ByColor, Color, MoveText, Position};
use shogi_core::{Hcp, PackError, PackedSfen, UnpackError};

/// The packed forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedForm {
    /// Apery's: [`Hcp`].
    Hcp,
    /// YaneuraOu's: [`PackedSfen`].
    PackedSfen,
}

impl PackedForm {
    #[inline]
    const fn form(self) -> &'static Form {
        match self {
            Self::Hcp => &HCP_FORM,
            Self::PackedSfen => &PACKED_SFEN_FORM,
        }
    }

    /// Reads the positions of this form that records begin with, checks them, and writes them in the form
    /// `to`: what a [`Placement`] does, but much faster. `code` finds the move of a record in the family of
    /// this form, [`AperyMove16`](shogi_core::AperyMove16) or [`Move16`](shogi_core::Move16); it is checked too and
    /// written in that of the form `to`. `f` gets each record, and what came of it or, if it is no position, why.
    #[inline]
    pub fn each<const N: usize>(
        self,
        to: Self,
        records: &[[u8; N]],
        code: impl Fn(&[u8; N]) -> u16,
        f: impl FnMut(&[u8; N], Result<Repacked<'_>, UnpackError>),
    ) {
        batch::each(Level::best(), records, [self.form(), to.form()], code, f);
    }
}

/// A packed form of a position, made and read the fastest way that the processor knows. The results are those of `encode` and
/// `decode` of the same types.
pub trait Packing: Sized {
    /// Packs a position.
    ///
    /// # Errors
    /// When a king is missing.
    fn pack(position: &Position) -> Result<Self, PackError>;

    /// Packs a position into these bytes, without a copy of the result. After an error the bytes are of no use.
    ///
    /// # Errors
    /// When a king is missing.
    fn pack_into(&mut self, position: &Position) -> Result<(), PackError>;

    /// Unpacks the position, with move number 1. Any 32 bytes give a position or an error.
    ///
    /// # Errors
    /// See [`UnpackError`].
    fn unpack(&self) -> Result<Position, UnpackError>;
}

macro_rules! packing {
    ($name:ident, $form:expr, $read:ident) => {
        impl Packing for $name {
            #[inline(always)]
            fn pack(position: &Position) -> Result<Self, PackError> {
                let mut bytes = [0; 32];
                Level::best().encode(position, &$form, &mut bytes)?;
                Ok(Self(bytes))
            }

            #[inline]
            fn pack_into(&mut self, position: &Position) -> Result<(), PackError> {
                Level::best().encode(position, &$form, &mut self.0)
            }

            fn unpack(&self) -> Result<Position, UnpackError> {
                let mut placement = Placement::empty();
                placement.$read(self)?;
                Ok(placement.to_position(1))
            }
        }
    };
}

packing!(PackedSfen, PACKED_SFEN_FORM, read_packed_sfen);
packing!(Hcp, HCP_FORM, read_hcp);

impl Placement {
    /// Reads and checks a position in Apery's form.
    ///
    /// # Errors
    /// The same as those of [`Hcp::decode`].
    #[inline]
    pub fn from_hcp(packed: &Hcp) -> Result<Self, UnpackError> {
        let mut placement = Self::empty();
        placement.read_hcp(packed)?;
        Ok(placement)
    }

    /// Reads and checks a position in YaneuraOu's form.
    ///
    /// # Errors
    /// The same as those of [`PackedSfen::decode`].
    #[inline]
    pub fn from_packed_sfen(packed: &PackedSfen) -> Result<Self, UnpackError> {
        let mut placement = Self::empty();
        placement.read_packed_sfen(packed)?;
        Ok(placement)
    }

    /// Reads and checks a position in Apery's form, in the place of this one. After an error, this one
    /// is as it was.
    ///
    /// # Errors
    /// The same as those of [`Hcp::decode`].
    #[inline]
    pub fn read_hcp(&mut self, packed: &Hcp) -> Result<(), UnpackError> {
        self.read(&packed.0, &HCP_FORM)
    }

    /// Reads and checks a position in YaneuraOu's form, in the place of this one. After an error, this
    /// one is as it was.
    ///
    /// # Errors
    /// The same as those of [`PackedSfen::decode`].
    #[inline]
    pub fn read_packed_sfen(&mut self, packed: &PackedSfen) -> Result<(), UnpackError> {
        self.read(&packed.0, &PACKED_SFEN_FORM)
    }

    #[inline]
    fn read(&mut self, bytes: &[u8; 32], form: &'static Form) -> Result<(), UnpackError> {
        if Level::best().read(bytes, form, self) {
            Ok(())
        } else {
            Err(why_not(bytes, form))
        }
    }

    /// Whether the move that `text` names may be played: what [`Position::complete`] and
    /// [`Position::is_legal`] say together.
    #[inline]
    pub fn is_legal(&self, text: MoveText) -> bool {
        Level::best().is_legal(self, text.into())
    }

    /// The position in Apery's form, hands and box in canonical order.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub fn to_hcp(&self) -> Result<Hcp, PackError> {
        let mut packed = Hcp([0; 32]);
        self.write_hcp(&mut packed.0)?;
        Ok(packed)
    }

    /// The position in YaneuraOu's form, hands and box in canonical order.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub fn to_packed_sfen(&self) -> Result<PackedSfen, PackError> {
        let mut packed = PackedSfen([0; 32]);
        self.write_packed_sfen(&mut packed.0)?;
        Ok(packed)
    }

    /// As [`Self::to_hcp`] without a copy of the result. After an error the bytes are of no use.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub fn write_hcp(&self, bytes: &mut [u8; 32]) -> Result<(), PackError> {
        Level::best().write(self, &HCP_FORM, bytes)
    }

    /// As [`Self::to_packed_sfen`] without a copy of the result. After an error the bytes are of no
    /// use.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub fn write_packed_sfen(&self, bytes: &mut [u8; 32]) -> Result<(), PackError> {
        Level::best().write(self, &PACKED_SFEN_FORM, bytes)
    }

    /// The position with move number `ply`.
    pub fn to_position(&self, ply: u32) -> Position {
        let Sets { classes, colors } = Level::best().sets(&self.board.squares);
        Position::from_parts_unchecked(&PositionParts {
            board: self.board.squares.contents(),
            classes,
            colors,
            hands: self.hands,
            kings: ByColor(Color::ALL.map(|color| self.header.king(color))),
            side: self.header.side,
            ply,
        })
    }
}
