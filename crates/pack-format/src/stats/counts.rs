//! Games and positions, counted.

use std::collections::BTreeMap;

use report::grouped;
use shogi_core::{Color, Move, Position};

use super::{Distinct, Tally};
use crate::{MoverOutcome, TeacherResult};

/// Results, from nobody's side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultCounts {
    /// Drawn.
    pub draw: u64,
    /// Won by black.
    pub black: u64,
    /// Won by white.
    pub white: u64,
}

impl ResultCounts {
    /// Counts a result.
    #[inline]
    pub fn add(&mut self, result: TeacherResult) {
        match result {
            TeacherResult::Draw => self.draw += 1,
            TeacherResult::BlackWin => self.black += 1,
            TeacherResult::WhiteWin => self.white += 1,
        }
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.draw += other.draw;
        self.black += other.black;
        self.white += other.white;
    }

    /// Returns the sum of the counts.
    pub const fn total(&self) -> u64 {
        self.draw + self.black + self.white
    }
}

/// Results as the players to move see them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Won by the player to move.
    pub win: u64,
    /// Drawn.
    pub draw: u64,
    /// Lost by the player to move.
    pub loss: u64,
}

impl Outcomes {
    /// Counts an outcome.
    #[inline]
    pub fn add(&mut self, outcome: MoverOutcome) {
        match outcome {
            MoverOutcome::Win => self.win += 1,
            MoverOutcome::Draw => self.draw += 1,
            MoverOutcome::Loss => self.loss += 1,
        }
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.win += other.win;
        self.draw += other.draw;
        self.loss += other.loss;
    }

    /// Returns the sum of the counts.
    pub const fn total(&self) -> u64 {
        self.win + self.draw + self.loss
    }

    /// The share of the game that the player to move got, draws as half: 0 to 1. `None` without any.
    pub fn expectation(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| (self.win as f64 + 0.5 * self.draw as f64) / total as f64)
    }
}

/// Whole games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameStats {
    /// Results of the games.
    pub results: ResultCounts,
    /// Results of the games by end reason. The numbers are those of the format ([`EndReason`](crate::EndReason),
    /// [`Flags::bits`](crate::hcpe3::Flags::bits)); [`Stats::reason_name`] names them.
    ///
    /// [`Stats::reason_name`]: super::Stats::reason_name
    pub reasons: BTreeMap<u8, ResultCounts>,
    /// Games whose end reason cannot go with their result; 0 where the format knows no such rule.
    pub contradictions: u64,
    /// Plies played.
    pub lengths: Tally,
    /// Ply numbers of the start positions; empty where the format has none.
    pub start_plies: Tally,
    /// Number of games from the initial position.
    pub from_initial: u64,
    /// Different start positions.
    pub starts: Distinct,
}

impl GameStats {
    /// Number of games.
    pub const fn count(&self) -> u64 {
        self.results.total()
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.results.merge(&other.results);
        for (&reason, results) in &other.reasons {
            self.reasons.entry(reason).or_default().merge(results);
        }
        self.contradictions += other.contradictions;
        self.lengths.merge(&other.lengths);
        self.start_plies.merge(&other.start_plies);
        self.from_initial += other.from_initial;
        self.starts.merge(&other.starts);
    }
}

/// Positions and the moves played there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionStats {
    /// Results of their games.
    pub results: ResultCounts,
    /// Results of their games for the players to move.
    pub outcomes: Outcomes,
    /// Positions in which black is to move.
    pub black_to_move: u64,
    /// Positions in which the player to move is in check.
    pub in_check: u64,
    /// Moves that capture.
    pub captures: u64,
    /// Moves that promote; some of them capture too.
    pub promotions: u64,
    /// Drops.
    pub drops: u64,
    /// Positions whose record has no move.
    pub without_move: u64,
    /// Ply numbers, of the positions that have one.
    pub plies: Tally,
    /// Pieces on the board, kings included.
    pub pieces: Tally,
}

impl PositionStats {
    /// Number of positions.
    pub const fn count(&self) -> u64 {
        self.results.total()
    }

    #[inline]
    pub(super) fn add(
        &mut self,
        position: &Position,
        mv: Option<Move>,
        result: TeacherResult,
        ply: Option<u32>,
    ) -> MoverOutcome {
        let side = position.side_to_move();
        let outcome = result.seen_by(side);
        self.results.add(result);
        self.outcomes.add(outcome);
        self.black_to_move += u64::from(side == Color::Black);
        self.in_check += u64::from(position.in_check());
        if let Some(mv) = mv {
            self.captures += u64::from(position.piece_on(mv.to()).is_some());
            self.promotions += u64::from(mv.is_promotion());
            self.drops += u64::from(mv.is_drop());
        } else {
            self.without_move += 1;
        }
        self.pieces.add(position.occupied().len());
        if let Some(ply) = ply {
            self.plies.add(ply);
        }
        outcome
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.results.merge(&other.results);
        self.outcomes.merge(&other.outcomes);
        self.black_to_move += other.black_to_move;
        self.in_check += other.in_check;
        self.captures += other.captures;
        self.promotions += other.promotions;
        self.drops += other.drops;
        self.without_move += other.without_move;
        self.plies.merge(&other.plies);
        self.pieces.merge(&other.pieces);
    }
}

// Formatting of numbers.

/// An estimated number of things.
pub(super) fn estimate(estimate: f64) -> String {
    grouped(estimate.round() as u64)
}

/// The share of `part` in `whole`, such as `12.3 %`; `–` of nothing.
pub(super) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    percent(part as f64 / whole as f64)
}

/// `0.123` as `12.3 %`.
pub(super) fn percent(ratio: f64) -> String {
    format!("{:.1} %", ratio * 100.0)
}

/// A number or `–`.
pub(super) fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| value.to_string())
}

/// A number with one digit behind the point, or `–`.
pub(super) fn tenths(value: Option<f64>) -> String {
    or_dash(value.map(|value| format!("{value:.1}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_nothing_are_dashes() {
        assert_eq!((share(1, 8), share(0, 0)), ("12.5 %".into(), "–".into()));
        assert_eq!(
            (tenths(Some(-1.25)), tenths(None)),
            ("-1.2".into(), "–".into())
        );
    }
}
