//! The values of a three-piece evaluation, read from the bytes of its files.
//!
//! Values are little endian and are taken from the (mapped) bytes one by one, so neither the byte order
//! of the machine nor the alignment of the map matters.
//!
//! The loops are plain on purpose. Gathering eight values at a time with AVX2 (AMD EPYC with AVX-512,
//! 2026, `cargo bench -p benches --bench kppt`) gave 5 % less in a native build, and 14 % more in a
//! portable one while all rows are in the cache; when rows come from memory, where most of the time
//! goes, no difference could be seen.

use std::ops::Deref;

use shogi_core::Square;

use super::KpptLayout;
use crate::{BonaPiece, PieceList};

const PIECES: usize = BonaPiece::PIECE_END;

/// A value or a sum of values, in 1/32 of the internal unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KpptValue {
    /// The value of the board from the table's view: black's for KK and KKP, the king's owner's for
    /// KPP.
    pub board: i32,
    /// The value of having the turn, for either side.
    pub turn: i32,
}

impl KpptValue {
    /// Both parts added. Sums wrap around: no table in use comes near, and no file shall end the
    /// program.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self {
            board: self.board.wrapping_add(other.board),
            turn: self.turn.wrapping_add(other.turn),
        }
    }

    /// Both parts subtracted.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        Self {
            board: self.board.wrapping_sub(other.board),
            turn: self.turn.wrapping_sub(other.turn),
        }
    }
}

/// The three tables. Pieces are never kings; [`BonaPiece::NONE`] stands for a piece that is not in the
/// game and has values as any other.
///
/// KPP must be symmetric in its two pieces, as all tables in use are: incremental sums add a pair in
/// another order than sums from scratch.
///
/// # Panics
/// All methods may panic on a king as a piece.
pub trait Tables {
    /// The value of both kings. All squares are black's.
    fn kk(&self, black: Square, white: Square) -> KpptValue;

    /// The value of both kings and a piece, as black sees it.
    fn kkp(&self, black: Square, white: Square, piece: BonaPiece) -> KpptValue;

    /// The value of a king and two pieces, all as the king's owner sees them.
    fn kpp(&self, king: Square, first: BonaPiece, second: BonaPiece) -> KpptValue;

    /// [`Self::kkp`] of all pieces.
    fn kkp_sum(&self, black: Square, white: Square, pieces: &[BonaPiece]) -> KpptValue {
        let values = pieces.iter().map(|&piece| self.kkp(black, white, piece));
        values.fold(KpptValue::default(), KpptValue::plus)
    }

    /// [`Self::kpp`] of `first` and each of `others`.
    fn kpp_sum(&self, king: Square, first: BonaPiece, others: &[BonaPiece]) -> KpptValue {
        let values = others.iter().map(|&other| self.kpp(king, first, other));
        values.fold(KpptValue::default(), KpptValue::plus)
    }

    /// The change of [`Self::kpp_sum`] when `before` becomes `after`.
    fn kpp_change(
        &self,
        king: Square,
        before: BonaPiece,
        after: BonaPiece,
        others: &[BonaPiece; PieceList::LEN],
    ) -> KpptValue {
        let after = self.kpp_sum(king, after, others);
        after.minus(self.kpp_sum(king, before, others))
    }
}

/// The tables of three files, as their bytes. Put it into an [`std::sync::Arc`] to share it between evaluators.
#[derive(Debug)]
pub struct ByteTables<B> {
    layout: KpptLayout,
    kk: B,
    kkp: B,
    kpp: B,
}

impl<B: Deref<Target = [u8]>> ByteTables<B> {
    /// The tables of `layout` (not [`KpptLayout::Kppt16`]) with the bytes of their files, which must have their sizes.
    pub(crate) fn new(layout: KpptLayout, [kk, kkp, kpp]: [B; 3]) -> Self {
        Self {
            layout,
            kk,
            kkp,
            kpp,
        }
    }

    /// KPPT or `KPP_KKPT`.
    pub fn layout(&self) -> KpptLayout {
        self.layout
    }

    /// The KPP values of a king and a piece with every other piece, `N` bytes each.
    #[inline(always)]
    fn kpp_row<const N: usize>(&self, king: Square, first: BonaPiece) -> &[[u8; N]] {
        let row = king.index() * PIECES + first.index();
        row_of(&self.kpp, row)
    }

    /// The KKP values of two kings with every piece.
    #[inline(always)]
    fn kkp_row(&self, black: Square, white: Square) -> &[[u8; 8]] {
        row_of(&self.kkp, black.index() * Square::COUNT + white.index())
    }
}

/// Row number `row` of a table of `PIECES` columns, `N` bytes each.
#[inline(always)]
fn row_of<const N: usize>(bytes: &[u8], row: usize) -> &[[u8; N]] {
    let start = row * PIECES * N;
    bytes[start..start + PIECES * N].as_chunks().0
}

#[inline(always)]
fn pair_i32(bytes: [u8; 8]) -> KpptValue {
    let [a, b, c, d, e, f, g, h] = bytes;
    KpptValue {
        board: i32::from_le_bytes([a, b, c, d]),
        turn: i32::from_le_bytes([e, f, g, h]),
    }
}

#[inline(always)]
fn pair_i16(bytes: [u8; 4]) -> KpptValue {
    let [a, b, c, d] = bytes;
    KpptValue {
        board: i32::from(i16::from_le_bytes([a, b])),
        turn: i32::from(i16::from_le_bytes([c, d])),
    }
}

#[inline(always)]
fn single_i16(bytes: [u8; 2]) -> KpptValue {
    KpptValue {
        board: i32::from(i16::from_le_bytes(bytes)),
        turn: 0,
    }
}

/// The values of `pieces` in a row.
#[inline(always)]
fn sum<const N: usize>(
    row: &[[u8; N]],
    pieces: &[BonaPiece],
    value: impl Fn([u8; N]) -> KpptValue,
) -> KpptValue {
    let values = pieces.iter().map(|&piece| value(row[piece.index()]));
    values.fold(KpptValue::default(), KpptValue::plus)
}

/// The values of `pieces` in one row minus those in another. One loop over both rows: what takes the
/// time is waiting for memory, and this waits for both at once.
#[inline(always)]
fn change<const N: usize>(
    before: &[[u8; N]],
    after: &[[u8; N]],
    pieces: &[BonaPiece; PieceList::LEN],
    value: impl Fn([u8; N]) -> KpptValue,
) -> KpptValue {
    // One length for both, so that one check of an index is enough.
    let (before, after) = (&before[..PIECES], &after[..PIECES]);
    let mut sum = KpptValue::default();
    for piece in pieces {
        let change = value(after[piece.index()]).minus(value(before[piece.index()]));
        sum = sum.plus(change);
    }
    sum
}

impl<B: Deref<Target = [u8]>> Tables for ByteTables<B> {
    #[inline]
    fn kk(&self, black: Square, white: Square) -> KpptValue {
        let (entries, _) = self.kk.as_chunks();
        pair_i32(entries[black.index() * Square::COUNT + white.index()])
    }

    #[inline]
    fn kkp(&self, black: Square, white: Square, piece: BonaPiece) -> KpptValue {
        pair_i32(self.kkp_row(black, white)[piece.index()])
    }

    #[inline]
    fn kpp(&self, king: Square, first: BonaPiece, second: BonaPiece) -> KpptValue {
        self.kpp_sum(king, first, &[second])
    }

    #[inline]
    fn kkp_sum(&self, black: Square, white: Square, pieces: &[BonaPiece]) -> KpptValue {
        sum(self.kkp_row(black, white), pieces, pair_i32)
    }

    #[inline]
    fn kpp_sum(&self, king: Square, first: BonaPiece, others: &[BonaPiece]) -> KpptValue {
        if self.layout == KpptLayout::KppKkpt {
            sum(self.kpp_row(king, first), others, single_i16)
        } else {
            sum(self.kpp_row(king, first), others, pair_i16)
        }
    }

    #[inline]
    fn kpp_change(
        &self,
        king: Square,
        before: BonaPiece,
        after: BonaPiece,
        others: &[BonaPiece; PieceList::LEN],
    ) -> KpptValue {
        if self.layout == KpptLayout::KppKkpt {
            let [before, after] = [before, after].map(|piece| self.kpp_row(king, piece));
            change(before, after, others, single_i16)
        } else {
            let [before, after] = [before, after].map(|piece| self.kpp_row(king, piece));
            change(before, after, others, pair_i16)
        }
    }
}
