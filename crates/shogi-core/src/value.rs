//! Piece values used by exchanges and by the material count.

use crate::{Color, HandKind, PieceKind, Position};

impl PieceKind {
    /// What the piece is worth in an exchange, in the internal unit of the field's evaluation files
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
