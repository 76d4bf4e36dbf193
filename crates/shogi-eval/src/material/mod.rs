//! Material: the values of the pieces alone, and with an eye on attacks (levels 1 to 9).

mod attacks;
mod level;

use shogi_core::{Color, Delta, Piece, PieceKind, Position, Square};

use crate::{Evaluator, MAX_VALUE, seen_by};

use attacks::{AttackValues, Exact, MOST, ONE, around_king, attack_counts, king_place};
pub use level::MaterialLevel;

/// The sum of the pieces' exchange values, on the board and in hand alike (YaneuraOu: material
/// level 1). Kept up to date move by move.
#[derive(Clone, Debug)]
pub struct MaterialEvaluator {
    /// Black's material minus white's after each pushed move; never empty.
    stack: Vec<i32>,
}

impl Default for MaterialEvaluator {
    fn default() -> Self {
        Self { stack: vec![0] }
    }
}

impl MaterialEvaluator {
    /// An evaluator that waits for [`Evaluator::reset`].
    pub fn new() -> Self {
        Self::default()
    }
}

/// The change of black's material minus white's by a move.
pub(crate) fn material_change(delta: &Delta) -> i32 {
    let mut mover_gain = 0;
    let mut mover = Color::Black;
    if let Some((after, _)) = delta.moved.after {
        mover = after.color();
        if let Some((before, _)) = delta.moved.before {
            mover_gain += after.kind().exchange_value() - before.kind().exchange_value();
        }
    }
    if let Some((piece, _)) = delta.captured.and_then(|change| change.before) {
        // It leaves one side and goes to the other's hand, unpromoted.
        mover_gain += piece.kind().exchange_value() + piece.kind().unpromote().exchange_value();
    }
    if mover == Color::Black {
        mover_gain
    } else {
        -mover_gain
    }
}

impl Evaluator for MaterialEvaluator {
    fn reset(&mut self, position: &Position) {
        self.stack.clear();
        self.stack.push(position.material());
    }

    fn push(&mut self, delta: Option<&Delta>) {
        let last = self.stack.last().copied().unwrap_or(0);
        self.stack.push(last + delta.map_or(0, material_change));
    }

    fn pop(&mut self) {
        self.stack.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        let material = self.stack.last().copied().unwrap_or(0);
        debug_assert_eq!(material, position.material());
        if position.side_to_move() == Color::Black {
            material
        } else {
            -material
        }
    }
}

/// Evaluates with a material level.
///
/// Material is kept up to date move by move; the rest is computed when a value is asked for. A king that
/// is missing (tsume problems) is taken to stand where it starts the game.
#[derive(Clone, Debug)]
pub struct LevelEvaluator {
    level: MaterialLevel,
    material: MaterialEvaluator,
    /// The values of attacks; the levels 1 and 2 do not look at them.
    attacks: Option<Box<AttackValues>>,
}

impl LevelEvaluator {
    /// An evaluator that waits for [`Evaluator::reset`].
    pub fn new(level: MaterialLevel) -> Self {
        Self {
            level,
            material: MaterialEvaluator::new(),
            attacks: AttackValues::of_level(level).map(Box::new),
        }
    }

    /// The level.
    pub const fn level(&self) -> MaterialLevel {
        self.level
    }

    /// The value beyond black's material.
    fn beyond_material(&self, position: &Position) -> i32 {
        let Some(attacks) = &self.attacks else {
            let pieces = Square::ALL.map(|square| position.piece_on(square));
            let discounts = pieces.into_iter().flatten().map(discount);
            return -discounts.sum::<i32>();
        };
        let level = self.level.get();
        let kings =
            Color::ALL.map(|color| position.king(color).unwrap_or(seen_by(color, Square::S5I)));
        let [black, white] = attack_counts(position);
        let most = if level < 6 { MOST } else { 2 };
        let mut sum = 0;
        for square in Square::ALL {
            let counts = [black, white].map(|counts| usize::from(counts[square.index()]).min(most));
            let mut value = attacks.of_square(kings, square, counts);
            let piece = position.piece_on(square);
            if level >= 8 {
                value += around_king(kings, square, counts, piece);
            }
            sum += match piece {
                Some(piece) if piece.kind() == PieceKind::King => {
                    self.of_king(value, piece, square)
                }
                Some(piece) => self.rounded(value + self.of_piece(piece, counts)),
                None => self.rounded(value),
            };
        }
        if level >= 7 { sum / SCALE } else { sum }
    }

    /// The value that a piece other than a king adds to its square.
    fn of_piece(&self, piece: Piece, counts: [usize; 2]) -> Exact {
        if self.level.get() < 7 {
            return -Exact::from(discount(piece)) * ONE;
        }
        let own = counts[piece.color().index()];
        let enemy = counts[piece.color().flip().index()];
        let share = PROTECTED[own] - ATTACKED[enemy] - DISCOUNT;
        Exact::from(worth(piece)) * share * (ONE / 4096)
    }

    /// A square with a king on it.
    fn of_king(&self, value: Exact, king: Piece, square: Square) -> i32 {
        match self.level.get() {
            // Both kings have the discount of a large value here. It goes into the rounding, then cancels.
            6 => {
                let discount = signed(king.color(), 15_000 * 104 / 1024);
                self.rounded(value - Exact::from(discount) * ONE) + discount
            }
            ..=7 => self.rounded(value),
            _ => {
                let place = king_place(seen_by(king.color(), square));
                self.rounded(value + Exact::from(signed(king.color(), place)) * ONE)
            }
        }
    }

    /// The value of a square as the field's tables have it: in 1/[`SCALE`] from level 7 on, 16 bits
    /// from level 6 on.
    fn rounded(&self, value: Exact) -> i32 {
        match self.level.get() {
            ..=5 => (value / ONE) as i32,
            6 => i32::from((value / ONE) as i16),
            _ => i32::from((value / (ONE / Exact::from(SCALE))) as i16),
        }
    }
}

/// The bonus of a piece by the number of own attacks on it (2: or more), in 1/4096 of its worth.
const PROTECTED: [Exact; 3] = [0, 33, 43];
/// The malus by the number of the enemy's attacks.
const ATTACKED: [Exact; 3] = [0, 113, 122];
/// The malus for standing on the board.
const DISCOUNT: Exact = 416;

/// Parts of a unit that are kept from level 7 on.
const SCALE: i32 = 32;

/// `value` for black, its negative for white.
const fn signed(color: Color, value: i32) -> i32 {
    match color {
        Color::Black => value,
        Color::White => -value,
    }
}

/// The value of a piece to black.
fn worth(piece: Piece) -> i32 {
    signed(piece.color(), piece.kind().exchange_value())
}

/// The amount by which a piece on the board is worth less than one in hand, to black.
fn discount(piece: Piece) -> i32 {
    worth(piece) * 104 / 1024
}

impl Evaluator for LevelEvaluator {
    fn reset(&mut self, position: &Position) {
        self.material.reset(position);
    }

    fn push(&mut self, delta: Option<&Delta>) {
        self.material.push(delta);
    }

    fn pop(&mut self) {
        self.material.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        let material = self.material.evaluate(position);
        if self.level == MaterialLevel::FIRST {
            return material;
        }
        let beyond = signed(position.side_to_move(), self.beyond_material(position));
        (material + beyond).clamp(-MAX_VALUE, MAX_VALUE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_numbers() {
        assert_eq!(MaterialLevel::new(1), Some(MaterialLevel::FIRST));
        assert_eq!(MaterialLevel::new(9), Some(MaterialLevel::LAST));
        assert_eq!([0, 10].map(MaterialLevel::new), [None; 2]);
        assert_eq!(MaterialLevel::default(), MaterialLevel::FIRST);
    }

    #[test]
    fn both_sides_are_worth_the_same_at_the_start() {
        for number in 1..=9 {
            let mut evaluator = LevelEvaluator::new(MaterialLevel(number));
            let position = Position::startpos();
            evaluator.reset(&position);
            assert_eq!(evaluator.evaluate(&position), 0, "level {number}");
        }
    }

    #[test]
    fn a_piece_on_the_board_is_discounted_from_level_2_on() {
        let position = Position::from_sfen("4k4/9/9/9/5R3/9/9/9/4K4 b G 1").unwrap();
        let value = |number| {
            let mut evaluator = LevelEvaluator::new(MaterialLevel(number));
            evaluator.reset(&position);
            evaluator.evaluate(&position)
        };
        assert_eq!(value(1), 990 + 540);
        assert_eq!(value(2), 990 + 540 - 100);
    }
}
