//! Which squares a side attacks, and which it attacks at least twice.

use shogi_core::attacks::{bishop_attacks, king_attacks, lance_attacks, rook_attacks};
use shogi_core::{Bitboard, Color, MoveClass, Position};

use super::weights;

/// One side's attacks. Pins are ignored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attacks {
    /// Attacked by anything but the king.
    pub(super) once: Bitboard,
    /// Attacked by at least two pieces other than the king.
    pub(super) twice: Bitboard,
    /// Attacked by a pawn.
    pub(super) pawns: Bitboard,
    /// Next to the king.
    pub(super) king: Bitboard,
    /// Bonus for the squares that bishops and rooks reach.
    pub(super) mobility: i32,
}

impl Attacks {
    /// The attacks of `color`.
    pub(super) fn new(position: &Position, color: Color) -> Self {
        let class = |class: MoveClass| position.class_of(color, class);
        let pawns = class(MoveClass::Pawn).forward(color);
        let mut attacks = Self {
            once: pawns,
            twice: Bitboard::EMPTY,
            pawns,
            king: position.king(color).map_or(Bitboard::EMPTY, king_attacks),
            mobility: 0,
        };
        attacks.add_steps(position, color);
        attacks.add_sliders(position, color);
        attacks
    }

    #[inline(always)]
    fn add(&mut self, set: Bitboard) {
        self.twice |= self.once & set;
        self.once |= set;
    }

    /// Steps of all pieces of a kind at once: one shift for each direction.
    fn add_steps(&mut self, position: &Position, color: Color) {
        let class = |class: MoveClass| position.class_of(color, class);
        let knights = class(MoveClass::Knight).forward(color).forward(color);
        self.add(knights.left());
        self.add(knights.right());

        let (golds, silvers) = (class(MoveClass::Gold), class(MoveClass::Silver));
        let (horses, dragons) = (class(MoveClass::Horse), class(MoveClass::Dragon));
        // Straight ahead and diagonally ahead: golds and silvers.
        let generals = golds | silvers;
        let ahead = generals.forward(color);
        self.add(ahead | horses.forward(color));
        self.add(ahead.left() | dragons.forward(color).left());
        self.add(ahead.right() | dragons.forward(color).right());
        // Sideways and straight back: golds; diagonally back: silvers.
        self.add((golds | horses).left());
        self.add((golds | horses).right());
        let back = color.flip();
        self.add((golds | horses).forward(back));
        let behind = (silvers | dragons).forward(back);
        self.add(behind.left());
        self.add(behind.right());
    }

    fn add_sliders(&mut self, position: &Position, color: Color) {
        let class = |class: MoveClass| position.class_of(color, class);
        let occupied = position.occupied();
        let mut mobility = 0;
        (class(MoveClass::Bishop) | class(MoveClass::Horse)).for_each(|square| {
            let set = bishop_attacks(square, occupied);
            mobility += weights::DIAGONAL_MOBILITY * set.len() as i32;
            self.add(set);
        });
        (class(MoveClass::Rook) | class(MoveClass::Dragon)).for_each(|square| {
            let set = rook_attacks(square, occupied);
            mobility += weights::STRAIGHT_MOBILITY * set.len() as i32;
            self.add(set);
        });
        class(MoveClass::Lance).for_each(|square| self.add(lance_attacks(color, square, occupied)));
        self.mobility = mobility;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::Square;

    #[test]
    fn planes_count_attackers() {
        for sfen in [
            Position::STARTPOS_SFEN,
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "4k4/9/3+R1+B3/4S4/3NLG3/2+P+S5/9/9/4K4 b - 1",
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            for color in Color::ALL {
                let attacks = Attacks::new(&position, color);
                let kings = position.class(MoveClass::King);
                for square in Square::ALL {
                    let attackers =
                        position.attackers_of(color, square, position.occupied()) - kings;
                    assert_eq!(
                        attacks.once.contains(square),
                        attackers.any(),
                        "{sfen} {square}"
                    );
                    assert_eq!(
                        attacks.twice.contains(square),
                        attackers.len() > 1,
                        "{sfen} {square}"
                    );
                }
            }
        }
    }
}
