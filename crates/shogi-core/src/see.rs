//! Static exchange evaluation (SEE), and the values of pieces.
//!
//! The usual swap algorithm in the field's convention: both sides capture on one square with their
//! least valuable piece as long as it pays. A captured piece counts once (nothing for going into
//! the hand), promotions count nothing, a drop starts by risking the dropped piece. Pieces pinned to
//! their king do not take part while the pinning piece stands.

use crate::attacks::{diagonals, orthogonals};
use crate::{Bitboard, Color, HandKind, Move, MoveClass, PieceKind, Position};

/// More than any exchange can win or lose: the king's value in the exchange.
const KING_VALUE: i32 = 15_000;

/// Attackers from the least to the most valuable, the king last.
const ORDER: [(MoveClass, i32); 10] = [
    (MoveClass::Pawn, PieceKind::Pawn.exchange_value()),
    (MoveClass::Lance, PieceKind::Lance.exchange_value()),
    (MoveClass::Knight, PieceKind::Knight.exchange_value()),
    (MoveClass::Silver, PieceKind::Silver.exchange_value()),
    (MoveClass::Gold, PieceKind::Gold.exchange_value()),
    (MoveClass::Bishop, PieceKind::Bishop.exchange_value()),
    (MoveClass::Rook, PieceKind::Rook.exchange_value()),
    (MoveClass::Horse, PieceKind::Horse.exchange_value()),
    (MoveClass::Dragon, PieceKind::Dragon.exchange_value()),
    (MoveClass::King, KING_VALUE),
];

const fn value(kind: PieceKind) -> i32 {
    match kind {
        PieceKind::King => KING_VALUE,
        kind => kind.exchange_value(),
    }
}

impl Position {
    /// Returns whether the exchange that the pseudo-legal move `m` starts on its destination wins at least
    /// `threshold` for the mover (in the unit of [`PieceKind::exchange_value`]).
    pub fn see_ge(&self, m: Move, threshold: i32) -> bool {
        let to = m.to();
        let captured = self.piece_on(to).map_or(0, |piece| value(piece.kind()));
        let mut swap = captured - threshold;
        if swap < 0 {
            return false;
        }
        swap = value(m.piece_before().kind()) - swap;
        if swap <= 0 {
            return true;
        }

        let origin = m.from().map_or(Bitboard::EMPTY, Bitboard::from_square);
        let mut occupied = (self.occupied() - origin) | to.into();
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut side = m.color();
        let mut wins = true;
        loop {
            side = side.flip();
            attackers &= occupied;
            let own = self.exchange_attackers(side, attackers & self.color(side), occupied);
            if own.is_empty() {
                return wins;
            }
            wins = !wins;
            let Some((class, piece_value)) = self.least_valuable(own) else {
                return wins;
            };
            if class == MoveClass::King {
                // The king takes only what is not defended.
                return if (attackers & self.color(side.flip())).any() {
                    !wins
                } else {
                    wins
                };
            }
            swap = piece_value - swap;
            if swap < i32::from(wins) {
                return wins;
            }
            let taker = own & self.class(class);
            occupied = occupied - taker.first().map_or(Bitboard::EMPTY, Bitboard::from_square);
            attackers |= self.sliders_onto(to, occupied);
        }
    }

    /// The largest threshold for which [`Self::see_ge`] holds.
    pub fn see(&self, m: Move) -> i32 {
        let (mut low, mut high) = (-2 * KING_VALUE, 2 * KING_VALUE);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.see_ge(m, middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// `own` attackers without those that are pinned to their king by a slider still on the board.
    fn exchange_attackers(&self, side: Color, own: Bitboard, occupied: Bitboard) -> Bitboard {
        let Some(king) = self.king(side) else {
            return own;
        };
        // Only what stands on the king's lines can be pinned.
        if (own & (orthogonals(king) | diagonals(king))).is_empty() {
            return own;
        }
        let pins = self.pins(side, king);
        if (pins.pinners & occupied).any() {
            own - pins.pinned
        } else {
            own
        }
    }

    fn least_valuable(&self, own: Bitboard) -> Option<(MoveClass, i32)> {
        ORDER
            .into_iter()
            .find(|&(class, _)| (own & self.class(class)).any())
    }
}

// Piece values used by exchanges and by the material count.

impl PieceKind {
    /// The value of the piece in an exchange, in the internal unit of the field's evaluation files
    /// (a pawn is 90; YaneuraOu `evaluate.h`). 0 for the king.
    #[inline(always)]
    pub const fn exchange_value(self) -> i32 {
        match self {
            Self::Pawn => 90,
            Self::Lance => 315,
            Self::Knight => 405,
            Self::Silver => 495,
            Self::Gold | Self::ProPawn | Self::ProLance | Self::ProKnight | Self::ProSilver => 540,
            Self::Bishop => 855,
            Self::Rook => 990,
            Self::Horse => 945,
            Self::Dragon => 1395,
            Self::King => 0,
        }
    }
}

impl Position {
    /// Black's pieces on the board and in hand minus white's, by [`PieceKind::exchange_value`].
    pub fn material(&self) -> i32 {
        let mut sum = 0;
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                let value = piece.kind().exchange_value();
                sum += if piece.color() == Color::Black {
                    value
                } else {
                    -value
                };
            }
        }
        for kind in HandKind::ALL {
            let black = i32::from(self.hand(Color::Black).count(kind));
            let white = i32::from(self.hand(Color::White).count(kind));
            sum += (black - white) * kind.piece_kind().exchange_value();
        }
        sum
    }
}
