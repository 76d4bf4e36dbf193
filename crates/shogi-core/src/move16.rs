//! The two families of 16-bit moves found in the field's files.
//!
//! | | bits 0–6 | bits 7–13 | bit 14 | bit 15 |
//! |---|---|---|---|---|
//! | [`Move16`] (YaneuraOu: `.ybb`, PSV) | to | from, or kind 1–7 for a drop | drop | promote |
//! | [`AperyMove16`] (Apery: `book.bin`, hcpe, pack) | to | from, or 80 + kind for a drop | promote | 0 |
//!
//! Neither names the moving piece: [`crate::Position::move_from_16`] finds it on the board.

use std::fmt;

use crate::mv::write_usi;
use crate::{HandKind, Move, Square};

/// The origin of a move: a square or the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// From this square of the board.
    Board(Square),
    /// Dropped from the hand.
    Hand(HandKind),
}

/// A move as text and 16-bit encodings name it: without the moving piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveText {
    /// Origin.
    pub origin: Origin,
    /// Destination.
    pub to: Square,
    /// True if the piece promotes; never true for a drop.
    pub promote: bool,
}

impl MoveText {
    /// Parses USI notation (`7g7f`, `8h2b+`, `P*5e`); `None` when the text is no move.
    pub fn from_usi(text: &str) -> Option<Self> {
        if !text.is_ascii() || text.len() < 4 {
            return None;
        }
        let to = Square::from_usi(&text[2..4])?;
        let (origin, promote) = match (&text[1..2], &text[4..]) {
            ("*", "") => (
                Origin::Hand(HandKind::from_usi(text.chars().next()?)?),
                false,
            ),
            ("*", _) => return None,
            (_, "") => (Origin::Board(Square::from_usi(&text[0..2])?), false),
            (_, "+") => (Origin::Board(Square::from_usi(&text[0..2])?), true),
            _ => return None,
        };
        Some(Self {
            origin,
            to,
            promote,
        })
    }
}

impl From<Move> for MoveText {
    fn from(m: Move) -> Self {
        let origin = match (m.from(), m.dropped()) {
            (Some(from), _) => Origin::Board(from),
            (None, Some(kind)) => Origin::Hand(kind),
            (None, None) => unreachable!("a move is a drop or has an origin"),
        };
        Self {
            origin,
            to: m.to(),
            promote: m.is_promotion(),
        }
    }
}

impl fmt::Display for MoveText {
    /// USI notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, dropped) = match self.origin {
            Origin::Board(from) => (Some(from), None),
            Origin::Hand(kind) => (None, Some(kind)),
        };
        write_usi(f, from, dropped, self.to, self.promote)
    }
}

macro_rules! move16 {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        ///
        /// Any 16 bits can be held; [`Self::decode`] says whether they name a move.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u16);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.decode() {
                    Some(text) => write!(f, "{}({text})", stringify!($name)),
                    None => write!(f, "{}({:#06x})", stringify!($name), self.0),
                }
            }
        }

        impl From<Move> for $name {
            fn from(m: Move) -> Self {
                Self::encode(m.into())
            }
        }
    };
}

move16!(Move16, "A 16-bit move of the YaneuraOu family.");
move16!(AperyMove16, "A 16-bit move of the Apery family.");

/// Destination and origin fields that both families share.
fn square_bits(bits: u16) -> Option<Square> {
    Square::from_index(bits as usize & 0x7f)
}

impl Move16 {
    /// The bits of a move.
    #[inline]
    pub fn encode(text: MoveText) -> Self {
        let (origin, drop) = match text.origin {
            Origin::Board(from) => (from as u16, 0),
            Origin::Hand(kind) => (kind as u16, 1 << 14),
        };
        Self(text.to as u16 | origin << 7 | drop | u16::from(text.promote) << 15)
    }

    /// The move the bits name; `None` for "no move" values and bits outside the encoding.
    #[inline]
    pub fn decode(self) -> Option<MoveText> {
        decode(self.0, ORIGINS[usize::from(self.0 >> 7 & 0xff)], 15)
    }
}

/// The move with this origin whose promotion bit is this one.
#[inline(always)]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators are branches, which a processor would guess wrong"
)]
fn decode(bits: u16, origin: Option<Origin>, promotion: u32) -> Option<MoveText> {
    let text = MoveText {
        origin: origin?,
        to: square_bits(bits)?,
        promote: bits >> promotion != 0,
    };
    let is_drop = matches!(text.origin, Origin::Hand(_));
    let stays = text.origin == Origin::Board(text.to);
    (!(stays | is_drop & text.promote)).then_some(text)
}

/// The origins of [`Move16`] by its bits 7 to 14, which have the drop's on top.
static ORIGINS: [Option<Origin>; 256] = origins(128);
/// The origins of [`AperyMove16`] by its bits 7 to 13.
static APERY_ORIGINS: [Option<Origin>; 256] = origins(80);

/// Squares by number, and kinds in hand by number and `hand`.
const fn origins(hand: usize) -> [Option<Origin>; 256] {
    let mut origins = [None; 256];
    let mut i = 0;
    while i < Square::ALL.len() {
        origins[i] = Some(Origin::Board(Square::ALL[i]));
        i += 1;
    }
    let mut i = 0;
    while i < HandKind::ALL.len() {
        let kind = HandKind::ALL[i];
        origins[hand + kind as usize] = Some(Origin::Hand(kind));
        i += 1;
    }
    origins
}

impl AperyMove16 {
    /// The bits of a move.
    #[inline]
    pub fn encode(text: MoveText) -> Self {
        let origin = match text.origin {
            Origin::Board(from) => from as u16,
            Origin::Hand(kind) => 80 + kind as u16,
        };
        Self(text.to as u16 | origin << 7 | u16::from(text.promote) << 14)
    }

    /// The move the bits name; `None` for terminators and bits outside the encoding.
    #[inline]
    pub fn decode(self) -> Option<MoveText> {
        if self.0 >> 15 != 0 {
            return None;
        }
        decode(self.0, APERY_ORIGINS[usize::from(self.0 >> 7 & 0x7f)], 14)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_comes_back() {
        for bits in 0..=u16::MAX {
            if let Some(text) = Move16(bits).decode() {
                assert_eq!(Move16::encode(text), Move16(bits));
                assert_eq!(AperyMove16::encode(text).decode(), Some(text));
                assert_eq!(MoveText::from_usi(&text.to_string()), Some(text));
            }
            if let Some(text) = AperyMove16(bits).decode() {
                assert_eq!(AperyMove16::encode(text), AperyMove16(bits));
                assert_eq!(Move16::encode(text).decode(), Some(text));
            }
        }
        let drop = MoveText::from_usi("P*5e").unwrap();
        assert_eq!(
            (Move16::encode(drop).0, AperyMove16::encode(drop).0),
            (0x40a8, 0x28a8)
        );
    }

    #[test]
    fn garbage_is_no_move() {
        for text in [
            "", "7g", "7g7", "7g7f++", "7g7f-", "K*5e", "P*5e+", "p*5e", "0g7f", "7g七f", "resign",
        ] {
            assert_eq!(MoveText::from_usi(text), None, "{text}");
        }
    }
}
