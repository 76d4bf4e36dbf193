//! Symmetries of the board.

use crate::square::{Square, Squares};
use crate::{Board, Move};

// The eight symmetries of the board, and canonical boards.
//
// A symmetry has a number from 0 to 7: bit 0 mirrors left and right, bit 1 then mirrors top and bottom,
// bit 2 then swaps files and ranks (a1 and h8 stay). Edax uses these numbers.

/// A symmetry of the board: a rotation or a reflection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(pub(super) u8);

/// A canonical board and the symmetry that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Canonical {
    /// The canonical board.
    pub board: Board,
    /// The symmetry from the original board to the canonical one.
    pub symmetry: Symmetry,
}

impl Canonical {
    /// The symmetry from the canonical board back to the original one.
    #[inline]
    pub const fn back(self) -> Symmetry {
        self.symmetry.inverse()
    }
}

impl Symmetry {
    /// The identity.
    pub const IDENTITY: Self = Self(0);

    /// The rotation by 180 degrees: a1 becomes h8, which reverses the bits.
    pub const ROTATION: Self = Self(3);

    /// All eight symmetries by number.
    pub const ALL: [Self; 8] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// The number, 0 to 7 (see the module).
    #[inline]
    pub const fn number(self) -> u8 {
        self.0 & 7
    }

    /// Applies the symmetry to a set of squares.
    #[inline]
    pub const fn squares(self, squares: Squares) -> Squares {
        let mut bits = squares.0;
        if self.0 & 1 != 0 {
            bits = mirror_files(bits);
        }
        if self.0 & 2 != 0 {
            bits = bits.swap_bytes();
        }
        if self.0 & 4 != 0 {
            bits = transpose(bits);
        }
        Squares(bits)
    }

    /// Applies the symmetry to a board.
    #[inline]
    pub const fn board(self, board: Board) -> Board {
        Board::of(
            self.squares(Squares(board.mover())).0,
            self.squares(Squares(board.opponent())).0,
        )
    }

    /// Applies the symmetry to a square.
    #[inline]
    pub const fn square(self, square: Square) -> Square {
        let mut number = square.number();
        if self.0 & 1 != 0 {
            number ^= 0o7;
        }
        if self.0 & 2 != 0 {
            number ^= 0o70;
        }
        if self.0 & 4 != 0 {
            number = (number >> 3) | (number & 7) << 3;
        }
        Square::ALL[(number & 63) as usize]
    }

    /// Applies the symmetry to a move. A pass stays a pass.
    #[inline]
    pub const fn apply(self, mv: Move) -> Move {
        match mv {
            Move::Place(square) => Move::Place(self.square(square)),
            Move::Pass => Move::Pass,
        }
    }

    /// The inverse symmetry.
    #[inline]
    pub const fn inverse(self) -> Self {
        // With the swap last, the two mirrors change places; only a quarter turn has just one of them.
        match self.0 {
            5 => Self(6),
            6 => Self(5),
            _ => self,
        }
    }

    /// The composition: this symmetry, then `next`.
    #[inline]
    pub const fn then(self, next: Self) -> Self {
        let mirrors = if self.0 & 4 != 0 {
            // The mirrors of `next` come behind the swap; before it they are each other.
            (next.0 & 1) << 1 | (next.0 & 2) >> 1
        } else {
            next.0 & 3
        };
        Self((self.0 & 3) ^ mirrors | (self.0 ^ next.0) & 4)
    }
}

impl Board {
    /// The smallest of the eight images of the board, comparing the mover's discs as a number and then the
    /// opponent's, and the first symmetry, by number, that leads to it.
    ///
    /// Books of Edax and Egaroucid keep a position under this form. Both have the same numbers for it, though
    /// they count squares from opposite corners: the rotation by 180 degrees is one of the eight.
    #[inline]
    pub fn canonical(self) -> Canonical {
        self.canonical_by(&Symmetry::ALL)
    }

    /// The smallest image, and the first symmetry in `order` that leads to it. Self-symmetric boards have several, of which
    /// programs take different ones.
    #[inline]
    pub fn canonical_by(self, order: &[Symmetry; 8]) -> Canonical {
        let swap = |board| Symmetry(4).board(board);
        let [a, b, c, d] = [0, 1, 2, 3].map(|n| Symmetry(n).board(self));
        let images = [a, b, c, d, swap(a), swap(b), swap(c), swap(d)];
        let mut best = order[0];
        for symmetry in order {
            if images[symmetry.0 as usize & 7] < images[best.0 as usize & 7] {
                best = *symmetry;
            }
        }
        Canonical {
            board: images[best.0 as usize & 7],
            symmetry: best,
        }
    }

    /// Returns whether the board is the canonical one of its eight images.
    #[inline]
    pub fn is_canonical(self) -> bool {
        self.canonical().board == self
    }
}

/// Mirrors left and right: reverses the bits of each byte.
pub(super) const fn mirror_files(bits: u64) -> u64 {
    bits.reverse_bits().swap_bytes()
}

/// Transposes files and ranks.
pub(super) const fn transpose(mut bits: u64) -> u64 {
    let mut swap = (bits ^ (bits >> 7)) & 0x00aa_00aa_00aa_00aa;
    bits ^= swap ^ (swap << 7);
    swap = (bits ^ (bits >> 14)) & 0x0000_cccc_0000_cccc;
    bits ^= swap ^ (swap << 14);
    swap = (bits ^ (bits >> 28)) & 0x0000_0000_f0f0_f0f0;
    bits ^ swap ^ (swap << 28)
}
