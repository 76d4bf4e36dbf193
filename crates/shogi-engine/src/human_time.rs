//! Thinking times of a person, for games with a strength limit (`HumanTime`): varied, longer where the choice is hard, short where a
//! move is obvious, always within what the clock allows.
//!
//! The limited search is over in a moment; the answer is held back. Nothing here reads a clock but [`HumanTime::hold`].

use std::time::Duration;

use shogi_core::movegen::Legal;
use shogi_core::{Game, Move};
use shogi_search::{Control, SearchInfo, TimeBudget, TimeLimit};
use yane_base::random::{RngExt, stream};
use yane_clock::Instant;

use crate::skill::Skill;

/// Interval of looking at `stop` and `ponderhit` while an answer is held back.
const INTERVAL: Duration = Duration::from_millis(5);
/// A move that a person hardly thinks about still takes this long, and as much again at most, in milliseconds.
const QUICK: f64 = 500.0;
/// Centipawns up to which another move is a rival of the best.
const RIVAL: i32 = 60;
/// Plies at the start that are played from memory.
const OPENING: usize = 16;

/// What a person sees at the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Impression {
    /// Number of other moves that look about as good as the best.
    pub(crate) rivals: usize,
    /// There is no choice, a piece is taken back, or the move is known by heart.
    pub(crate) is_obvious: bool,
    /// The move is one of the first of the game.
    pub(crate) is_opening: bool,
}

impl Impression {
    /// The impression of playing `best`, where a short search has found `lines`; without lines it comes from the book.
    pub(crate) fn new(game: &Game, best: Move, lines: &[SearchInfo]) -> Self {
        let position = game.position();
        let score = |line: &SearchInfo| line.score.centipawns();
        let top = lines.first().map_or(0, score);
        let rivals = lines.iter().skip(1);
        let rivals = rivals.filter(|line| top - score(line) <= RIVAL).count();
        let has_choice = position.count_moves::<Legal>() > 1;
        let took = game.last_captured().is_some();
        let takes_back = took && game.last_move().is_some_and(|last| last.to() == best.to());
        Self {
            rivals,
            is_obvious: lines.is_empty() || !has_choice || takes_back && rivals == 0,
            is_opening: game.len() < OPENING,
        }
    }

    /// The part of the usual time that it takes.
    fn difficulty(self) -> f64 {
        let part = if self.is_obvious {
            0.12
        } else {
            0.45 + 0.18 * self.rivals as f64
        };
        if self.is_opening { part * 0.5 } else { part }
    }
}

/// The time of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HumanTime {
    budget: TimeBudget,
    skill: Skill,
}

impl HumanTime {
    /// For a player of `skill` with this limit; `None` where the time of the move is given in another way than by clocks.
    pub(crate) const fn new(skill: Skill, limit: &TimeLimit) -> Option<Self> {
        match limit {
            TimeLimit::Budget(budget) => Some(Self {
                budget: *budget,
                skill,
            }),
            TimeLimit::None | TimeLimit::MoveTime(_) => None,
        }
    }

    /// The time from the beginning of the own turn to the answer.
    fn time(&self, impression: Impression) -> Duration {
        let mut rng = stream(self.skill.seed() ^ 0x7469_6d65);
        let most = self.budget.maximum.max(0) as f64;
        let usual = (self.budget.optimum.max(0) as f64).min(most);
        // The sum of three even numbers is nearly normal; its exponential has a long tail to one side, as times of people have.
        let normal: f64 = (0..3).map(|_| rng.random::<f64>() - 0.5).sum::<f64>() * 2.0;
        // Beginners look at less.
        let care = 0.55 + 0.025 * f64::from(self.skill.level());
        let least = QUICK * (1.0 + rng.random::<f64>());
        let time = usual * care * impression.difficulty() * (0.6 * normal).exp();
        Duration::from_millis(time.max(least).min(most) as u64)
    }

    /// Holds an answer back. `stop` ends that, and time that was pondered does not count.
    pub(crate) fn hold(&self, impression: Impression, mut begin: Instant, control: &Control) {
        let time = self.time(impression);
        while !control.is_stopped() {
            if control.is_pondering() {
                begin = Instant::now();
            }
            let left = time.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return;
            }
            if !yane_clock::thread::sleep(left.min(INTERVAL)) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::parse_position_line;
    use shogi_search::{Bound, Clock, Params, TimeOptions, Value};

    use super::*;

    fn budget(time: u64, byoyomi: u64) -> TimeBudget {
        let clock = Clock {
            time,
            byoyomi,
            ..Clock::default()
        };
        let (options, params) = (TimeOptions::default(), Params::default());
        TimeBudget::for_play(&clock, 40, 0, &options, &params)
    }

    /// The times of 200 moves in milliseconds, sorted.
    fn times(budget: TimeBudget, level: i64, impression: Impression) -> Vec<u128> {
        let time = |seed| {
            let skill = Skill::new(level, seed).unwrap();
            let human = HumanTime::new(skill, &TimeLimit::Budget(budget)).unwrap();
            human.time(impression).as_millis()
        };
        let mut times: Vec<_> = (0..200).map(time).collect();
        times.sort_unstable();
        times
    }

    const EASY: Impression = Impression {
        rivals: 0,
        is_obvious: true,
        is_opening: false,
    };
    const HARD: Impression = Impression {
        rivals: 5,
        is_obvious: false,
        is_opening: false,
    };

    #[test]
    fn times_vary_and_depend_on_the_choice() {
        let budget = budget(600_000, 10_000);
        let [easy, hard] = [EASY, HARD].map(|impression| times(budget, 10, impression));
        let median = |times: &[u128]| times[100];
        assert!(
            median(&hard) > 4 * median(&easy),
            "{} {}",
            median(&easy),
            median(&hard)
        );
        // Some moves take several times as long as others of the same kind.
        assert!(hard[190] > 2 * hard[10], "{hard:?}");
        // Moves are never played like a shot, and obvious ones within seconds.
        assert!(easy[0] >= 500 && easy[190] < 8000, "{easy:?}");
        let opening = Impression {
            is_opening: true,
            ..HARD
        };
        assert!(median(&times(budget, 10, opening)) < median(&hard));
        assert!(median(&times(budget, 0, HARD)) < median(&times(budget, 19, HARD)));
    }

    #[test]
    fn the_clock_is_never_overdrawn() {
        for (time, byoyomi) in [
            (0, 0),
            (0, 50),
            (0, 1000),
            (300, 0),
            (5000, 0),
            (60_000, 30_000),
        ] {
            let budget = budget(time, byoyomi);
            for level in [0, 19] {
                let longest = times(budget, level, HARD)[199];
                assert!(
                    longest <= budget.maximum.max(0) as u128,
                    "{time} {byoyomi}: {longest}"
                );
            }
        }
    }

    #[test]
    fn only_clocks_ask_for_it() {
        let skill = Skill::new(3, 1).unwrap();
        assert!(HumanTime::new(skill, &TimeLimit::None).is_none());
        let fixed = TimeLimit::MoveTime(Duration::from_secs(1));
        assert!(HumanTime::new(skill, &fixed).is_none());
    }

    #[test]
    fn impressions() {
        let line = |multi_pv, score| SearchInfo {
            depth: 1,
            sel_depth: 1,
            multi_pv,
            score: Value(score),
            bound: Bound::Exact,
            nodes: 1,
            hash_full: 0,
            elapsed: Duration::ZERO,
            pv: Vec::new(),
        };
        let of = |text: &str, best: &str, lines: &[SearchInfo]| {
            let game = parse_position_line(text).unwrap();
            let best = game.position().move_from_usi(best).unwrap();
            Impression::new(&game, best, lines)
        };
        let close = [line(1, 0), line(2, -20), line(3, -900)];
        let quiet = of("startpos", "7g7f", &close);
        assert_eq!(
            (quiet.rivals, quiet.is_obvious, quiet.is_opening),
            (1, false, true)
        );
        let trade = "startpos moves 7g7f 3c3d 8h2b+";
        let clear = [line(1, 0), line(2, -900)];
        assert!(of(trade, "3a2b", &clear).is_obvious);
        assert!(!of(trade, "3a2b", &close).is_obvious);
        assert!(of("startpos", "7g7f", &[]).is_obvious, "a move of the book");
        assert!(!of("startpos moves 7g7f", "3c3d", &clear).is_obvious);
    }

    #[test]
    fn stop_ends_the_wait() {
        let skill = Skill::new(3, 1).unwrap();
        let limit = TimeLimit::Budget(TimeBudget::exactly(60_000));
        let human = HumanTime::new(skill, &limit).unwrap();
        let control = Control::pondering();
        control.stop();
        let begin = Instant::now();
        human.hold(HARD, begin, &control);
        assert!(begin.elapsed() < Duration::from_secs(5));
        // After ponderhit the time of a short move passes.
        let limit = TimeLimit::Budget(TimeBudget::exactly(30));
        let human = HumanTime::new(skill, &limit).unwrap();
        let control = Control::new();
        let begin = Instant::now();
        human.hold(HARD, begin, &control);
        assert!(begin.elapsed() >= Duration::from_millis(30));
    }
}
