//! Time control: time for a game, byoyomi, increments, or a fixed time for each move.

use std::time::Duration;

use othello_search::Limits;
use yane_clock::Instant;

/// The part of a move's time that goes on other things than thinking, at most.
const OVERHEAD: Duration = Duration::from_millis(50);

/// What of a time is left for thinking: a tenth is the most that is set aside.
fn without_overhead(time: Duration) -> Duration {
    time.saturating_sub(OVERHEAD.min(time / 10))
}

/// The least time for a move.
const LEAST: Duration = Duration::from_millis(10);

/// A number of moves that must be made in a time, over and over: byoyomi with one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPeriod {
    /// Time of the period.
    pub time: Duration,
    /// Moves to make in it, at least 1.
    pub moves: u32,
}

/// The time that a player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Clock {
    /// Time for so many moves, or for the rest of the game.
    pub time: Duration,
    /// Moves to make in that time; `None`: all of the game, or as many as one likes before the periods begin.
    pub moves: Option<u32>,
    /// Periods that begin when the time is used up or the moves are made.
    pub period: Option<ClockPeriod>,
    /// Time that is added after each move.
    pub increment: Duration,
}

impl Clock {
    /// A clock with a time for the whole game.
    pub fn for_game(time: Duration) -> Self {
        Self {
            time,
            ..Self::default()
        }
    }

    /// The limits of a search that begins now with so many empty squares. A player has half of the moves that are left; more
    /// time goes to the moves before the end is solved, of which some twelve are left then.
    pub(crate) fn limits(self, empties: u32) -> Limits {
        let own = empties.div_ceil(2).max(1);
        let until_solved = own.saturating_sub(9).max(2);
        let moves = self
            .moves
            .map_or(until_solved, |moves| moves.clamp(1, until_solved));
        // What a period gives to each move is there anyway once the main time is used up.
        let sure = match (self.moves, self.period) {
            (None, Some(period)) => period.time / period.moves.max(1),
            _ => Duration::ZERO,
        };
        let usable = without_overhead(self.time + sure).max(LEAST);
        let share = (without_overhead(self.time) / moves + sure + self.increment)
            .min(usable)
            .max(LEAST);
        // Half of the share: the next iteration takes some three times as long as all before.
        let most = if moves == 1 || self.time < sure {
            usable
        } else {
            (share * 2).min((usable / 2).max(without_overhead(sure)))
        };
        let now = Instant::now();
        Limits {
            until: Some(now + most.max(LEAST)),
            enough: Some(now + (share / 2).min(most)),
            ..Limits::default()
        }
    }

    /// Takes the time of a move off the clock. Returns `false` if there was less.
    pub fn spend(&mut self, elapsed: Duration) -> bool {
        let is_in_time = if let Some(left) = self.time.checked_sub(elapsed) {
            self.time = left + self.increment;
            true
        } else {
            // A main time runs over into the first period; the time of a period is lost.
            let over = elapsed.saturating_sub(self.time);
            self.time = Duration::ZERO;
            match (self.moves, self.period) {
                (None, Some(period)) => {
                    self.time = period.time.saturating_sub(over);
                    self.moves = Some(period.moves.max(1));
                    over <= period.time
                }
                _ => false,
            }
        };
        if let Some(moves) = &mut self.moves {
            *moves = moves.saturating_sub(1);
            if *moves == 0 {
                if let Some(period) = self.period {
                    self.time = period.time;
                    *moves = period.moves.max(1);
                } else {
                    self.moves = None;
                }
            }
        }
        is_in_time
    }
}

/// The limits of a search that is to take so long.
pub(crate) fn fixed_time(time: Duration) -> Limits {
    let now = Instant::now();
    let most = without_overhead(time);
    Limits {
        until: Some(now + most),
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_clock_is_never_overdrawn() {
        let byoyomi = ClockPeriod {
            time: SECOND * 5,
            moves: 1,
        };
        for seconds in [0, 1, 60, 900] {
            let time = Duration::from_secs(seconds);
            for moves in [None, Some(1), Some(10)] {
                for period in [None, Some(byoyomi)] {
                    for empties in 1..=60 {
                        let clock = Clock {
                            time,
                            moves,
                            period,
                            increment: SECOND,
                        };
                        let start = Instant::now();
                        let limits = clock.limits(empties);
                        let until = limits.until.unwrap() - start;
                        let sure = if moves.is_none() && period.is_some() {
                            byoyomi.time
                        } else {
                            Duration::ZERO
                        };
                        let most = (time + sure).max(LEAST + OVERHEAD) + Duration::from_millis(5);
                        assert!(until <= most, "{clock:?} {empties}: {until:?}");
                        assert!(limits.enough.unwrap() <= limits.until.unwrap());
                    }
                }
            }
        }
    }

    #[test]
    fn byoyomi_is_used_whole_and_comes_back() {
        let mut clock = Clock {
            time: SECOND,
            period: Some(ClockPeriod {
                time: SECOND * 10,
                moves: 1,
            }),
            ..Clock::default()
        };
        assert!(clock.spend(SECOND * 3));
        assert_eq!((clock.time, clock.moves), (SECOND * 10, Some(1)));
        let until = clock.limits(40).until.unwrap() - Instant::now();
        assert!(until > SECOND * 9, "{until:?}");
        assert!(clock.spend(SECOND * 9));
        assert_eq!(clock.time, SECOND * 10);
        assert!(!clock.spend(SECOND * 11));
        let mut game = Clock {
            increment: SECOND * 2,
            ..Clock::for_game(SECOND * 5)
        };
        assert!(game.spend(SECOND * 3));
        assert_eq!(game.time, SECOND * 4);
        assert!(!game.spend(SECOND * 5));
    }
}
