//! What the codes' places tell about positions.

use std::arch::x86_64::*;

use super::starts;
use crate::MANY;
use crate::NO_KING;
use crate::board::Header;
use shogi_core::{ByColor, Color};

/// What is known of a position before its codes are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    /// The kings' squares, or [`NO_KING`].
    pub(crate) kings: [u8; 2],
    /// How many codes begin in the first word, in the first two, and in the first three.
    pub(crate) counts: [u8; 3],
    /// How many bits there are after the last square's code.
    pub(crate) rest: u8,
}

/// Outlines of many positions.
pub(crate) struct Outlines {
    /// Where codes begin, see [`starts::find`].
    pub(crate) starts: [[u64; 4]; MANY],
    pub(crate) kings: [[u8; MANY]; 2],
    pub(crate) counts: [[u8; MANY]; 3],
    pub(crate) rest: [u8; MANY],
    /// A bit for each: whether there is an outline.
    pub(crate) good: [u64; MANY / 64],
}

impl Outline {
    /// The outline of a position, and in `starts` where codes begin; `None` when the kings' squares make no sense or
    /// when there are fewer codes than squares.
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    pub(crate) fn find(bytes: &[u8; 32], starts: &mut [u64; 4]) -> Option<Self> {
        let kings = Header::read(bytes)?.kings.0;
        let [black, white] = kings;
        let squares = 81 - u32::from(black != NO_KING) - u32::from(white != NO_KING);
        let whole;
        (*starts, whole) = starts::find(bytes);
        let [w0, w1, w2, w3] = *starts;
        let a = w0.count_ones();
        let b = a + w1.count_ones();
        let c = b + w2.count_ones();
        let before = [0, a, b, c, c + w3.count_ones()];
        let is_before = |word: usize| usize::from(squares >= before[word]);
        let word = is_before(1) + is_before(2) + is_before(3) + is_before(4);
        let bits = [w0, w1, w2, w3, whole.into()][word];
        let bit = _pdep_u64(1_u64.unbounded_shl(squares - before[word]), bits);
        let outline = Self {
            kings,
            counts: [before[1] as u8, before[2] as u8, before[3] as u8],
            rest: (256 - 64 * word as u32).wrapping_sub(bit.trailing_zeros()) as u8,
        };
        (bit != 0).then_some(outline)
    }

    /// The header of the position.
    #[inline(always)]
    pub(crate) fn header(self, bytes: &[u8; 32]) -> Header {
        Header {
            side: Color::ALL[usize::from(bytes[0] & 1)],
            kings: ByColor(self.kings),
        }
    }
}

impl Outlines {
    /// Nothing known.
    pub(crate) const EMPTY: Self = Self {
        starts: [[0; 4]; MANY],
        kings: [[0; MANY]; 2],
        counts: [[0; MANY]; 3],
        rest: [0; MANY],
        good: [0; MANY / 64],
    };

    /// The outline of position `i`.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> Option<Outline> {
        (self.good[i / 64] >> (i % 64) & 1 != 0).then(|| Outline {
            kings: [self.kings[0][i], self.kings[1][i]],
            counts: [self.counts[0][i], self.counts[1][i], self.counts[2][i]],
            rest: self.rest[i],
        })
    }
}
