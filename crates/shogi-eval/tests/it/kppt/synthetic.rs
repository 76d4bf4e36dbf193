//! The pseudo-random tables of `fixtures/eval/kppt`: every value is computed when it is asked for.

use shogi_core::Square;
use shogi_eval::BonaPiece;
use shogi_eval::kppt::{KpptLayout, KpptValue, Tables};
use test_support::SplitMix64;

const PIECES: u64 = BonaPiece::PIECE_END as u64;

/// Largest values of the board and the turn part.
const KK: [i64; 2] = [3000, 300];
const KKP: [i64; 2] = [400, 60];
const KPP: [i64; 2] = [400, 40];

/// Tables as the README of the fixtures defines them.
pub(crate) struct SyntheticTables {
    layout: KpptLayout,
    keys: [u64; 3],
    /// Pairs of a piece with itself and with no piece have values, too.
    dense: bool,
}

/// FNV-1a.
fn key(section: &str) -> u64 {
    section.bytes().fold(0xcbf29ce484222325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3)
    })
}

/// `SplitMix64`'s output number `i`, and a number of -`max`..=`max` from it.
fn value(key: u64, i: u64, max: i64) -> i32 {
    let bits = SplitMix64::nth(key, i);
    ((((bits >> 32) as i64) * (2 * max + 1)) >> 32) as i32 - max as i32
}

impl SyntheticTables {
    /// The tables of the fixtures: KPPT or `KPP_KKPT`.
    pub(crate) fn new(layout: KpptLayout) -> Self {
        Self {
            layout,
            keys: ["1/kk", "1/kkp", "1/kpp"].map(key),
            dense: false,
        }
    }

    /// Tables without zeros: [`BonaPiece::NONE`] and pairs of a piece with itself have values as any
    /// other.
    pub(crate) fn dense(layout: KpptLayout) -> Self {
        Self {
            dense: true,
            ..Self::new(layout)
        }
    }

    fn pair(&self, table: usize, entry: u64, max: [i64; 2]) -> KpptValue {
        let value = |part| value(self.keys[table], 2 * entry + part, max[part as usize]);
        KpptValue {
            board: value(0),
            turn: value(1),
        }
    }
}

fn kings(black: Square, white: Square) -> u64 {
    (black.index() * Square::COUNT + white.index()) as u64
}

impl Tables for SyntheticTables {
    fn kk(&self, black: Square, white: Square) -> KpptValue {
        self.pair(0, kings(black, white), KK)
    }

    fn kkp(&self, black: Square, white: Square, piece: BonaPiece) -> KpptValue {
        if piece == BonaPiece::NONE && !self.dense {
            return KpptValue::default();
        }
        let entry = kings(black, white) * PIECES + piece.index() as u64;
        self.pair(1, entry, KKP)
    }

    fn kpp(&self, king: Square, first: BonaPiece, second: BonaPiece) -> KpptValue {
        let (a, b) = (first.max(second), first.min(second));
        if (a == b || b == BonaPiece::NONE) && !self.dense {
            return KpptValue::default();
        }
        let row = king.index() as u64 * PIECES + a.index() as u64;
        let entry = row * PIECES + b.index() as u64;
        if self.layout == KpptLayout::Kppt {
            self.pair(2, entry, KPP)
        } else {
            KpptValue {
                board: value(self.keys[2], entry, KPP[0]),
                turn: 0,
            }
        }
    }
}
