//! The end of a search of the deep engine by the clock.
//!
//! Source of the rules: YaneuraOu's deep edition. The best move has to have so many playouts more than the next that the rest of the time could
//! not change that; not all of the rest, the better the best move is.

use shogi_deep::{RootMove, RootProof};
use shogi_search::{TimeBudget, TimeLimit};

/// Milliseconds between a decision and the answer.
const ANSWER: i64 = 10;

/// The state of a search. Times in milliseconds.
pub(super) struct ClockView<'a> {
    /// Since `go`.
    pub(super) elapsed: i64,
    /// From `go` to ponderhit; 0 without pondering.
    pub(super) pondered: i64,
    /// Playouts of this search.
    pub(super) playouts: u64,
    /// The moves of the root, the best first.
    pub(super) moves: &'a [RootMove],
    /// Returns whether the lines of the two best moves come to the same position.
    pub(super) lines_meet: &'a dyn Fn() -> bool,
}

/// Decides when the time is used up.
pub(super) struct DeepClock {
    time: TimeLimit,
    /// Move number of the game.
    ply: u32,
    /// The end, in milliseconds since `go`, once it is known.
    end: Option<i64>,
}

impl DeepClock {
    /// For a move at game ply `ply`.
    pub(super) fn new(time: TimeLimit, ply: u32) -> Self {
        let time = match time {
            TimeLimit::Budget(mut budget) => {
                for time in [
                    &mut budget.minimum,
                    &mut budget.optimum,
                    &mut budget.maximum,
                ] {
                    *time = (*time - ANSWER).max(1);
                }
                TimeLimit::Budget(budget)
            }
            other => other,
        };
        Self {
            time,
            ply,
            end: None,
        }
    }

    /// Returns whether the search has to end now. Not to be asked while pondering.
    pub(super) fn is_over(&mut self, view: &ClockView<'_>) -> bool {
        let since_hit = view.elapsed - view.pondered;
        match self.time {
            TimeLimit::None => false,
            TimeLimit::MoveTime(time) => {
                let time = time.as_millis() as i64;
                since_hit >= time - ANSWER.min(time / 10)
            }
            TimeLimit::Budget(budget) => {
                if self.end.is_none() && self.is_enough(&budget, since_hit, view) {
                    let [elapsed, pondered] = [view.elapsed, view.pondered].map(i64::unsigned_abs);
                    self.end = Some(budget.search_end(elapsed, pondered));
                }
                let wins = |root: &RootMove| root.proof == RootProof::Wins;
                let is_done = since_hit >= budget.minimum
                    && (since_hit > budget.maximum || view.moves.iter().any(wins));
                is_done || self.end.is_some_and(|end| view.elapsed >= end)
            }
        }
    }

    /// Returns whether more thought would change nothing.
    fn is_enough(&self, budget: &TimeBudget, since_hit: i64, view: &ClockView<'_>) -> bool {
        let [best, second, third] = [0, 1, 2].map(|number| view.moves.get(number));
        let (Some(best), Some(second)) = (best, second) else {
            return true;
        };
        if since_hit < budget.minimum {
            return false;
        }
        let factor = match self.ply {
            ..20 => 1.5,
            20..30 => 3.5,
            30..40 => 4.0,
            _ => 3.0,
        };
        let maximum = budget.maximum.min((budget.optimum as f64 * factor) as i64);
        let left = (maximum - since_hit).max(0) as f64;
        let rest = view.playouts as f64 * left / (view.elapsed + 1) as f64;
        if rest < 1.0 {
            return true;
        }
        let is_early = since_hit < budget.optimum / 8;
        let second = match third {
            Some(third) if !is_early && (view.lines_meet)() => third,
            _ => second,
        };
        let ahead = f64::from(best.visits) - f64::from(second.visits);
        let better = f64::from(best.win_rate()) - f64::from(second.win_rate());
        let is_clear = better >= 0.0 && best.visits as f64 >= 1.5 * f64::from(second.visits);
        let share = (1.0 - 5.0 * better).max(0.0);
        !is_early && is_clear && ahead > rest * share || ahead > rest
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use shogi_core::Position;
    use shogi_search::{Clock, Params, TimeOptions};

    use super::*;

    fn moves(visits: &[(u32, f32)]) -> Vec<RootMove> {
        let moves = Position::startpos().moves::<shogi_core::movegen::Legal>();
        let root = |(&m, &(visits, rate)): (_, &(u32, f32))| RootMove {
            m,
            prior: 0.1,
            visits,
            wins: rate * visits as f32,
            proof: RootProof::Open,
        };
        moves.iter().zip(visits).map(root).collect()
    }

    fn budget() -> TimeLimit {
        let clock = Clock {
            time: 600_000,
            byoyomi: 10_000,
            ..Clock::default()
        };
        let (options, params) = (TimeOptions::default(), Params::default());
        TimeLimit::Budget(TimeBudget::for_play(&clock, 41, 0, &options, &params))
    }

    /// The first hundredth of a second at which the clock ends a search with 1,000 playouts a second.
    fn end(time: TimeLimit, moves: &[RootMove], meets: bool, pondered: i64) -> i64 {
        let mut clock = DeepClock::new(time, 41);
        let mut elapsed = pondered;
        loop {
            let view = ClockView {
                elapsed,
                pondered,
                playouts: elapsed as u64,
                moves,
                lines_meet: &|| meets,
            };
            if clock.is_over(&view) {
                return elapsed;
            }
            elapsed += 10;
        }
    }

    #[test]
    fn a_clear_choice_ends_early() {
        let TimeLimit::Budget(of_move) = budget() else {
            panic!("a budget")
        };
        let even = end(budget(), &moves(&[(500, 0.5), (490, 0.5)]), false, 0);
        let ahead = end(budget(), &moves(&[(9000, 0.5), (490, 0.5)]), false, 0);
        let better = end(budget(), &moves(&[(9000, 0.7), (490, 0.5)]), false, 0);
        let only = end(budget(), &moves(&[(10, 0.5)]), false, 0);
        assert!(even > ahead && ahead > better, "{even} {ahead} {better}");
        assert!(even <= of_move.maximum + 1000, "{even} {of_move:?}");
        assert!(better <= 3000 && only <= 2000, "{better} {only}");
        // Whole seconds, less the delay.
        assert_eq!(ahead % 1000, 880);
        // Lines that come to the same position are one choice.
        let close = moves(&[(9000, 0.5), (8000, 0.5), (10, 0.5)]);
        assert!(end(budget(), &close, true, 0) < end(budget(), &close, false, 0));
    }

    #[test]
    fn a_win_ends_at_the_minimum() {
        let mut wins = moves(&[(10, 1.0), (10, 0.5)]);
        wins[0].proof = RootProof::Wins;
        let time = end(budget(), &wins, false, 0);
        assert!((1700..2000).contains(&time), "{time}");
    }

    #[test]
    fn times_count_from_ponderhit() {
        let even = moves(&[(500, 0.5), (490, 0.5)]);
        let time = TimeLimit::MoveTime(Duration::from_secs(1));
        assert_eq!(end(time, &even, false, 0), 990);
        assert_eq!(end(time, &even, false, 5000), 5990);
        let clear = moves(&[(9_000_000, 0.5), (490, 0.5)]);
        let after = end(budget(), &clear, false, 7000);
        assert!((8600..=9000).contains(&after), "{after}");
        let byoyomi = TimeLimit::Budget(TimeBudget::exactly(900));
        assert_eq!(end(byoyomi, &even, false, 0), 890);
    }

    #[test]
    fn without_a_limit_there_is_no_end() {
        let mut clock = DeepClock::new(TimeLimit::None, 1);
        let view = ClockView {
            elapsed: i64::MAX / 2,
            pondered: 0,
            playouts: 5,
            moves: &moves(&[(1, 0.5)]),
            lines_meet: &|| false,
        };
        assert!(!clock.is_over(&view));
    }
}
