//! How much of the planned time a search needs: more while its choice wavers, less once it stands.
//!
//! The factors are those of the field (Stockfish, which YaneuraOu follows), number for number, so that
//! options about time mean what users are used to. Nothing here reads a clock.

/// Time after which a position with a single legal move is answered, in milliseconds. It needs no
/// thought, but a score to report.
const ONLY_MOVE_MS: f64 = 502.0;
/// From this depth on, and with this share of the positions spent on it, the best move counts as
/// without rival.
const EFFORT_DEPTH: u32 = 10;
const EFFORT: f64 = 0.924_25;

/// The state that a search leaves to the next one of the same game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeMemory {
    /// Last and average score of the best move, for the side to move at `ply`; `None` in a new game.
    scores: Option<(i32, i32)>,
    ply: u32,
    reduction: f64,
}

impl Default for TimeMemory {
    fn default() -> Self {
        Self {
            scores: None,
            ply: 0,
            reduction: 0.85,
        }
    }
}

/// A finished iteration, as the time manager sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iteration {
    /// Its depth.
    pub(crate) depth: u32,
    /// Score of the best move.
    pub(crate) score: i32,
    /// True if the best move is another one than after the last iteration.
    pub(crate) new_best: bool,
    /// Changes of the best move during this iteration: an average over threads.
    pub(crate) changes: f64,
    /// Share of the positions of the whole search that were spent on the best move, 0 to 1.
    pub(crate) effort: f64,
    /// There is nothing to choose from.
    pub(crate) only_move: bool,
}

/// The iterations of one search.
#[derive(Clone, Debug)]
pub(crate) struct TimeManager {
    previous: TimeMemory,
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
    pub(crate) fn new(memory: &TimeMemory, ply: u32) -> Self {
        let mut previous = *memory;
        if (memory.ply ^ ply) & 1 == 1 {
            // The other side's view.
            previous.scores = memory.scores.map(|(last, average)| (-last, -average));
        }
        previous.ply = ply;
        Self {
            previous,
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
    pub(crate) fn iteration(&mut self, iteration: &Iteration, optimum: f64) -> f64 {
        let Iteration { depth, score, .. } = *iteration;
        if iteration.new_best {
            self.last_change_depth = depth;
        }
        self.changes = self.changes / 2.0 + iteration.changes;
        let falling = self.falling(score);
        self.scores[self.next] = score;
        self.next = (self.next + 1) % self.scores.len();
        self.average = Some(
            self.average
                .map_or(score, |average| i32::midpoint(average, score)),
        );
        self.last = score;

        let stood = f64::from(depth) - (f64::from(self.last_change_depth) + 11.57);
        self.reduction = 0.723 + 0.79 / (1.104 + (-0.5189 * stood).exp());
        let steadiness = (1.455 + self.previous.reduction) / (2.2375 * self.reduction);
        let instability = 1.04 + 1.8956 * self.changes;
        let without_rival = depth >= EFFORT_DEPTH && iteration.effort >= EFFORT;
        let effort = if without_rival { 0.666 } else { 1.0 };
        let total = optimum * falling * steadiness * instability * effort;
        if iteration.only_move {
            total.min(ONLY_MOVE_MS)
        } else {
            total
        }
    }

    /// More when the score falls, below that of the last search or of four iterations ago.
    fn falling(&self, score: i32) -> f64 {
        let fall = |before: i32| f64::from(before) - f64::from(score);
        let since_last_search = self
            .previous
            .scores
            .map_or(f64::INFINITY, |(_, average)| fall(average));
        let since_earlier = fall(self.scores[self.next]);
        ((11.325 + 2.115 * since_last_search + 0.987 * since_earlier) / 100.0).clamp(0.5688, 1.5698)
    }

    /// Returns what the next search of the game has to know.
    pub(crate) fn memory(&self) -> TimeMemory {
        TimeMemory {
            scores: self
                .average
                .map(|average| (self.last, average))
                .or(self.previous.scores),
            reduction: if self.average.is_some() {
                self.reduction
            } else {
                self.previous.reduction
            },
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
            time_manager.iteration(&iteration, 1000.0)
        })
    }

    fn after_a_search() -> TimeMemory {
        let mut time_manager = TimeManager::new(&TimeMemory::default(), 1);
        total(&mut time_manager, &[CALM; 20]);
        time_manager.memory()
    }

    #[test]
    fn the_numbers_are_the_fields() {
        // Worked out by hand from the formula: first search of a game, first iteration.
        let first = total(&mut TimeManager::new(&TimeMemory::default(), 1), &[CALM]);
        // falling 1.5698; reduction 0.723 + 0.79 / (1.104 + exp(5.484633)) = 0.726256;
        // steadiness 2.305 / (2.2375 * 0.726256) = 1.418455; instability 1.04.
        assert!((first - 2315.75).abs() < 1.0, "{first}");
        // Twenty calm iterations later: reduction 0.723 + 0.79 / (1.104 + exp(-4.374327)) = 1.430624.
        let late = total(
            &mut TimeManager::new(&TimeMemory::default(), 1),
            &[CALM; 20],
        );
        assert!((late - 1175.6).abs() < 1.0, "{late}");
        let sole = Iteration {
            effort: 0.95,
            ..CALM
        };
        let settled = total(
            &mut TimeManager::new(&TimeMemory::default(), 1),
            &[sole; 20],
        );
        assert!((settled - late * 0.666).abs() < 1.0, "{settled}");
    }

    #[test]
    fn a_wavering_or_falling_choice_takes_longer() {
        let memory = after_a_search();
        let of = |iterations: &[Iteration]| total(&mut TimeManager::new(&memory, 3), iterations);
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
        assert!((total(&mut TimeManager::new(&memory, 3), &[only]) - 502.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_remembered_is_seen_from_the_other_side_too() {
        let memory = after_a_search();
        // For the opponent the same position is worth the opposite.
        let fallen = Iteration { score: -50, ..CALM };
        let same = total(&mut TimeManager::new(&memory, 3), &[CALM]);
        let turned = total(&mut TimeManager::new(&memory, 2), &[fallen]);
        assert!((same - turned).abs() < 1e-9, "{same} {turned}");
        // A search without an iteration leaves what there was.
        assert_eq!(
            TimeManager::new(&memory, 3).memory(),
            TimeMemory { ply: 3, ..memory }
        );
    }
}
