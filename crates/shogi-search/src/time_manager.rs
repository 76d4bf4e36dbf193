//! The time manager scales the planned time: more while the best move changes, less once it is stable.
//!
//! The factors (`time_…` in [`Params`]) are by default those of the field (Stockfish, which YaneuraOu follows), number
//! for number, so that options about time mean what users are used to. Nothing here reads a clock.

use crate::Params;

/// A parameter in 10,000ths as a number. The division is exact to the last bit: 11,570 gives the same as `1.157`.
fn ratio(value: i32) -> f64 {
    f64::from(value) / 10_000.0
}

/// The state that a search leaves to the next one of the same game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TimeMemory {
    /// Last and average score of the best move, for the side to move at `ply`; `None` in a new game.
    scores: Option<(i32, i32)>,
    ply: u32,
    /// Its time reduction; `None` in a new game.
    reduction: Option<f64>,
}

/// A finished iteration, as the time manager sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iteration {
    /// Depth of the iteration.
    pub(crate) depth: u32,
    /// Score of the best move.
    pub(crate) score: i32,
    /// True if the best move is another one than after the last iteration.
    pub(crate) new_best: bool,
    /// Changes of the best move during this iteration: an average over threads.
    pub(crate) changes: f64,
    /// Share of the positions of the whole search that were spent on the best move, 0 to 1.
    pub(crate) effort: f64,
    /// True if there is only one legal move.
    pub(crate) only_move: bool,
}

/// The iterations of one search.
#[derive(Clone, Debug)]
pub(crate) struct TimeManager {
    previous: TimeMemory,
    /// Time reduction of the search before.
    previous_reduction: f64,
    /// Scores of the last four iterations, the oldest at `depth % 4`.
    scores: [i32; 4],
    next: usize,
    average: Option<i32>,
    last: i32,
    last_change_depth: u32,
    /// Changes of the best move; older iterations count half as much as the next.
    changes: f64,
    reduction: f64,
}

impl TimeManager {
    /// For a search at game ply `ply`, after one that left `memory`.
    pub(crate) fn new(memory: &TimeMemory, ply: u32, params: &Params) -> Self {
        let mut previous = *memory;
        if (memory.ply ^ ply) & 1 == 1 {
            // The other side's view.
            previous.scores = memory.scores.map(|(last, average)| (-last, -average));
        }
        previous.ply = ply;
        Self {
            previous,
            previous_reduction: previous
                .reduction
                .unwrap_or_else(|| ratio(params.time_first_reduction)),
            scores: [previous.scores.map_or(0, |(last, _)| last); 4],
            next: 0,
            average: None,
            last: 0,
            last_change_depth: 0,
            changes: 0.0,
            reduction: 1.0,
        }
    }

    /// Takes note of a finished iteration; the time to think in all, given the usual one (both in
    /// milliseconds).
    pub(crate) fn iteration(&mut self, iteration: &Iteration, optimum: f64, p: &Params) -> f64 {
        let Iteration { depth, score, .. } = *iteration;
        if iteration.new_best {
            self.last_change_depth = depth;
        }
        self.changes = self.changes * ratio(p.time_instability_decay) + iteration.changes;
        let falling = self.falling(score, p);
        self.scores[self.next] = score;
        self.next = (self.next + 1) % self.scores.len();
        self.average = Some(
            self.average
                .map_or(score, |average| i32::midpoint(average, score)),
        );
        self.last = score;

        let middle = f64::from(self.last_change_depth) + ratio(p.time_reduction_plies);
        let stood = f64::from(depth) - middle;
        let curve =
            ratio(p.time_reduction_divisor) + (-ratio(p.time_reduction_slope) * stood).exp();
        self.reduction = ratio(p.time_reduction_base) + ratio(p.time_reduction_scale) / curve;
        let steadiness = (ratio(p.time_steadiness_base) + self.previous_reduction)
            / (ratio(p.time_steadiness_divisor) * self.reduction);
        let instability =
            ratio(p.time_instability_base) + ratio(p.time_instability_changes) * self.changes;
        let without_rival = depth >= p.time_effort_depth.unsigned_abs()
            && iteration.effort >= f64::from(p.time_effort) / 100_000.0;
        let effort = if without_rival {
            ratio(p.time_effort_factor)
        } else {
            1.0
        };
        let total = optimum * falling * steadiness * instability * effort;
        if iteration.only_move {
            total.min(f64::from(p.time_only_move))
        } else {
            total
        }
    }

    /// More when the score falls, below that of the last search or of four iterations ago.
    fn falling(&self, score: i32, p: &Params) -> f64 {
        let fall = |before: i32| f64::from(before) - f64::from(score);
        let since_last_search = self
            .previous
            .scores
            .map_or(f64::INFINITY, |(_, average)| fall(average));
        let since_earlier = fall(self.scores[self.next]);
        let per_cent = ratio(p.time_falling_base)
            + ratio(p.time_falling_search) * since_last_search
            + ratio(p.time_falling_iteration) * since_earlier;
        (per_cent / 100.0).clamp(ratio(p.time_falling_min), ratio(p.time_falling_max))
    }

    /// Returns what the next search of the game has to know.
    pub(crate) fn memory(&self) -> TimeMemory {
        TimeMemory {
            scores: self
                .average
                .map(|average| (self.last, average))
                .or(self.previous.scores),
            reduction: self
                .average
                .map(|_| self.reduction)
                .or(self.previous.reduction),
            ..self.previous
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Iteration = Iteration {
        depth: 1,
        score: 50,
        new_best: false,
        changes: 0.0,
        effort: 0.5,
        only_move: false,
    };

    /// The total after iterations of depth 1, 2 … with an optimum of 1000 ms.
    fn total(time_manager: &mut TimeManager, iterations: &[Iteration]) -> f64 {
        let numbered = iterations
            .iter()
            .zip(1..)
            .map(|(&iteration, depth)| Iteration { depth, ..iteration });
        numbered.fold(0.0, |_, iteration| {
            time_manager.iteration(&iteration, 1000.0, &Params::default())
        })
    }

    fn after_a_search() -> TimeMemory {
        let mut time_manager = TimeManager::new(&TimeMemory::default(), 1, &Params::default());
        total(&mut time_manager, &[CALM; 20]);
        time_manager.memory()
    }

    #[test]
    fn the_numbers_are_the_fields() {
        // Worked out by hand from the formula: first search of a game, first iteration.
        let first = total(
            &mut TimeManager::new(&TimeMemory::default(), 1, &Params::default()),
            &[CALM],
        );
        // falling 1.5698; reduction 0.723 + 0.79 / (1.104 + exp(5.484633)) = 0.726256;
        // steadiness 2.305 / (2.2375 * 0.726256) = 1.418455; instability 1.04.
        assert!((first - 2315.75).abs() < 1.0, "{first}");
        // Twenty calm iterations later: reduction 0.723 + 0.79 / (1.104 + exp(-4.374327)) = 1.430624.
        let late = total(
            &mut TimeManager::new(&TimeMemory::default(), 1, &Params::default()),
            &[CALM; 20],
        );
        assert!((late - 1175.6).abs() < 1.0, "{late}");
        let sole = Iteration {
            effort: 0.95,
            ..CALM
        };
        let settled = total(
            &mut TimeManager::new(&TimeMemory::default(), 1, &Params::default()),
            &[sole; 20],
        );
        assert!((settled - late * 0.666).abs() < 1.0, "{settled}");
    }

    #[test]
    fn a_wavering_or_falling_choice_takes_longer() {
        let memory = after_a_search();
        let of = |iterations: &[Iteration]| {
            total(
                &mut TimeManager::new(&memory, 3, &Params::default()),
                iterations,
            )
        };
        let calm = of(&[CALM; 15]);
        let mut wavering = [CALM; 15];
        wavering[14] = Iteration {
            new_best: true,
            changes: 2.0,
            ..CALM
        };
        assert!(of(&wavering) > 3.0 * calm);
        let mut falling = [CALM; 15];
        falling[14].score = -50;
        assert!(of(&falling) > 2.0 * calm);
        let mut rising = [CALM; 15];
        rising[14].score = 150;
        assert!(of(&rising) <= calm);
        let only = Iteration {
            only_move: true,
            ..CALM
        };
        assert!(
            (total(
                &mut TimeManager::new(&memory, 3, &Params::default()),
                &[only]
            ) - 502.0)
                .abs()
                < 1e-9
        );
    }

    #[test]
    fn what_is_remembered_is_seen_from_the_other_side_too() {
        let memory = after_a_search();
        // For the opponent the same position is worth the opposite.
        let fallen = Iteration { score: -50, ..CALM };
        let same = total(
            &mut TimeManager::new(&memory, 3, &Params::default()),
            &[CALM],
        );
        let turned = total(
            &mut TimeManager::new(&memory, 2, &Params::default()),
            &[fallen],
        );
        assert!((same - turned).abs() < 1e-9, "{same} {turned}");
        // A search without an iteration leaves what there was.
        assert_eq!(
            TimeManager::new(&memory, 3, &Params::default()).memory(),
            TimeMemory { ply: 3, ..memory }
        );
    }
}
