//! The input and output of a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use shogi_core::{EnteringKingRule, Move};
use yane_clock::Instant;

/// Deepest line the search follows, in plies.
pub(crate) const MAX_PLY: u32 = 246;

/// A score in the internal unit (a pawn is 90), from the side to move's view.
///
/// Scores of at least [`Value::MATE_IN_MAX_PLY`] are mates: `32000 - plies`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub i32);

impl Value {
    /// Mate on the board, for the side that mates.
    pub const MATE: Self = Self(32_000);
    /// The smallest mate score that a search can meet.
    pub const MATE_IN_MAX_PLY: Self = Self(32_000 - MAX_PLY as i32);
    /// The largest score that is not a mate.
    pub const MAX_EVAL: Self = Self(32_000 - MAX_PLY as i32 - 1);
    /// More than any score.
    pub const INFINITE: Self = Self(32_001);

    /// The score of mating `plies` plies from the root.
    pub const fn mate_in(plies: u32) -> Self {
        Self(32_000 - plies as i32)
    }

    /// The score of being mated `plies` plies from the root.
    pub const fn mated_in(plies: u32) -> Self {
        Self(plies as i32 - 32_000)
    }

    /// Plies to mate when it is a mate score: positive when mating, negative when being mated (and
    /// zero when mated on the spot).
    pub const fn mate_plies(self) -> Option<i32> {
        if self.0 >= Self::MATE_IN_MAX_PLY.0 {
            Some(32_000 - self.0)
        } else if self.0 <= -Self::MATE_IN_MAX_PLY.0 {
            Some(-32_000 - self.0)
        } else {
            None
        }
    }

    /// Centipawns as USI prints them: 100/90 of the internal unit, rounded towards zero.
    pub const fn centipawns(self) -> i32 {
        self.0 * 100 / 90
    }
}

/// The unit in which the search counts, beside that of the evaluator.
///
/// Margins, reductions and histories are tuned for evaluations that spread over a certain range. An evaluator
/// whose values spread more widely, or less, is multiplied on its way into the search, and scores are divided on their
/// way out, so that the same tree is searched whatever the evaluator's unit. Mates stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchUnit(i32);

impl SearchUnit {
    /// The factor of the evaluator's own unit.
    const ONE: i32 = 1024;

    /// The unit in which evaluations count `factor` times, at least 1/64 and at most 16 times.
    pub fn times(factor: f64) -> Self {
        let factor = (factor * f64::from(Self::ONE)).round();
        // Saturates; not a number becomes the least.
        Self((factor as i32).clamp(Self::ONE / 64, Self::ONE * 16))
    }

    /// The factor.
    pub fn factor(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE)
    }

    /// An evaluation in the search's unit.
    #[inline]
    pub(crate) const fn to_search(self, value: i32) -> i32 {
        value * self.0 / Self::ONE
    }

    /// A score of the search in the evaluator's unit, rounded to the nearest.
    pub(crate) fn to_evaluator(self, score: i32) -> i32 {
        let limit = Value::MAX_EVAL.0;
        if score.abs() > limit {
            return score;
        }
        let half = score.signum() * self.0 / 2;
        ((score * Self::ONE + half) / self.0).clamp(-limit, limit)
    }
}

impl Default for SearchUnit {
    /// The unit in which the search parameters are tuned: three quarters of what evaluations in centipawns count.
    fn default() -> Self {
        Self(Self::ONE * 3 / 4)
    }
}

/// The kind of a score: exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The search inside the window finished.
    Exact,
    /// The true score is at least this (fail high).
    Lower,
    /// The true score is at most this (fail low).
    Upper,
}

/// The use of the clock by a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeLimit {
    /// No limit: until depth, nodes or stop.
    #[default]
    None,
    /// Exactly this long.
    MoveTime(Duration),
    /// Time management: see [`crate::TimeBudget`].
    Budget(crate::TimeBudget),
}

/// The limits of a search. All that are given apply; a stop through [`Control`] always does.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Deepest iteration.
    pub depth: Option<u32>,
    /// Number of positions visited.
    pub nodes: Option<u64>,
    /// Time.
    pub time: TimeLimit,
    /// Consider only these root moves; all when empty.
    pub search_moves: Vec<Move>,
    /// Search without end when the tree is exhausted: the result comes only after a stop.
    pub infinite: bool,
}

/// Settings that stay the same from move to move.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Number of best lines to report, at least 1.
    pub multi_pv: usize,
    /// Score of a draw for black and for white in centipawns, when that side is to move at the root.
    pub draw_value_cp: [i32; 2],
    /// Game ply (1 = initial position) after which the game is a draw; 0 for no limit.
    pub max_moves_to_draw: u32,
    /// Rule for declaring a win.
    pub entering_king_rule: EnteringKingRule,
    /// True if pointless non-promotions are searched too.
    pub generate_all_legal_moves: bool,
    /// True if reported lines go on, beyond what the search followed, with moves of the transposition
    /// table.
    pub extend_lines: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            draw_value_cp: [-2, -2],
            max_moves_to_draw: 0,
            entering_king_rule: EnteringKingRule::default(),
            generate_all_legal_moves: false,
            extend_lines: false,
        }
    }
}

/// Lets another thread steer a running search.
#[derive(Debug)]
pub struct Control {
    stop: Arc<AtomicBool>,
    pondering: AtomicBool,
    start: Instant,
    /// Milliseconds from `start` to ponderhit.
    ponder_hit_ms: AtomicU64,
}

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}

impl Control {
    /// Returns the control of a search that starts now.
    pub fn new() -> Self {
        Self::with_stop(Arc::default())
    }

    /// Returns the control of a search that starts now, in the opponent's time: the clock runs from [`Self::ponder_hit`] on.
    pub fn pondering() -> Self {
        Self {
            pondering: AtomicBool::new(true),
            ..Self::new()
        }
    }

    /// Returns the control of a search that starts now and ends when `stop` is raised.
    pub fn with_stop(stop: Arc<AtomicBool>) -> Self {
        Self {
            stop,
            pondering: AtomicBool::new(false),
            start: Instant::now(),
            ponder_hit_ms: AtomicU64::new(0),
        }
    }

    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the search is to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag that ends the search.
    pub(crate) fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// The opponent played the expected move: the clock runs from now.
    pub fn ponder_hit(&self) {
        let ms = self.start.elapsed().as_millis() as u64;
        self.ponder_hit_ms.store(ms, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Release);
    }

    /// Returns whether the opponent is still thinking: time limits do not apply.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Time since the search was started.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time between start and ponderhit; zero without pondering.
    pub fn pondered(&self) -> Duration {
        Duration::from_millis(self.ponder_hit_ms.load(Ordering::Relaxed))
    }
}

/// One line of a finished or interrupted iteration.
#[derive(Clone, Debug)]
pub struct SearchInfo {
    /// Nominal depth in plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub sel_depth: u32,
    /// 1 for the best line.
    pub multi_pv: usize,
    /// Score for the side to move at the root.
    pub score: Value,
    /// The kind of the score.
    pub bound: Bound,
    /// Positions visited so far.
    pub nodes: u64,
    /// Use of the transposition table, per mille.
    pub hash_full: u32,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// The line, best move first.
    pub pv: Vec<Move>,
}

/// Receives reports during a search, on the searching thread.
pub trait Observer {
    /// A line of an iteration is known.
    fn info(&mut self, info: &SearchInfo);
}

/// The result of a search. The root has at least one legal move.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The move to play.
    pub best: Move,
    /// The reply that the search expects.
    pub ponder: Option<Move>,
    /// Score of `best`.
    pub score: Value,
    /// Depth of the last finished iteration.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
}
