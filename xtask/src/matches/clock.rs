//! The clocks of a game and what the players did with their time.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shogi_core::{ByColor, Color};

use super::player::{Answer, Limit};

/// How a player used its time in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Usage {
    /// Answers.
    pub(crate) moves: u32,
    /// All answers together, in milliseconds.
    pub(crate) total_ms: u64,
    /// The slowest answer, in milliseconds.
    pub(crate) slowest_ms: u64,
    /// The least that was left of the time allowed for a move, in milliseconds: negative when it was
    /// overstepped. `None` where time is not limited.
    pub(crate) least_left_ms: Option<i64>,
    /// Sum of the nodes that the engine reported.
    pub(crate) nodes: u64,
    /// Sum of the depths that the engine reported.
    pub(crate) depths: u64,
}

impl Usage {
    /// Counts an answer for which `allowed` was given.
    fn add(&mut self, answer: &Answer, allowed: Option<Duration>) {
        let ms = answer.elapsed.as_millis() as u64;
        self.moves += 1;
        self.total_ms += ms;
        self.slowest_ms = self.slowest_ms.max(ms);
        if let Some(allowed) = allowed {
            let left =
                (allowed.as_micros() as i64 - answer.elapsed.as_micros() as i64).div_euclid(1000);
            self.least_left_ms = Some(self.least_left_ms.map_or(left, |least| least.min(left)));
        }
        self.nodes += answer.nodes.unwrap_or(0);
        self.depths += u64::from(answer.depth.unwrap_or(0));
    }

    /// Both together.
    pub(crate) fn joined(self, other: Self) -> Self {
        let least_left_ms = match (self.least_left_ms, other.least_left_ms) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        Self {
            moves: self.moves + other.moves,
            total_ms: self.total_ms + other.total_ms,
            slowest_ms: self.slowest_ms.max(other.slowest_ms),
            least_left_ms,
            nodes: self.nodes + other.nodes,
            depths: self.depths + other.depths,
        }
    }
}

/// The clocks of a game.
#[derive(Debug)]
pub(crate) struct Clocks {
    limit: Limit,
    /// What is left in milliseconds.
    pub(crate) left: ByColor<u64>,
    pub(crate) usage: ByColor<Usage>,
}

impl Clocks {
    pub(crate) fn new(limit: Limit) -> Self {
        let time = match limit {
            Limit::Clock { time, .. } => time,
            _ => 0,
        };
        Self {
            limit,
            left: ByColor([time; 2]),
            usage: ByColor([Usage::default(); 2]),
        }
    }

    /// How long `us` may think about this move; `None` where nodes or depth are limited.
    pub(crate) fn allowed(&self, us: Color) -> Option<Duration> {
        match self.limit {
            Limit::MoveTime(ms) => Some(Duration::from_millis(ms)),
            Limit::Nodes(_) | Limit::Depth(_) => None,
            Limit::Clock {
                increment, byoyomi, ..
            } => Some(Duration::from_millis(self.left[us] + increment + byoyomi)),
        }
    }

    /// `us` has answered.
    pub(crate) fn press(&mut self, us: Color, answer: &Answer) {
        let allowed = self.allowed(us);
        self.usage[us].add(answer, allowed);
        if let Limit::Clock { increment, .. } = self.limit {
            let used = answer.elapsed.as_millis() as u64;
            self.left[us] = (self.left[us] + increment).saturating_sub(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(elapsed_us: u64, nodes: u64) -> Answer {
        Answer {
            text: "7g7f".to_owned(),
            elapsed: Duration::from_micros(elapsed_us),
            score_cp: None,
            depth: Some(7),
            nodes: Some(nodes),
        }
    }

    #[test]
    fn what_is_left_is_what_the_move_was_allowed_to_take() {
        let mut clocks = Clocks::new(Limit::Clock {
            time: 100,
            increment: 0,
            byoyomi: 50,
        });
        clocks.press(Color::Black, &answer(80_000, 5));
        clocks.press(Color::Black, &answer(60_500, 5));
        // 20 ms on the clock and the byoyomi, of which 60.5 are used: 9.5 are left.
        let usage = clocks.usage[Color::Black];
        assert_eq!(usage.least_left_ms, Some(9));
        assert_eq!(
            (usage.moves, usage.total_ms, usage.slowest_ms),
            (2, 140, 80)
        );
        assert_eq!((usage.nodes, usage.depths), (10, 14));
        clocks.press(Color::Black, &answer(50_001, 0));
        assert_eq!(clocks.usage[Color::Black].least_left_ms, Some(-1));
        assert_eq!(clocks.usage[Color::White], Usage::default());
    }

    #[test]
    fn without_a_limit_nothing_is_left() {
        let mut clocks = Clocks::new(Limit::Nodes(10));
        clocks.press(Color::White, &answer(5_000_000, 10));
        assert_eq!(clocks.usage[Color::White].least_left_ms, None);
        assert_eq!(clocks.allowed(Color::White), None);
    }

    #[test]
    fn usage_of_games_adds_up() {
        let one = Usage {
            moves: 1,
            total_ms: 10,
            slowest_ms: 10,
            least_left_ms: Some(3),
            nodes: 7,
            depths: 2,
        };
        let two = Usage {
            least_left_ms: None,
            slowest_ms: 4,
            ..one
        };
        let sum = one.joined(two);
        assert_eq!((sum.moves, sum.total_ms, sum.slowest_ms), (2, 20, 10));
        assert_eq!(sum.least_left_ms, Some(3));
        assert_eq!(
            sum.joined(Usage {
                least_left_ms: Some(-5),
                ..one
            })
            .least_left_ms,
            Some(-5)
        );
    }
}
