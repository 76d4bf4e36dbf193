//! The time budget of a move: from clocks and options to a [`TimeBudget`], and from a budget to the
//! moment at which the search ends.
//!
//! [`TimeBudget::new`] is the field's formula, with the default [`Params`] number for number as YaneuraOu computes it, so
//! that users' settings mean what they are used to. [`TimeBudget::for_play`] mends some weaknesses of it (see there). All times are milliseconds. Nothing here reads a clock or draws random numbers.

use crate::Params;

/// Options about time, with YaneuraOu's names and defaults.
#[expect(clippy::struct_excessive_bools, reason = "options of the user")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOptions {
    /// `NetworkDelay`: usual delay between the engine's answer and the server's clock.
    pub network_delay: u32,
    /// `NetworkDelay2`: longest delay to expect; kept in reserve from the remaining time.
    pub network_delay2: u32,
    /// `NetworkDelay` is the user's value, not the default: [`TimeBudget::for_play`] keeps it however short byoyomi is.
    pub network_delay_chosen: bool,
    /// The same of `NetworkDelay2`.
    pub network_delay2_chosen: bool,
    /// `MinimumThinkingTime`: no move is played sooner than this less the delay.
    pub minimum_thinking_time: u32,
    /// `SlowMover`: per cent of the planned time to use.
    pub slow_mover: u32,
    /// `RoundUpToFullSecond`: servers count started seconds, so use each to its end.
    pub round_up_to_full_second: bool,
    /// `USI_Ponder`: the engine also thinks in the opponent's time.
    pub ponder: bool,
    /// `Stochastic_Ponder`: pondering starts from the position before the opponent's move.
    pub stochastic_ponder: bool,
}

impl Default for TimeOptions {
    fn default() -> Self {
        Self {
            network_delay: 120,
            network_delay2: 1120,
            network_delay_chosen: false,
            network_delay2_chosen: false,
            minimum_thinking_time: 2000,
            slow_mover: 100,
            round_up_to_full_second: true,
            ponder: false,
            stochastic_ponder: false,
        }
    }
}

/// The mover's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left (`btime` or `wtime`).
    pub time: u64,
    /// Time added after each move (`binc` or `winc`).
    pub inc: u64,
    /// Time for each move once the clock is empty (`byoyomi`).
    pub byoyomi: u64,
    /// Fixed time with a random addition (`rtime`); 0 when not used. It overrides the others.
    pub rtime: u64,
    /// Random bits for `rtime`.
    pub random: u64,
}

/// The time to end the search, in milliseconds after its start (after ponderhit when pondering).
///
/// The formula may come out negative when the delay is longer than everything else: "at once".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget {
    /// Think at least this long.
    pub minimum: i64,
    /// The usual time, scaled by how settled the best move is.
    pub optimum: i64,
    /// Never plan for more than this.
    pub maximum: i64,
    /// The main time is nearly gone and all of it is used for this move.
    pub final_push: bool,
    /// Time that may be used at all.
    remain: i64,
    network_delay: i64,
    minimum_thinking_time: i64,
    round_up: bool,
}

/// Game length that stands for "no limit".
const NO_MOVE_LIMIT: i64 = 100_000;

/// A clock reading as a signed number; a clock beyond the end of time is cut.
fn signed(time: u64) -> i64 {
    // 2^40 ms are 34 years; sums and products of a few of these fit.
    time.min(1 << 40) as i64
}

/// A part of `time`, given as a divisor.
fn part(time: u64, divisor: i32) -> u64 {
    time / u64::from(divisor.unsigned_abs())
}

impl TimeBudget {
    /// The budget for a move at game ply `ply` (1 = initial position) by the field's formula.
    ///
    /// `max_moves_to_draw` is the game's length in plies, 0 for no limit.
    pub fn new(
        clock: &Clock,
        ply: u32,
        max_moves_to_draw: u32,
        options: &TimeOptions,
        params: &Params,
    ) -> Self {
        let ply = i64::from(ply.max(1));
        let round_up = options.round_up_to_full_second;
        let usable = signed(clock.time) + signed(clock.byoyomi) - i64::from(options.network_delay2);
        let budget = Self {
            remain: usable.max(if round_up { 100 } else { 1 }),
            network_delay: options.network_delay.into(),
            minimum_thinking_time: options.minimum_thinking_time.into(),
            round_up,
            ..Self::exactly(0)
        };
        if clock.rtime > 0 {
            let time = signed(clock.rtime);
            let spread = (time / 2).min(time * 10 / ply);
            let extra = if spread == 0 {
                0
            } else {
                signed(clock.random % spread as u64)
            };
            return budget.with_all(time + extra);
        }
        let limit = match max_moves_to_draw {
            0 => NO_MOVE_LIMIT,
            limit => i64::from(limit),
        };
        let sudden_death = clock.inc == 0 && clock.byoyomi == 0;
        let horizon = if sudden_death {
            i64::from(params.time_plies_sudden) - ply.min(params.time_plies_played_sudden.into())
        } else {
            i64::from(params.time_plies) - ply.min(params.time_plies_played.into())
        };
        let moves_to_go = (limit - ply + 2).min(horizon) / 2;
        match moves_to_go {
            ..=0 => budget.with_all(params.time_after_the_end.into()),
            1 => budget.with_all(budget.remain),
            moves => budget.planned(clock, moves, options, params),
        }
    }

    /// As [`TimeBudget::new`], mended where the formula serves a player badly: where it leaves unused
    /// what comes back with every move, and where it plans for more than there is.
    ///
    /// The parts of clock and byoyomi that follow are those of the default `params`.
    ///
    /// * **Byoyomi.** The formula sets `NetworkDelay2` aside from everything that is left. With its
    ///   default of 1120 ms, byoyomi of one second and an empty clock nothing remains, and the engine
    ///   would answer after a tenth of a second for the rest of the game. When the default would leave
    ///   more than half of byoyomi unused, the budget is byoyomi less a margin: a tenth of it, at least
    ///   30 ms and at most `NetworkDelay`. What is left on the clock is reserve then.
    /// * **Increments** from which the clock alone lives: when the default leaves more than three
    ///   quarters of the clock unused although the increment brings half of it back, the budget is half
    ///   of the clock.
    /// * With less left than the formula's floor (100 ms when rounding up) it plans for more time than
    ///   there is. The budget is then byoyomi as above, or without byoyomi a tenth of what is left and
    ///   half the increment.
    ///
    /// **Delays that the user has chosen are kept**: with a `NetworkDelay2` of the user's the first two do not apply, so that
    /// byoyomi of 1000 ms with 800 is a game of 200 ms a move; and a `NetworkDelay` of the user's is the whole margin of
    /// byoyomi.
    pub fn for_play(
        clock: &Clock,
        ply: u32,
        max_moves_to_draw: u32,
        options: &TimeOptions,
        params: &Params,
    ) -> Self {
        let p = params;
        let budget = Self::new(clock, ply, max_moves_to_draw, options, p);
        if clock.rtime > 0 {
            return budget;
        }
        let (time, inc, byoyomi) = (signed(clock.time), signed(clock.inc), signed(clock.byoyomi));
        let overdrawn = budget.remain >= time + byoyomi;
        let chosen = options.network_delay2_chosen;
        if byoyomi > 0 {
            let starved =
                !chosen && budget.remain < byoyomi / i64::from(p.time_byoyomi_unused_divisor);
            return if starved || overdrawn {
                Self::of_byoyomi(clock.byoyomi, options, p)
            } else {
                budget
            };
        }
        if overdrawn {
            let of_clock = part(clock.time, p.time_rest_clock_divisor);
            let of_increment = part(clock.inc, p.time_rest_increment_divisor);
            Self::exactly((of_clock + of_increment).max(1))
        } else if !chosen
            && budget.remain < time / i64::from(p.time_increment_unused_divisor)
            && inc >= time / i64::from(p.time_increment_clock_divisor)
        {
            Self::exactly(part(clock.time, p.time_increment_used_divisor))
        } else {
            budget
        }
    }

    /// All of byoyomi but a margin: the user's `NetworkDelay`, else a part of byoyomi.
    fn of_byoyomi(byoyomi: u64, options: &TimeOptions, p: &Params) -> Self {
        let delay = u64::from(options.network_delay);
        let (margin, least) = if options.network_delay_chosen {
            (delay, part(byoyomi, p.time_rest_clock_divisor))
        } else {
            let margin = part(byoyomi, p.time_byoyomi_margin_divisor).min(delay);
            (margin, part(byoyomi, p.time_byoyomi_least_divisor))
        };
        let margin = margin.max(u64::from(p.time_byoyomi_margin_min.unsigned_abs()));
        let time = byoyomi.saturating_sub(margin).max(least).max(1);
        Self {
            final_push: true,
            ..Self::exactly(time)
        }
    }

    /// A budget of `time` that is neither rounded nor scaled.
    pub fn exactly(time: u64) -> Self {
        let time = signed(time);
        Self {
            minimum: time,
            optimum: time,
            maximum: time,
            final_push: false,
            remain: time,
            network_delay: 0,
            minimum_thinking_time: 0,
            round_up: false,
        }
    }

    fn with_all(self, time: i64) -> Self {
        Self {
            minimum: time,
            optimum: time,
            maximum: time,
            ..self
        }
    }

    /// Spreads the time over `moves` more moves, at least 2.
    #[allow(clippy::cast_precision_loss)]
    fn planned(self, clock: &Clock, moves: i64, options: &TimeOptions, p: &Params) -> Self {
        let (time, inc, byoyomi) = (signed(clock.time), signed(clock.inc), signed(clock.byoyomi));
        let floor = if self.round_up { 1000 } else { 1 };
        let mut minimum = (self.minimum_thinking_time - self.network_delay).max(floor);
        let lost_to_rounding = if self.round_up { (moves + 1) * 1000 } else { 0 };
        let total = (time + (inc + byoyomi) * moves - lost_to_rounding).max(0);

        let mut optimum =
            (minimum + total / moves).min(self.remain) * i64::from(options.slow_mover) / 100;
        // Single precision on purpose: the field's numbers come out to the millisecond.
        let mut ratio = p.time_max_ratio as f32 / 10.0;
        if inc == 0 && byoyomi == 0 {
            ratio = ratio.min((time as f32 / p.time_max_ratio_clock as f32).max(1.0));
        }
        let stretched = (total as f32 * ratio / moves as f32) as i64;
        let share = (total as f64 * (f64::from(p.time_max_share) / 100.0)) as i64;
        let mut maximum = (minimum + stretched).min(share).min(self.remain);
        if options.ponder && !options.stochastic_ponder {
            optimum += optimum * i64::from(p.time_ponder) / 100;
        }
        let push_below = byoyomi as f64 * (f64::from(p.time_final_push) / 100.0);
        let final_push = byoyomi > 0 && time < push_below as i64;
        if final_push {
            minimum = byoyomi + time;
            optimum = minimum;
            maximum = minimum;
        }
        Self {
            minimum: self.round_up(minimum).min(self.remain),
            optimum: optimum.min(self.remain),
            maximum: self.round_up(maximum).min(self.remain),
            final_push,
            ..self
        }
    }

    /// The end of the second in which `time` lies as the server counts it, less the delay.
    fn round_up(&self, time: i64) -> i64 {
        let (minimum, delay) = (self.minimum_thinking_time, self.network_delay);
        let end = if self.round_up {
            let end = (time + 999).div_euclid(1000) * 1000;
            let end = end.max(minimum) - delay;
            if end < time { end + 1000 } else { end }
        } else {
            time.max(minimum) - delay
        };
        end.min(self.remain)
    }

    /// Returns when a search that finds at `elapsed` that it has thought enough really ends: not before
    /// the minimum, and at the end of a full second when started seconds count.
    ///
    /// All counted from the start of the search; `pondered` is the part before ponderhit, 0
    /// without pondering.
    pub fn search_end(&self, elapsed: u64, pondered: u64) -> i64 {
        let pondered = signed(pondered);
        let minimum = if self.final_push {
            self.minimum
        } else {
            self.minimum - pondered
        };
        self.round_up((signed(elapsed) - pondered).max(minimum)) + pondered
    }
}
