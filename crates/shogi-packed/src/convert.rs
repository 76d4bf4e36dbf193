//! Public conversions of packed positions, each with the fastest instructions of the processor.

use shogi_core::{ByColor, Color, MoveText, Position, PositionParts};

use crate::board::Sets;
use crate::form::{Form, HCP_FORM, PACKED_SFEN_FORM};
use crate::level::{Level, Steps};
use crate::moves::Moves;
use crate::placement::{Few, Placement, why_not};
use crate::wide::head;
use crate::{FEW, Hcp, MANY, PackError, PackedForm, PackedSfen, UnpackError};

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
    pub(crate) fn read_packed_sfen(&mut self, packed: &PackedSfen) -> Result<(), UnpackError> {
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

    /// Returns true if the move that `text` names may be played: the same result as
    /// [`Position::complete`] followed by [`Position::is_legal`].
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
    pub(crate) fn write_hcp(&self, bytes: &mut [u8; 32]) -> Result<(), PackError> {
        Level::best().write(self, &HCP_FORM, bytes)
    }

    /// As [`Self::to_packed_sfen`] without a copy of the result. After an error the bytes are of no
    /// use.
    ///
    /// # Errors
    /// When a king is missing.
    #[inline]
    pub(crate) fn write_packed_sfen(&self, bytes: &mut [u8; 32]) -> Result<(), PackError> {
        Level::best().write(self, &PACKED_SFEN_FORM, bytes)
    }

    /// The position with move number `ply`.
    pub(crate) fn to_position(&self, ply: u32) -> Position {
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

// Many packed positions at a time.

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
pub(crate) fn each_of<const N: usize>(
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

impl PackedForm {
    #[inline]
    pub(super) const fn form(self) -> &'static Form {
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
        each_of(Level::best(), records, [self.form(), to.form()], code, f);
    }
}
