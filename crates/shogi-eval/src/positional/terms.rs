//! The positional evaluation from scratch, as a smooth function of its numbers: for tuning them.
//!
//! Values differ from those of [`PositionalEvaluator`](super::PositionalEvaluator) by what that rounds: shares of attacks, and danger.

use shogi_core::{Color, HandKind, PieceKind, Position};

use super::table::distance;
use super::weights::{hand_row, row};
use super::{Activity, Danger, PositionalWeights};
use crate::seen_by;

/// What a position has of each number, for the side to move.
#[derive(Clone, Debug)]
pub struct PositionalTerms {
    pieces: Vec<PieceTerm>,
    hands: Vec<HandTerm>,
    /// The side to move's and the other's, with their signs.
    activities: [(f64, Activity); 2],
}

/// A piece on the board.
#[derive(Clone, Copy, Debug)]
struct PieceTerm {
    /// 1 for a piece of the side to move, else -1.
    sign: f64,
    row: usize,
    rank: usize,
    from_centre: usize,
    /// The distance from the own king; `None` for that king.
    own_king: Option<usize>,
    /// The distance from the enemy's king, and how far behind it the piece stands; `None` for a king.
    enemy_king: Option<(usize, usize)>,
}

/// Pieces of a kind in a hand.
#[derive(Clone, Copy, Debug)]
struct HandTerm {
    sign: f64,
    kind: HandKind,
    count: usize,
}

impl PositionalTerms {
    /// The terms of a position.
    pub fn new(position: &Position) -> Self {
        let us = position.side_to_move();
        let sign = |color: Color| if color == us { 1.0 } else { -1.0 };
        let mut pieces = Vec::with_capacity(40);
        position.occupied().for_each(|square| {
            let Some(piece) = position.piece_on(square) else {
                return;
            };
            let (color, kind) = (piece.color(), piece.kind());
            let is_king = kind == PieceKind::King;
            let king = |of: Color| position.king(of).filter(|_| !is_king);
            let seen = seen_by(color, square);
            // As the enemy's king sees it: what is below that king is behind it.
            let enemy_king = king(color.flip()).map(|king| {
                let [king_rank, rank] =
                    [king, square].map(|square| seen_by(color.flip(), square).rank().index());
                (distance(king, square), rank.saturating_sub(king_rank))
            });
            pieces.push(PieceTerm {
                sign: sign(color),
                row: row(kind),
                rank: seen.rank().index(),
                from_centre: seen.file().index().abs_diff(4),
                own_king: king(color).map(|king| distance(king, square)),
                enemy_king,
            });
        });
        let mut hands = Vec::new();
        for color in Color::ALL {
            for kind in HandKind::ALL {
                let count = usize::from(position.hand(color).count(kind));
                if count > 0 {
                    hands.push(HandTerm {
                        sign: sign(color),
                        kind,
                        count,
                    });
                }
            }
        }
        let activities = Activity::both(position);
        Self {
            pieces,
            hands,
            activities: Color::ALL.map(|color| (sign(color), activities[color.index()])),
        }
    }

    /// The value for the side to move.
    pub fn value(&self, weights: &PositionalWeights<f64>) -> f64 {
        let pieces = self
            .pieces
            .iter()
            .map(|term| term.sign * term.value(weights));
        let hands = self
            .hands
            .iter()
            .map(|term| term.sign * term.value(weights));
        let activities = self.activities.iter();
        let activities =
            activities.map(|(sign, activity)| sign * activity_value(activity, weights));
        weights.tempo + pieces.sum::<f64>() + hands.sum::<f64>() + activities.sum::<f64>()
    }

    /// Adds `factor` times the derivatives of the value by each number.
    pub fn add_derivatives(
        &self,
        weights: &PositionalWeights<f64>,
        factor: f64,
        derivatives: &mut PositionalWeights<f64>,
    ) {
        derivatives.tempo += factor;
        for term in &self.pieces {
            term.add_derivatives(weights, factor * term.sign, derivatives);
        }
        for term in &self.hands {
            let of = factor * term.sign;
            derivatives.pieces[row(term.kind.piece_kind())] += of * term.count as f64;
            for nth in 0..term.count {
                derivatives.hand[hand_row(term.kind)][nth.min(3)] += of;
            }
        }
        for (sign, activity) in &self.activities {
            add_activity(activity, weights, factor * sign, derivatives);
        }
    }
}

impl PieceTerm {
    fn value(&self, weights: &PositionalWeights<f64>) -> f64 {
        let row = self.row;
        let mut value = weights.rank[row][self.rank] + weights.file[row][self.from_centre];
        value += weights.pieces.get(row).copied().unwrap_or_default();
        if let Some(distance) = self.own_king {
            value += weights.guard[row][distance];
        }
        if let Some((distance, behind)) = self.enemy_king {
            value += weights.attack[row][distance] * weights.behind[behind] / 100.0;
        }
        value
    }

    fn add_derivatives(
        &self,
        weights: &PositionalWeights<f64>,
        factor: f64,
        derivatives: &mut PositionalWeights<f64>,
    ) {
        let row = self.row;
        derivatives.rank[row][self.rank] += factor;
        derivatives.file[row][self.from_centre] += factor;
        if let Some(piece) = derivatives.pieces.get_mut(row) {
            *piece += factor;
        }
        if let Some(distance) = self.own_king {
            derivatives.guard[row][distance] += factor;
        }
        if let Some((distance, behind)) = self.enemy_king {
            derivatives.attack[row][distance] += factor * weights.behind[behind] / 100.0;
            derivatives.behind[behind] += factor * weights.attack[row][distance] / 100.0;
        }
    }
}

impl HandTerm {
    fn value(&self, weights: &PositionalWeights<f64>) -> f64 {
        let bonuses = weights.hand[hand_row(self.kind)];
        let bonus: f64 = (0..self.count).map(|nth| bonuses[nth.min(3)]).sum();
        self.count as f64 * weights.pieces[row(self.kind.piece_kind())] + bonus
    }
}

fn activity_value(activity: &Activity, weights: &PositionalWeights<f64>) -> f64 {
    let danger = activity.danger.map_or(0.0, |danger| {
        SmoothDanger::new(&danger, weights).penalty(weights)
    });
    weights.control * f64::from(activity.control)
        + weights.control_in_camp * f64::from(activity.control_in_camp)
        + weights.diagonal_mobility * f64::from(activity.diagonal)
        + weights.straight_mobility * f64::from(activity.straight)
        - weights.hanging * f64::from(activity.hanging)
        - weights.hanging_pawn * f64::from(activity.hanging_pawns)
        - weights.hit_by_pawn * f64::from(activity.hit_by_pawn)
        - danger
}

fn add_activity(
    activity: &Activity,
    weights: &PositionalWeights<f64>,
    factor: f64,
    derivatives: &mut PositionalWeights<f64>,
) {
    derivatives.control += factor * f64::from(activity.control);
    derivatives.control_in_camp += factor * f64::from(activity.control_in_camp);
    derivatives.diagonal_mobility += factor * f64::from(activity.diagonal);
    derivatives.straight_mobility += factor * f64::from(activity.straight);
    derivatives.hanging -= factor * f64::from(activity.hanging);
    derivatives.hanging_pawn -= factor * f64::from(activity.hanging_pawns);
    derivatives.hit_by_pawn -= factor * f64::from(activity.hit_by_pawn);
    if let Some(danger) = activity.danger {
        SmoothDanger::new(&danger, weights).add_derivatives(&danger, weights, -factor, derivatives);
    }
}

/// Points of danger, and the force of the enemy's hand.
struct SmoothDanger {
    points: f64,
    force: f64,
}

impl SmoothDanger {
    fn new(danger: &Danger, weights: &PositionalWeights<f64>) -> Self {
        let sum = |weights: &[f64], counts: &[i32]| -> f64 {
            let products = weights.iter().zip(counts);
            products
                .map(|(weight, &count)| weight * f64::from(count))
                .sum()
        };
        Self {
            points: sum(&weights.danger, &danger.squares),
            force: weights.force_base + sum(&weights.hand_force, &danger.hand),
        }
    }

    /// The penalty without its limit.
    fn unlimited(&self, weights: &PositionalWeights<f64>) -> f64 {
        let danger = self.points * self.force / 16.0;
        danger * danger / weights.danger_divisor
    }

    fn penalty(&self, weights: &PositionalWeights<f64>) -> f64 {
        self.unlimited(weights).min(weights.danger_max)
    }

    fn add_derivatives(
        &self,
        danger: &Danger,
        weights: &PositionalWeights<f64>,
        factor: f64,
        derivatives: &mut PositionalWeights<f64>,
    ) {
        let penalty = self.unlimited(weights);
        if penalty >= weights.danger_max {
            derivatives.danger_max += factor;
            return;
        }
        derivatives.danger_divisor -= factor * penalty / weights.danger_divisor;
        // (points × force / 16)² / divisor.
        let slope = factor * 2.0 * self.points * self.force / (256.0 * weights.danger_divisor);
        for (derivative, &count) in derivatives.danger.iter_mut().zip(&danger.squares) {
            *derivative += slope * self.force * f64::from(count);
        }
        derivatives.force_base += slope * self.points;
        for (derivative, &count) in derivatives.hand_force.iter_mut().zip(&danger.hand) {
            *derivative += slope * self.points * f64::from(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shogi_core::movegen::Legal;
    use test_support::SplitMix64;

    use super::super::{PositionalEvaluator, PositionalTable};
    use super::*;
    use crate::Evaluator;

    /// Positions of random games.
    fn positions() -> Vec<Position> {
        let mut random = SplitMix64::new(7);
        let mut positions = Vec::new();
        for _ in 0..12 {
            let mut position = Position::startpos();
            for _ in 0..120 {
                let moves = position.moves::<Legal>();
                if moves.is_empty() {
                    break;
                }
                let _ = position.do_move_unchecked(*random.choose(&moves));
                positions.push(position.clone());
            }
        }
        positions
    }

    fn real(weights: &PositionalWeights) -> PositionalWeights<f64> {
        let mut real = PositionalWeights::splat(0.0);
        let numbers: Vec<f64> = weights.to_vec().into_iter().map(f64::from).collect();
        real.set(&numbers);
        real
    }

    /// Numbers that all differ, with which nothing is rounded.
    fn exact_weights() -> PositionalWeights {
        let mut random = SplitMix64::new(3);
        let mut weights = PositionalWeights::DEFAULT;
        let numbers: Vec<i32> = PositionalWeights::describe()
            .iter()
            .map(|number| {
                let range = &number.range;
                let len = (range.end() - range.start()).min(1500) as u64;
                range.start() / 2 + random.below(len / 2) as i32
            })
            .collect();
        weights.set(&numbers);
        weights.behind = [100, 200, 0, 100, 200, 0, 100, 200, 0];
        weights.hand_force = [16, 0, 16, 0, 16, 16, 0];
        weights.force_base = 32;
        weights.danger_divisor = 1;
        weights.danger_max = 5000;
        weights
    }

    #[test]
    fn from_scratch_it_is_what_the_evaluator_gives() {
        let weights = exact_weights();
        let smooth = real(&weights);
        let table = Arc::new(PositionalTable::new(weights));
        let mut evaluator = PositionalEvaluator::with_table(table);
        let (mut built_in, default) = (
            PositionalEvaluator::new(),
            real(&PositionalWeights::DEFAULT),
        );
        for position in positions() {
            let terms = PositionalTerms::new(&position);
            evaluator.reset(&position);
            let value = f64::from(evaluator.evaluate(&position));
            assert!(
                (terms.value(&smooth) - value).abs() < 1e-6,
                "{}",
                position.to_sfen()
            );
            // The built-in numbers are rounded here and there.
            built_in.reset(&position);
            let value = f64::from(built_in.evaluate(&position));
            assert!(
                (terms.value(&default) - value).abs() < 50.0,
                "{}",
                position.to_sfen()
            );
        }
    }

    #[test]
    fn derivatives_are_slopes() {
        let weights = real(&PositionalWeights::DEFAULT);
        for position in positions().iter().step_by(40) {
            let terms = PositionalTerms::new(position);
            let mut derivatives = PositionalWeights::splat(0.0);
            terms.add_derivatives(&weights, 2.0, &mut derivatives);
            let numbers = weights.to_vec();
            for (index, derivative) in derivatives.to_vec().into_iter().enumerate() {
                let at = |change: f64| {
                    let mut numbers = numbers.clone();
                    numbers[index] += change;
                    let mut changed = weights.clone();
                    changed.set(&numbers);
                    terms.value(&changed)
                };
                let slope = 2.0 * (at(1e-4) - at(-1e-4)) / 2e-4;
                assert!(
                    (slope - derivative).abs() < 1e-3,
                    "{index} {slope} {derivative}"
                );
            }
        }
    }
}
