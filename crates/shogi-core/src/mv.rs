//! Moves.

use std::fmt;
use std::num::NonZeroU32;

use arrayvec::ArrayString;

use crate::piece::PROMOTION;
use crate::{Color, HandKind, Piece, PieceKind, Square};

/// A move, together with the piece that arrives.
///
/// 32 bits: bits 0–6 the destination, 7–13 the origin (or the number of the dropped [`HandKind`]),
/// bit 14 drop, bit 15 promotion, bits 16–20 the [`Piece`] that stands on the destination
/// afterwards. The low half is the field's 16-bit move of the YaneuraOu family
/// ([`crate::Move16`]). Never zero, so `Option<Move>` is 4 bytes.
///
/// A `Move` names a well-formed move; whether it is legal is a question to a
/// [`crate::Position`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(NonZeroU32);

const FROM_SHIFT: u32 = 7;
const DROP: u32 = 1 << 14;
const PROMOTE: u32 = 1 << 15;
const PIECE_SHIFT: u32 = 16;

impl Move {
    /// `piece` (as it is before the move) goes from `from` to `to` and keeps its kind.
    #[inline(always)]
    pub const fn normal(from: Square, to: Square, piece: Piece) -> Self {
        Self::pack(to as u32 | (from as u32) << FROM_SHIFT | (piece as u32) << PIECE_SHIFT)
    }

    /// `piece` (as it is before the move) goes from `from` to `to` and promotes; `None` when the
    /// kind cannot promote.
    #[inline(always)]
    pub const fn promoting(from: Square, to: Square, piece: Piece) -> Option<Self> {
        match piece.promote() {
            Some(promoted) => Some(Self::promoted(from, to, promoted)),
            None => None,
        }
    }

    /// The move that promotes and ends as `promoted`, the piece after promotion.
    #[inline(always)]
    pub(crate) const fn promoted(from: Square, to: Square, promoted: Piece) -> Self {
        debug_assert!(promoted.kind().is_promoted());
        Self::pack(
            to as u32 | (from as u32) << FROM_SHIFT | PROMOTE | (promoted as u32) << PIECE_SHIFT,
        )
    }

    /// `color` drops a piece of `kind` on `to`.
    #[inline(always)]
    pub const fn drop(color: Color, kind: HandKind, to: Square) -> Self {
        let piece = Piece::new(color, kind.piece_kind());
        Self::pack(to as u32 | (kind as u32) << FROM_SHIFT | DROP | (piece as u32) << PIECE_SHIFT)
    }

    #[inline(always)]
    const fn pack(bits: u32) -> Self {
        match NonZeroU32::new(bits) {
            Some(bits) => Self(bits),
            // A piece number is never zero.
            None => unreachable!(),
        }
    }

    /// The destination.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn to(self) -> Square {
        // SAFETY: every constructor takes a `Square` for these bits.
        unsafe { Square::from_index_unchecked((self.0.get() & 0x7f) as u8) }
    }

    /// The origin of a move on the board; `None` for a drop.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn from(self) -> Option<Square> {
        if self.is_drop() {
            return None;
        }
        // SAFETY: every constructor but `drop` takes a `Square` for these bits.
        Some(unsafe { Square::from_index_unchecked((self.0.get() >> FROM_SHIFT & 0x7f) as u8) })
    }

    /// The kind that is dropped; `None` for a move on the board.
    #[inline(always)]
    pub const fn dropped(self) -> Option<HandKind> {
        if self.is_drop() {
            HandKind::from_number((self.0.get() >> FROM_SHIFT & 0x7f) as u8)
        } else {
            None
        }
    }

    /// Returns whether it drops a piece from the hand.
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.0.get() & DROP != 0
    }

    /// Returns whether the piece promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0.get() & PROMOTE != 0
    }

    /// The piece that stands on the destination after the move.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn piece_after(self) -> Piece {
        // SAFETY: every constructor puts a piece's number in these bits.
        unsafe { Piece::from_number_unchecked((self.0.get() >> PIECE_SHIFT) as u8) }
    }

    /// The piece before the move: unpromoted when the move promotes.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn piece_before(self) -> Piece {
        let promotion = (self.0.get() & PROMOTE != 0) as u8 * PROMOTION;
        // SAFETY: the bits hold a piece's number, a promoted one when the move promotes (`promoting`
        // and `promoted` see to that); taking the promotion away leaves the unpromoted piece.
        unsafe { Piece::from_number_unchecked((self.0.get() >> PIECE_SHIFT) as u8 - promotion) }
    }

    /// The player who moves.
    #[inline(always)]
    pub const fn color(self) -> Color {
        self.piece_after().color()
    }

    /// The kind that arrives on the destination.
    #[inline(always)]
    pub const fn kind_after(self) -> PieceKind {
        self.piece_after().kind()
    }

    /// The 32 bits, never zero. The low 16 are the YaneuraOu family's 16-bit move.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0.get()
    }

    /// The same move on the board turned by 180 degrees, made by the other player.
    pub const fn rotate(self) -> Self {
        let to = self.to().rotate();
        match (self.from(), self.dropped()) {
            (Some(from), _) => Self::pack(
                to as u32
                    | (from.rotate() as u32) << FROM_SHIFT
                    | self.0.get() & PROMOTE
                    | (self.piece_after().flip_color() as u32) << PIECE_SHIFT,
            ),
            (None, Some(kind)) => Self::drop(self.color().flip(), kind, to),
            (None, None) => unreachable!(),
        }
    }
}

impl fmt::Display for Move {
    /// USI notation: `7g7f`, `8h2b+`, `P*5e`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_usi(
            f,
            self.from(),
            self.dropped(),
            self.to(),
            self.is_promotion(),
        )
    }
}

/// Writes a move in USI notation: where it begins, or what is dropped.
#[inline]
pub(crate) fn write_usi(
    f: &mut fmt::Formatter<'_>,
    from: Option<Square>,
    dropped: Option<HandKind>,
    to: Square,
    promotes: bool,
) -> fmt::Result {
    // At once: games put into words are mostly moves.
    let mut text = ArrayString::<5>::new();
    if let Some(from) = from {
        text.push(from.file().to_usi());
        text.push(from.rank().to_usi());
    } else if let Some(kind) = dropped {
        text.push(kind.to_usi());
        text.push('*');
    }
    text.push(to.file().to_usi());
    text.push(to.rank().to_usi());
    if promotes {
        text.push('+');
    }
    f.write_str(&text)
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const _: () = assert!(size_of::<Option<Move>>() == 4);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        let m = Move::normal(Square::S7G, Square::S7F, Piece::BlackPawn);
        assert_eq!(
            (m.from(), m.to(), m.dropped()),
            (Some(Square::S7G), Square::S7F, None)
        );
        assert_eq!(m.bits() & 0xffff, 0x1e3b);
        assert_eq!(m.to_string(), "7g7f");
        let m = Move::drop(Color::White, HandKind::Pawn, Square::S5E);
        assert_eq!(
            (m.from(), m.to(), m.dropped()),
            (None, Square::S5E, Some(HandKind::Pawn))
        );
        assert_eq!(m.bits() & 0xffff, 0x40a8);
        assert_eq!((m.color(), m.to_string().as_str()), (Color::White, "P*5e"));
        let m = Move::promoting(Square::S8H, Square::S2B, Piece::BlackBishop).unwrap();
        assert_eq!(m.piece_after(), Piece::BlackHorse);
        assert_eq!(m.piece_before(), Piece::BlackBishop);
        assert_eq!(m.to_string(), "8h2b+");
        assert_eq!(m.rotate().to_string(), "2b8h+");
        assert_eq!(m.rotate().piece_after(), Piece::WhiteHorse);
        assert_eq!(
            Move::promoting(Square::S5E, Square::S5D, Piece::BlackGold),
            None
        );
    }
}
