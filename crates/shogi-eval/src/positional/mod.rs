//! Material, pieces in relation to both kings, attacks on squares and on the kings.
//!
//! The evaluation that the engine plays with when it has no evaluation file. It is small and needs
//! no data; its numbers are in [`weights`], and a file may have others.

mod table;
mod terms;
mod weights;

use std::sync::Arc;

use shogi_core::attacks::{bishop_attacks, king_attacks, lance_attacks, rook_attacks};
use shogi_core::{Bitboard, Color, Delta, HandKind, MoveClass, Position, Rank};

use crate::{Evaluator, MAX_VALUE};

use table::KingPieceSums;

pub use table::PositionalTable;
pub use terms::PositionalTerms;
pub use weights::{PositionalWeight, PositionalWeights, PositionalWeightsError};

/// The positional evaluation.
///
/// The value is the sum of
/// * piece values with bonuses for rank, file, the distance to the own king (shelter) and to the
///   enemy's (attack), and for pieces in hand: incremental, from scratch for a side when its king moves;
/// * squares attacked, reach of bishops and rooks, pieces left hanging or hit by pawns;
/// * danger of each king: attacked and badly defended squares around it, times what the enemy has in
///   hand to drop there;
/// * a bonus for the move.
#[derive(Clone, Debug)]
pub struct PositionalEvaluator {
    table: Arc<PositionalTable>,
    /// Sums after each pushed move, `None` when they have to be computed from scratch; never empty.
    stack: Vec<Option<KingPieceSums>>,
}

impl Default for PositionalEvaluator {
    fn default() -> Self {
        Self::with_table(PositionalTable::built_in())
    }
}

impl PositionalEvaluator {
    /// An evaluator with the built-in numbers that waits for [`Evaluator::reset`].
    pub fn new() -> Self {
        Self::default()
    }

    /// An evaluator with these numbers that waits for [`Evaluator::reset`].
    pub fn with_table(table: Arc<PositionalTable>) -> Self {
        Self {
            table,
            stack: vec![Some(KingPieceSums::EMPTY)],
        }
    }

    /// The sums of the current position.
    fn sums(&mut self, position: &Position) -> KingPieceSums {
        let sums = match self.stack.last() {
            Some(Some(sums)) => *sums,
            _ => KingPieceSums::new(&self.table, position),
        };
        if let Some(last) = self.stack.last_mut() {
            *last = Some(sums);
        }
        debug_assert_eq!(sums, KingPieceSums::new(&self.table, position));
        sums
    }
}

impl Evaluator for PositionalEvaluator {
    fn reset(&mut self, position: &Position) {
        self.stack.clear();
        self.stack
            .push(Some(KingPieceSums::new(&self.table, position)));
    }

    #[inline]
    fn push(&mut self, delta: Option<&Delta>) {
        let last = self.stack.last().copied().flatten();
        self.stack.push(match delta {
            Some(delta) => last.and_then(|sums| sums.after(&self.table, delta)),
            None => last,
        });
    }

    #[inline]
    fn pop(&mut self) {
        self.stack.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        let sums = self.sums(position).total();
        // Compiled for the numbers that the program knows, and for any others.
        let (activity, tempo) = if self.table.is_default {
            const WEIGHTS: &PositionalWeights = &PositionalWeights::DEFAULT;
            (activity(position, WEIGHTS), WEIGHTS.tempo)
        } else {
            let weights = self.table.weights();
            (activity(position, weights), weights.tempo)
        };
        let value = sums + activity;
        let us = position.side_to_move();
        let value = if us == Color::Black { value } else { -value };
        (value + tempo).clamp(-MAX_VALUE, MAX_VALUE)
    }
}

/// The part that is computed from scratch for every position, as black sees it.
#[inline(always)]
fn activity(position: &Position, weights: &PositionalWeights) -> i32 {
    let [black, white] = Activity::both(position);
    black.value(weights) - white.value(weights)
}

/// Counts of one side's squares and pieces that have weights.
#[derive(Clone, Copy, Debug)]
struct Activity {
    /// Squares attacked, and those of them in the enemy camp.
    control: i32,
    control_in_camp: i32,
    /// Squares that bishops and horses, rooks and dragons reach.
    diagonal: i32,
    straight: i32,
    /// Pieces and pawns that can be taken for nothing, and pieces that a pawn attacks.
    hanging: i32,
    hanging_pawns: i32,
    hit_by_pawn: i32,
    /// Danger of the king: `None` when no square next to it is attacked.
    danger: Option<Danger>,
}

/// Counts of squares around a king, and of pieces in the enemy's hand.
#[derive(Clone, Copy, Debug)]
struct Danger {
    /// In the order of the weights.
    squares: [i32; 5],
    /// In the order of [`HandKind::ALL`].
    hand: [i32; 7],
}

impl Activity {
    /// Those of black and white.
    #[inline(always)]
    fn both(position: &Position) -> [Self; 2] {
        let attacks = Color::ALL.map(|color| Attacks::new(position, color));
        Color::ALL.map(|color| {
            let (own, enemy) = (&attacks[color.index()], &attacks[color.flip().index()]);
            Self::new(position, color, own, enemy)
        })
    }

    #[inline(always)]
    fn new(position: &Position, color: Color, own: &Attacks, enemy: &Attacks) -> Self {
        let count = |set: Bitboard| set.len() as i32;
        let pawns = position.class(MoveClass::Pawn);
        let pieces = position.color(color) - position.class(MoveClass::King);
        let hanging = pieces & ((enemy.once | enemy.king) - (own.once | own.king));
        Self {
            control: count(own.once),
            control_in_camp: count(own.once & camp(color)),
            diagonal: own.diagonal,
            straight: own.straight,
            hanging: count(hanging - pawns),
            hanging_pawns: count(hanging & pawns),
            hit_by_pawn: count((pieces & enemy.pawns) - pawns),
            danger: Danger::new(position, color, own, enemy),
        }
    }

    #[inline(always)]
    fn value(&self, weights: &PositionalWeights) -> i32 {
        weights.control * self.control
            + weights.control_in_camp * self.control_in_camp
            + weights.diagonal_mobility * self.diagonal
            + weights.straight_mobility * self.straight
            - weights.hanging * self.hanging
            - weights.hanging_pawn * self.hanging_pawns
            - weights.hit_by_pawn * self.hit_by_pawn
            - self.danger.map_or(0, |danger| danger.penalty(weights))
    }
}

/// The enemy camp of `color`.
const fn camp(color: Color) -> Bitboard {
    let ranks = match color {
        Color::Black => [Rank::A, Rank::B, Rank::C],
        Color::White => [Rank::G, Rank::H, Rank::I],
    };
    Bitboard::rank(ranks[0])
        .or(Bitboard::rank(ranks[1]))
        .or(Bitboard::rank(ranks[2]))
}

impl Danger {
    /// The danger of what the enemy can do around `color`'s king.
    #[inline(always)]
    fn new(position: &Position, color: Color, own: &Attacks, enemy: &Attacks) -> Option<Self> {
        let king = position.king(color)?;
        let count = |set: Bitboard| set.len() as i32;
        let around = own.king;
        let ring = around | king.into();
        let attacked = ring & enemy.once;
        if attacked.is_empty() {
            return None;
        }
        let rows = ring | ring.left() | ring.right();
        let zone = (rows | rows.up() | rows.down()) - ring;
        let closed = around & (enemy.once | position.color(color));
        let hand = position.hand(color.flip());
        Some(Self {
            squares: [
                count(attacked),
                count((ring & enemy.twice) - own.twice),
                count(attacked - own.once),
                count(zone & enemy.once),
                count(closed),
            ],
            hand: HandKind::ALL
                .map(|kind| i32::from(hand.count(kind).min(weights::HAND_FORCE_COUNT))),
        })
    }

    #[inline(always)]
    fn penalty(&self, weights: &PositionalWeights) -> i32 {
        let sum = |weights: &[i32], counts: &[i32]| -> i32 {
            weights
                .iter()
                .zip(counts)
                .map(|(weight, count)| weight * count)
                .sum()
        };
        let points = sum(&weights.danger, &self.squares);
        let force = weights.force_base + sum(&weights.hand_force, &self.hand);
        let danger = points * force / 16;
        (danger * danger / weights.danger_divisor).min(weights.danger_max)
    }
}

// The squares that a side attacks, and those that it attacks at least twice.

/// One side's attacks. Pins are ignored.
#[derive(Clone, Copy, Debug)]
struct Attacks {
    /// Attacked by anything but the king.
    once: Bitboard,
    /// Attacked by at least two pieces other than the king.
    twice: Bitboard,
    /// Attacked by a pawn.
    pawns: Bitboard,
    /// Next to the king.
    king: Bitboard,
    /// Squares that bishops and horses reach, each piece by itself.
    diagonal: i32,
    /// Squares that rooks and dragons reach.
    straight: i32,
}

impl Attacks {
    /// The attacks of `color`.
    fn new(position: &Position, color: Color) -> Self {
        let class = |class: MoveClass| position.class_of(color, class);
        let pawns = class(MoveClass::Pawn).forward(color);
        let mut attacks = Self {
            once: pawns,
            twice: Bitboard::EMPTY,
            pawns,
            king: position.king(color).map_or(Bitboard::EMPTY, king_attacks),
            diagonal: 0,
            straight: 0,
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
        let (mut diagonal, mut straight) = (0, 0);
        (class(MoveClass::Bishop) | class(MoveClass::Horse)).for_each(|square| {
            let set = bishop_attacks(square, occupied);
            diagonal += set.len() as i32;
            self.add(set);
        });
        (class(MoveClass::Rook) | class(MoveClass::Dragon)).for_each(|square| {
            let set = rook_attacks(square, occupied);
            straight += set.len() as i32;
            self.add(set);
        });
        class(MoveClass::Lance).for_each(|square| self.add(lance_attacks(color, square, occupied)));
        (self.diagonal, self.straight) = (diagonal, straight);
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Square;
    use shogi_core::attacks::king_attacks;

    use super::*;

    #[test]
    fn the_start_is_level_but_for_the_move() {
        let position = Position::startpos();
        let mut evaluator = PositionalEvaluator::new();
        evaluator.reset(&position);
        assert_eq!(
            evaluator.evaluate(&position),
            PositionalWeights::DEFAULT.tempo
        );
        assert!(
            Square::ALL
                .into_iter()
                .all(|king| !king_attacks(king).contains(king))
        );
    }

    #[test]
    fn a_sheltered_king_is_safer() {
        let value = |sfen: &str| {
            let position = Position::from_sfen(sfen).unwrap();
            let mut evaluator = PositionalEvaluator::new();
            evaluator.reset(&position);
            evaluator.evaluate(&position)
        };
        // The same material, golds around the king or in the opposite corner.
        let near = value("4k4/9/9/9/9/9/7R1/1KG6/1SG6 b r2b2g 1");
        let far = value("4k4/9/9/9/9/9/7R1/1K5G1/1S5G1 b r2b2g 1");
        assert!(near > far, "{near} {far}");
    }

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
