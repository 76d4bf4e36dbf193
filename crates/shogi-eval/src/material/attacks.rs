//! Attacks on squares, kings, and what they are worth, in a unit in which every term is an integer.

use shogi_core::{Color, Piece, Position, Square};

use super::MaterialLevel;
use crate::seen_by;

/// Most pieces of one side that can attack a square: eight from around it and two knights.
pub(super) const MOST: usize = 10;

/// The number of attacks of each side on each square. Kings and pinned pieces attack like others; sliders end at
/// the first piece.
pub(super) fn attack_counts(position: &Position) -> [[u8; Square::COUNT]; 2] {
    let mut counts = [[0; Square::COUNT]; 2];
    for from in position.occupied() {
        let Some(piece) = position.piece_on(from) else {
            continue;
        };
        for square in position.attacks_from(from) {
            counts[piece.color().index()][square.index()] += 1;
        }
    }
    counts
}

/// A square as a king sees it that looks up the board: files to the side (0 to 8, the sides are alike),
/// ranks down (−8 to 8) plus 8.
type Relation = [usize; 2];

/// The relation of `square` to `king`, both as the king's owner sees them.
fn relation(king: Square, square: Square) -> Relation {
    let [king, square] = [king, square].map(|square| [square.index() / 9, square.index() % 9]);
    [king[0].abs_diff(square[0]), 8 + square[1] - king[1]]
}

/// The value of attacks by relation to a king, then by their number.
type ByRelation = [[[Exact; MOST + 1]; 17]; 9];

/// The values of attacks on squares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AttackValues {
    /// To the side of the king: the attacks of that side.
    own: ByRelation,
    /// Against the side of the king: the attacks of the other.
    enemy: ByRelation,
}

/// The value of attacks on one square, by their number, in 1/1024 of one. The differences are
/// a geometric sequence: 6365 − 5341 × 0.8525ⁿ⁻¹.
const SEVERAL: [Exact; MOST + 1] = [
    0, 1024, 1811, 2483, 3055, 3544, 3960, 4314, 4617, 4875, 5094,
];

/// Directions from a king, from straight up by way of the side to straight down. 1, 3, 5 and 7 are
/// between the straight lines and the diagonals.
const DIRECTIONS: usize = 9;

/// The worth of attacks in each direction, in 1/1024, from level 9 on.
const OWN_RATES: [Exact; DIRECTIONS] = [1120, 1872, 112, 760, 744, 880, 1320, 600, 904];
const ENEMY_RATES: [Exact; DIRECTIONS] = [1056, 1714, 1688, 1208, 248, 240, 496, 816, 928];
/// The rate that changes nothing.
const PLAIN: Exact = 1024;

/// The direction of a relation; `None` for the king's own square.
fn direction([side, down]: Relation) -> Option<usize> {
    let (ahead, vertical) = (down < 8, down.abs_diff(8));
    let from_above = match (side, vertical) {
        (0, 0) => return None,
        (0, _) => 0,
        (_, 0) => 4,
        _ => match side.cmp(&vertical) {
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Equal => 2,
            std::cmp::Ordering::Greater => 3,
        },
    };
    Some(if ahead || vertical == 0 {
        from_above
    } else {
        DIRECTIONS - 1 - from_above
    })
}

impl AttackValues {
    /// The values of `level`; `None` below level 3.
    pub(super) fn of_level(level: MaterialLevel) -> Option<Self> {
        // An attack next to the own king is worth half of this, and so on.
        let [own, enemy]: [Exact; 2] = match level.get() {
            ..=2 => return None,
            3 => [68, 96],
            4 => [85, 98],
            _ => [83, 92],
        };
        Some(Self {
            own: table(level, own, &OWN_RATES),
            enemy: table(level, enemy, &ENEMY_RATES),
        })
    }

    /// The value of the attacks on `square` to black. `counts` are black's and white's.
    pub(super) fn of_square(
        &self,
        kings: [Square; 2],
        square: Square,
        counts: [usize; 2],
    ) -> Exact {
        let near = |color: Color| {
            let [king, square] =
                [kings[color.index()], square].map(|square| seen_by(color, square));
            let [side, down] = relation(king, square);
            let own = self.own[side][down][counts[color.index()]];
            own - self.enemy[side][down][counts[color.flip().index()]]
        };
        near(Color::Black) - near(Color::White)
    }
}

fn table(level: MaterialLevel, worth: Exact, rates: &[Exact; DIRECTIONS]) -> ByRelation {
    let mut values = [[[0; MOST + 1]; 17]; 9];
    for (side, column) in values.iter_mut().enumerate() {
        for (down, by_number) in column.iter_mut().enumerate() {
            let distance = side.max(down.abs_diff(8)) as Exact;
            let one = worth * 1024 / (distance + 1);
            let rate = match direction([side, down]) {
                Some(direction) if level.get() >= 9 => rates[direction],
                _ => PLAIN,
            };
            for (number, value) in by_number.iter_mut().enumerate() {
                let several = if level.get() == 3 {
                    1024 * number as Exact
                } else {
                    SEVERAL[number]
                };
                *value = several * one * rate;
                if level.get() < 6 {
                    // These levels round at once.
                    *value -= *value % ONE;
                }
            }
        }
    }
    values
}

/// The value of having the king on a square, by rank, and from the 9th to the 1st file, as its
/// owner sees the board: high where it has entered the enemy's camp.
const PLACES: [[i32; 9]; 9] = [
    [875, 655, 830, 680, 770, 815, 720, 945, 755],
    [605, 455, 610, 595, 730, 610, 600, 590, 615],
    [565, 640, 555, 525, 635, 565, 440, 600, 575],
    [520, 515, 580, 420, 640, 535, 565, 500, 510],
    [220, 355, 240, 375, 340, 335, 305, 275, 320],
    [500, 530, 560, 445, 510, 395, 455, 490, 410],
    [345, 275, 250, 355, 295, 280, 420, 235, 135],
    [335, 370, 385, 255, 295, 200, 265, 305, 305],
    [255, 225, 245, 295, 200, 320, 275, 70, 200],
];

/// The value of having the king on `square`, as its owner sees it.
pub(super) fn king_place(square: Square) -> i32 {
    PLACES[square.index() % 9][8 - square.index() / 9]
}

/// The value of `square` to black if it is next to a king. An own piece there is good, most if only the
/// king protects it; a square that only the king protects and no own piece stands on is bad.
pub(super) fn around_king(
    kings: [Square; 2],
    square: Square,
    counts: [usize; 2],
    piece: Option<Piece>,
) -> Exact {
    let of = |color: Color| {
        if !is_next_to(kings[color.index()], square) {
            return 0;
        }
        let is_own = piece.is_some_and(|piece| piece.color() == color);
        // The king attacks it in any case.
        let is_protected = counts[color.index()] > 1;
        match (is_own, is_protected) {
            (true, false) => 20,
            (true, true) => 11,
            (false, false) => -11,
            (false, true) => 0,
        }
    };
    (of(Color::Black) - of(Color::White)) * ONE
}

fn is_next_to(king: Square, square: Square) -> bool {
    let files = (king.index() / 9).abs_diff(square.index() / 9);
    let ranks = (king.index() % 9).abs_diff(square.index() % 9);
    files.max(ranks) == 1
}

/// A value in 1/[`ONE`] of the internal unit. Every term is an integer in it, and sums of them fit
/// with ease.
pub(super) type Exact = i64;

/// The internal unit: attacks come in 2⁻²⁰, times a rate in 2⁻¹⁰.
pub(super) const ONE: Exact = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_on_a_square_become_less_and_less_worth() {
        let mut less = 5341.0;
        for (number, &value) in SEVERAL.iter().enumerate().skip(1) {
            assert_eq!(value, (6365.0_f64 - less) as Exact, "{number}");
            less *= 0.8525;
        }
    }

    #[test]
    fn directions_go_round_half_a_circle() {
        let relations = [
            [0, 5],
            [1, 6],
            [3, 5],
            [3, 7],
            [8, 8],
            [2, 9],
            [2, 10],
            [2, 11],
            [0, 9],
        ];
        for (number, &relation) in relations.iter().enumerate() {
            assert_eq!(direction(relation), Some(number), "{relation:?}");
        }
        assert_eq!(direction([0, 8]), None);
    }

    #[test]
    fn relations_are_the_same_on_both_sides() {
        assert_eq!(relation(Square::S5I, Square::S3G), [2, 6]);
        assert_eq!(relation(Square::S5I, Square::S7G), [2, 6]);
        assert_eq!(relation(Square::S1A, Square::S9I), [8, 16]);
    }

    #[test]
    fn attacks_are_counted_up_to_the_first_piece() {
        let position = Position::from_sfen("4k4/9/9/9/4p4/9/4R4/4R4/4K4 b - 1").unwrap();
        let [black, white] = attack_counts(&position);
        assert_eq!(black[Square::S5G.index()], 1);
        assert_eq!(black[Square::S5H.index()], 2);
        assert_eq!(black[Square::S5E.index()], 1);
        assert_eq!(black[Square::S5D.index()], 0);
        assert_eq!(white[Square::S5F.index()], 1);
    }
}
