//! Squares around a king that the enemy attacks.

use crate::attacks::{bishop_attacks, lance_attacks, rook_attacks};
use crate::color::Side;
use crate::{Bitboard, Color, MoveClass, Position, Square};

/// For each king square, where an enemy piece must stand to attack one of the king's neighbours on
/// an empty board.
pub(crate) struct Reach {
    /// Pieces that step (the square distance is at most two), knights included: three ranks ahead.
    steps: [Bitboard; 2],
    /// Bishops and horses.
    diagonal: Bitboard,
    /// Rooks and dragons.
    straight: Bitboard,
    /// Lances of the enemy, by the king's colour.
    lances: [Bitboard; 2],
}

impl Reach {
    /// The squares for a king on `king`.
    #[inline(always)]
    pub(crate) fn of(king: Square) -> &'static Self {
        &REACH[king as usize]
    }

    /// The squares from which a stepping piece attacks a neighbour of a king of `color`.
    #[inline(always)]
    pub(crate) const fn steps(&self, color: Color) -> Bitboard {
        self.steps[color as usize]
    }

    /// The same for a bishop or horse.
    #[inline(always)]
    pub(crate) const fn diagonal(&self) -> Bitboard {
        self.diagonal
    }

    /// The same for a rook or dragon.
    #[inline(always)]
    pub(crate) const fn straight(&self) -> Bitboard {
        self.straight
    }

    /// The squares from which a lance attacks a neighbour of a king of `color`.
    #[inline(always)]
    pub(crate) const fn lances(&self, color: Color) -> Bitboard {
        self.lances[color as usize]
    }
}

static REACH: [Reach; 81] = {
    const EMPTY: Reach = Reach {
        steps: [Bitboard::EMPTY; 2],
        diagonal: Bitboard::EMPTY,
        straight: Bitboard::EMPTY,
        lances: [Bitboard::EMPTY; 2],
    };
    let mut table = [const { EMPTY }; 81];
    let mut i = 0;
    while i < 81 {
        table[i] = reach(Square::ALL[i]);
        i += 1;
    }
    table
};

const fn reach(king: Square) -> Reach {
    let mut reach = Reach {
        steps: [Bitboard::EMPTY; 2],
        diagonal: Bitboard::EMPTY,
        straight: Bitboard::EMPTY,
        lances: [Bitboard::EMPTY; 2],
    };
    let mut i = 0;
    while i < 81 {
        let from = Square::ALL[i];
        let bit = Bitboard::from_square(from);
        let files = (from as i32 / 9 - king as i32 / 9).abs();
        // Positive: towards rank a.
        let up = king as i32 % 9 - from as i32 % 9;
        let near = files <= 2 && up.abs() <= 2;
        if near || files <= 2 && up == 3 {
            reach.steps[0] = reach.steps[0].or(bit);
        }
        if near || files <= 2 && up == -3 {
            reach.steps[1] = reach.steps[1].or(bit);
        }
        // Lines of the 3x3 block around the king.
        let falling = (files_signed(from, king) - up).abs();
        let rising = (files_signed(from, king) + up).abs();
        if falling <= 2 || rising <= 2 {
            reach.diagonal = reach.diagonal.or(bit);
        }
        if files <= 1 || up.abs() <= 1 {
            reach.straight = reach.straight.or(bit);
        }
        if files <= 1 && up >= 0 {
            reach.lances[0] = reach.lances[0].or(bit);
        }
        if files <= 1 && up <= 0 {
            reach.lances[1] = reach.lances[1].or(bit);
        }
        i += 1;
    }
    reach
}

const fn files_signed(a: Square, b: Square) -> i32 {
    a as i32 / 9 - b as i32 / 9
}

/// The king's neighbour squares (and possibly others) that the enemies of `S`'s king on `king` attack,
/// looking through the king itself so that it cannot hide behind its own shadow.
#[inline(always)]
pub(super) fn attacked_around<S: Side>(position: &Position, king: Square) -> Bitboard {
    let class = |class: MoveClass| position.class(class);
    let enemy = position.color(S::THEM);
    let reach = Reach::of(king);
    let mut set = Bitboard::EMPTY;

    let near = enemy & reach.steps(S::US);
    if near.any() {
        set = steps::<S>(position, near);
    }

    let diagonal = (class(MoveClass::Bishop) | class(MoveClass::Horse)) & reach.diagonal;
    let straight = (class(MoveClass::Rook) | class(MoveClass::Dragon)) & reach.straight;
    let lances = class(MoveClass::Lance) & reach.lances(S::US);
    if ((diagonal | straight | lances) & enemy).any() {
        let occupied = position.occupied() - king.into();
        (diagonal & enemy).for_each(|from| set |= bishop_attacks(from, occupied));
        (straight & enemy).for_each(|from| set |= rook_attacks(from, occupied));
        (lances & enemy).for_each(|from| set |= lance_attacks(S::THEM, from, occupied));
    }
    set
}

/// Everything that the enemy's pieces of `near` attack by stepping: all pieces of a direction in
/// one shift.
#[inline(always)]
fn steps<S: Side>(position: &Position, near: Bitboard) -> Bitboard {
    let class = |class: MoveClass| position.class(class) & near;
    let forward = |set: Bitboard| set.forward(S::THEM);
    let back = |set: Bitboard| set.forward(S::US);
    let sides = |set: Bitboard| set.left() | set.right();

    let gold_king = class(MoveClass::Gold) | class(MoveClass::King);
    let silver = class(MoveClass::Silver);
    let king_dragon = class(MoveClass::King) | class(MoveClass::Dragon);
    let straight = gold_king | class(MoveClass::Horse);
    let diagonal_ahead = gold_king | silver | class(MoveClass::Dragon);
    let diagonal_back = silver | king_dragon;

    let knights = forward(forward(class(MoveClass::Knight)));
    sides(straight | forward(diagonal_ahead) | back(diagonal_back) | knights)
        | forward(straight | silver | class(MoveClass::Pawn))
        | back(straight)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table must hold every square from which some piece attacks a neighbour.
    #[test]
    fn reach_is_wide_enough() {
        use crate::attacks::{attacks, king_attacks, step_attacks};
        for king in Square::ALL {
            let around = king_attacks(king);
            for from in Square::ALL {
                for us in Color::ALL {
                    let them = us.flip();
                    for class in MoveClass::ALL {
                        let hits = |set: Bitboard| (set & around).any();
                        let reach = &REACH[king as usize];
                        if hits(step_attacks(them, class, from)) {
                            assert!(reach.steps[us as usize].contains(from), "{class:?}");
                        }
                        let slides = hits(attacks(them, class, from, Bitboard::EMPTY));
                        let table = match class {
                            MoveClass::Lance => reach.lances[us as usize],
                            MoveClass::Bishop => reach.diagonal,
                            MoveClass::Rook => reach.straight,
                            _ => continue,
                        };
                        assert!(!slides || table.contains(from), "{class:?} {from} {king}");
                    }
                }
            }
        }
    }
}
