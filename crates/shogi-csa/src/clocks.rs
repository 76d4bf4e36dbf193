//! The clocks of a game as its client sees them: what is left, what an engine is told, and how records have them.

use std::time::Duration;

use shogi_core::Color;
use shogi_usi::{ClockTimes, GoCommand};

use crate::summary::{CsaSummary, CsaTime};

/// Longest time that engines are told, in milliseconds (24 days): many of them count in 32 bits.
const LONGEST_MS: u64 = i32::MAX as u64;
/// Time for a move in a game without limits.
const UNLIMITED_MOVE: Duration = Duration::from_secs(10);

/// The clocks of both players, as far as the server has told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsaClocks {
    times: [CsaTime; 2],
    left_ms: [u64; 2],
}

impl CsaClocks {
    pub(crate) fn new(summary: &CsaSummary) -> Self {
        let left = |side: usize| summary.remaining_ms[side].unwrap_or(summary.times[side].total_ms);
        let mut clocks = Self {
            times: summary.times,
            left_ms: [left(0), left(1)],
        };
        // What is left is told as of the end of the earlier moves.
        if summary.remaining_ms == [None; 2] {
            for earlier in &summary.moves {
                clocks.press(earlier.m.color(), earlier.spent);
            }
        }
        clocks
    }

    /// The time of a player for the game that is left, in milliseconds, without the increment of the move to come.
    pub const fn left_ms(&self, color: Color) -> u64 {
        self.left_ms[color.index()]
    }

    /// The longest time that a player may take for the move to come; `None`: any.
    pub const fn allowed_ms(&self, color: Color) -> Option<u64> {
        let time = &self.times[color.index()];
        if time.is_unlimited() {
            return None;
        }
        let left = self.left_ms[color.index()].saturating_add(time.increment_ms);
        Some(
            left.saturating_add(time.byoyomi_ms)
                .saturating_add(time.delay_ms),
        )
    }

    /// The time of a move of `color` in milliseconds; `units` as the server tells it.
    pub(crate) const fn spent_ms(&self, color: Color, units: u64) -> u64 {
        units.saturating_mul(self.times[color.index()].unit_ms)
    }

    /// `color` has moved.
    pub(crate) fn press(&mut self, color: Color, units: Option<u64>) {
        let spent = self.spent_ms(color, units.unwrap_or(0));
        let left = &mut self.left_ms[color.index()];
        let increment = self.times[color.index()].increment_ms;
        *left = left.saturating_add(increment).saturating_sub(spent);
    }

    /// The limits of a search of `color`, as a GUI would send them. `margin` is kept back from the time of `color`. Where the
    /// server has both byoyomi and increments, what the increment adds to this move is in the clock already; `Delay` is told as
    /// byoyomi, which allows a move to take exactly as long.
    pub fn limits(&self, color: Color, margin: Duration) -> GoCommand {
        let mut go = GoCommand::default();
        let ours = &self.times[color.index()];
        if ours.is_unlimited() {
            go.movetime = Some(UNLIMITED_MOVE);
            return go;
        }
        let ms = |ms: u64| Duration::from_millis(ms.min(LONGEST_MS));
        let byoyomi = ms(ours.byoyomi_ms.saturating_add(ours.delay_ms));
        let has_increment = self.times.iter().any(|time| time.increment_ms > 0);
        let as_increment = has_increment && byoyomi.is_zero();
        let mut left = Color::ALL.map(|side| {
            let left = self.left_ms(side);
            let increment = self.times[side.index()].increment_ms;
            ms(if as_increment {
                left
            } else {
                left.saturating_add(increment)
            })
        });
        let own = &mut left[color.index()];
        let margin_of_byoyomi = margin.min(byoyomi);
        *own = own.saturating_sub(margin.saturating_sub(margin_of_byoyomi));
        let increment = |side: usize| as_increment.then(|| ms(self.times[side].increment_ms));
        go.clock = ClockTimes {
            btime: Some(left[0]),
            wtime: Some(left[1]),
            byoyomi: (!as_increment).then(|| byoyomi.saturating_sub(margin_of_byoyomi)),
            binc: increment(0),
            winc: increment(1),
        };
        go
    }
}

/// The time of a player as CSA 2.2 has it, where that can hold it, else as 3.0 has it; empty without limits. Increments stand in
/// remarks beside the form of 2.2.
pub(crate) fn time_limit(time: &CsaTime) -> String {
    let minutes = time.total_ms / 60_000;
    let seconds = time.byoyomi_ms / 1000;
    let is_whole = time.total_ms.is_multiple_of(60_000) && time.byoyomi_ms.is_multiple_of(1000);
    if is_whole && seconds < 100 && minutes < 6000 && minutes + seconds > 0 {
        format!("{:02}:{:02}+{seconds:02}", minutes / 60, minutes % 60)
    } else {
        time_limit_in_seconds(time)
    }
}

/// The time of a player as CSA 3.0 has it: seconds for the game, byoyomi and increment; empty without limits.
pub(crate) fn time_limit_in_seconds(time: &CsaTime) -> String {
    if time.is_unlimited() {
        return String::new();
    }
    let seconds = |ms: u64| {
        let text = format!("{}.{:03}", ms / 1000, ms % 1000);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    [time.total_ms, time.byoyomi_ms, time.increment_ms]
        .map(seconds)
        .join("+")
}
