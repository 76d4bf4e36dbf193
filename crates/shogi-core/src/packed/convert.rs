//! What callers do with packed positions, each in the fastest way that the processor knows.

use super::board::Sets;
use super::form::{Form, HCP_FORM, PACKED_SFEN_FORM};
use super::placement::{MANY, Placement, why_not};
use super::{Hcp, PackError, PackedSfen, UnpackError, level};
use crate::position::Parts;
use crate::{MoveText, Position};

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

    /// Reads many positions in Apery's form: as [`Self::read_hcp`] for each, but faster.
    pub fn each_hcp(
        packed: impl IntoIterator<Item = Hcp>,
        f: impl FnMut(Result<&Self, UnpackError>),
    ) {
        each(packed.into_iter().map(|packed| packed.0), &HCP_FORM, f);
    }

    /// Reads many positions in YaneuraOu's form: as [`Self::read_packed_sfen`] for each, but faster.
    pub fn each_packed_sfen(
        packed: impl IntoIterator<Item = PackedSfen>,
        f: impl FnMut(Result<&Self, UnpackError>),
    ) {
        each(
            packed.into_iter().map(|packed| packed.0),
            &PACKED_SFEN_FORM,
            f,
        );
    }

    #[inline]
    fn read(&mut self, bytes: &[u8; 32], form: &'static Form) -> Result<(), UnpackError> {
        if level::read(bytes, form, self) {
            Ok(())
        } else {
            Err(why_not(bytes, form))
        }
    }

    /// Whether the move that `text` names may be played: what [`Position::complete`] and
    /// [`Position::is_legal`] say together.
    #[inline]
    pub fn is_legal(&self, text: MoveText) -> bool {
        level::is_legal(self, text)
    }

    /// The position in Apery's form, hands and box in canonical order.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub fn to_hcp(&self) -> Result<Hcp, PackError> {
        let mut packed = Hcp([0; 32]);
        self.write_hcp(&mut packed)?;
        Ok(packed)
    }

    /// The position in YaneuraOu's form, hands and box in canonical order.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub fn to_packed_sfen(&self) -> Result<PackedSfen, PackError> {
        let mut packed = PackedSfen([0; 32]);
        self.write_packed_sfen(&mut packed)?;
        Ok(packed)
    }

    /// As [`Self::to_hcp`] without a copy of the result. After an error the bytes are of no use.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub fn write_hcp(&self, packed: &mut Hcp) -> Result<(), PackError> {
        level::write(self, &HCP_FORM, &mut packed.0)
    }

    /// As [`Self::to_packed_sfen`] without a copy of the result. After an error the bytes are of no
    /// use.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub fn write_packed_sfen(&self, packed: &mut PackedSfen) -> Result<(), PackError> {
        level::write(self, &PACKED_SFEN_FORM, &mut packed.0)
    }

    /// The position with move number `ply`.
    pub fn to_position(&self, ply: u32) -> Position {
        let Sets { classes, colors } = level::sets(&self.board.squares);
        Position::from_parts(&Parts {
            board: self.board.squares.contents(),
            classes,
            colors,
            hands: self.hands,
            kings: self.header.kings,
            side: self.header.side,
            ply,
        })
    }
}

fn each(
    mut packed: impl Iterator<Item = [u8; 32]>,
    form: &'static Form,
    mut f: impl FnMut(Result<&Placement, UnpackError>),
) {
    let mut placements: Box<[Placement; MANY]> = vec![Placement::empty(); MANY]
        .into_boxed_slice()
        .try_into()
        .unwrap_or_else(|_| unreachable!("the length is right"));
    let mut bytes = [[0; 32]; MANY];
    let mut good = [false; MANY];
    loop {
        let mut count = 0;
        for (place, packed) in bytes.iter_mut().zip(&mut packed) {
            *place = packed;
            count += 1;
        }
        if count == 0 {
            return;
        }
        level::read_many(&bytes, form, &mut placements, &mut good);
        for ((bytes, placement), good) in bytes[..count].iter().zip(&*placements).zip(good) {
            f(if good {
                Ok(placement)
            } else {
                Err(why_not(bytes, form))
            });
        }
    }
}
