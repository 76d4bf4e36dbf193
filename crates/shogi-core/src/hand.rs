//! Pieces in hand (持ち駒) of one player, packed in 32 bits, and the layout of these.

use std::fmt;

use crate::HandKind;

/// The pieces in hand: a count of each kind.
///
/// Each count has its own bits with a spare bit above it, so that comparing all seven kinds at
/// once is a subtraction and a mask: [`Hand::contains`] needs no loop.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u32);

/// First bit of each kind's count, indexed by `HandKind` number. Pawns have 5 bits (0 to 18), the
/// fours 3 bits, the twos 2 bits, and one spare bit follows each.
pub const SHIFT: [u32; 8] = [0, 0, 6, 10, 14, 18, 21, 24];
/// The bits of each count.
pub const MASK: [u32; 8] = [0, 0x1f, 0x7, 0x7, 0x7, 0x3, 0x3, 0x7];
/// The place of each kind's count.
pub const FIELD: [u32; 8] = {
    let mut fields = [0; 8];
    let mut kind = 0;
    while kind < 8 {
        fields[kind] = MASK[kind] << SHIFT[kind];
        kind += 1;
    }
    fields
};
/// The spare bits.
pub const SPARE: u32 = 1 << 5 | 1 << 9 | 1 << 13 | 1 << 17 | 1 << 20 | 1 << 23 | 1 << 27;

/// The bits of all counts.
const FIELDS: u32 = 0x1f | 0x7 << 6 | 0x7 << 10 | 0x7 << 14 | 0x3 << 18 | 0x3 << 21 | 0x7 << 24;

impl Hand {
    /// Nothing in hand.
    pub const EMPTY: Self = Self(0);

    /// Number of pieces of `kind`.
    #[inline(always)]
    pub const fn count(self, kind: HandKind) -> u8 {
        (self.0 >> SHIFT[kind as usize] & MASK[kind as usize]) as u8
    }

    /// Returns whether there is at least one piece of `kind`.
    #[inline(always)]
    pub const fn has(self, kind: HandKind) -> bool {
        self.0 & FIELD[kind as usize] != 0
    }

    /// Returns whether nothing is in hand.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether anything but pawns is in hand.
    #[inline(always)]
    pub(crate) const fn has_except_pawn(self) -> bool {
        self.0 & !MASK[1] != 0
    }

    /// The hand with one more piece of `kind`.
    ///
    /// The caller keeps the count within a full set; 32 bits have room for that and no more.
    #[inline(always)]
    pub const fn with(self, kind: HandKind) -> Self {
        debug_assert!(self.count(kind) < kind.piece_kind().set_count());
        Self(self.0.wrapping_add(1 << SHIFT[kind as usize]))
    }

    /// The hand with one piece of `kind` less. There must be one.
    #[inline(always)]
    pub const fn without(self, kind: HandKind) -> Self {
        debug_assert!(self.has(kind));
        Self(self.0.wrapping_sub(1 << SHIFT[kind as usize]))
    }

    /// The hand with `count` pieces of `kind`; `None` when a full set has fewer.
    pub const fn with_count(self, kind: HandKind, count: u8) -> Option<Self> {
        if count > kind.piece_kind().set_count() {
            return None;
        }
        let shift = SHIFT[kind as usize];
        Some(Self(
            self.0 & !(MASK[kind as usize] << shift) | (count as u32) << shift,
        ))
    }

    /// Returns whether it has at least as many of every kind as `other`.
    #[inline(always)]
    pub const fn contains(self, other: Self) -> bool {
        (self.0 | SPARE).wrapping_sub(other.0) & SPARE == SPARE
    }

    /// Number of pieces of all kinds together.
    pub fn len(self) -> u32 {
        HandKind::ALL
            .into_iter()
            .map(|kind| u32::from(self.count(kind)))
            .sum()
    }

    /// The kinds in hand with their counts, in the order of [`HandKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = (HandKind, u8)> {
        HandKind::ALL
            .into_iter()
            .map(move |kind| (kind, self.count(kind)))
            .filter(|&(_, count)| count > 0)
    }

    /// The hand of these [`Self::bits`]; each count is within a full set.
    #[inline(always)]
    pub const fn from_bits_unchecked(bits: u32) -> Self {
        debug_assert!(bits & SPARE == 0);
        Self(bits)
    }

    /// The hand of these [`Self::bits`]; `None` when they are no hand's.
    #[inline(always)]
    pub const fn try_from_bits(bits: u32) -> Option<Self> {
        // 18 pawns, 4 of each but bishop and rook, 2 of these.
        const FULL: Hand =
            Hand(0x12 | 0x4 << 6 | 0x4 << 10 | 0x4 << 14 | 0x2 << 18 | 0x2 << 21 | 0x4 << 24);
        let unused = !(FIELDS | SPARE);
        if bits & (SPARE | unused) == 0 && FULL.contains(Self(bits)) {
            Some(Self(bits))
        } else {
            None
        }
    }

    /// The packed bits: a value that differs for different hands, for hashing.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_do_not_touch_each_other() {
        let full = HandKind::ALL.into_iter().fold(Hand::EMPTY, |hand, kind| {
            hand.with_count(kind, kind.piece_kind().set_count())
                .unwrap()
        });
        assert_eq!(full.len(), 38);
        assert_eq!(Hand::try_from_bits(full.bits()), Some(full));
        for bit in 0..32 {
            let more = full.bits().checked_add(1 << bit);
            assert_eq!(more.and_then(Hand::try_from_bits), None);
        }
        for kind in HandKind::ALL {
            let max = kind.piece_kind().set_count();
            assert_eq!(full.count(kind), max);
            assert_eq!(Hand::EMPTY.with_count(kind, max + 1), None);
            let less = full.without(kind);
            assert_eq!(less.count(kind), max - 1);
            assert!(full.contains(less) && !less.contains(full));
            assert_eq!(less.with(kind), full);
            let only = Hand::EMPTY.with(kind);
            assert!(only.contains(Hand::EMPTY) && full.contains(only));
            for other in HandKind::ALL {
                assert_eq!(only.has(other), other == kind);
                assert_eq!(only.contains(Hand::EMPTY.with(other)), other == kind);
            }
        }
    }
}
