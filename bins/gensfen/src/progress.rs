//! How far a run is, in words.

use std::time::Duration;

use yane_cli::HumanCount;

/// Where a run stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// Games that earlier runs finished.
    pub(crate) before: u64,
    /// Games in all, if that is known.
    pub(crate) total: Option<u64>,
    /// Games of this run.
    pub(crate) games: u64,
    /// Their positions.
    pub(crate) positions: u64,
}

impl Progress {
    /// Games that are there.
    pub(crate) const fn finished(&self) -> u64 {
        self.before + self.games
    }

    /// The whole job after `time`: games, positions, positions a second, and the time that is left.
    pub(crate) fn told(&self, time: Duration) -> String {
        let seconds = time.as_secs_f64().max(1e-3);
        let finished = HumanCount(self.finished());
        let games = match self.total {
            Some(total) => format!("{finished}/{} games", HumanCount(total)),
            None => format!("{finished} games"),
        };
        let mut told = vec![games, self.all_positions()];
        let rate = HumanCount((self.positions as f64 / seconds) as u64);
        told.push(format!("{rate} positions/s"));
        told.extend(
            self.left(seconds)
                .map(|left| format!("{} left", span(left))),
        );
        told.join(", ")
    }

    /// Positions of all games. How many those of earlier runs, and those to come, have is reckoned by those of
    /// this run.
    fn all_positions(&self) -> String {
        let of_games = |games: u64| {
            let mean = self.positions as f64 / self.games.max(1) as f64;
            (games as f64 * mean) as u64
        };
        let there = self.positions + of_games(self.before);
        let about = if self.before > 0 { "about " } else { "" };
        let there = HumanCount(there);
        match self.total {
            Some(total) if self.games > 0 && total > self.finished() => {
                let all = HumanCount(of_games(total));
                format!("{about}{there} of about {all} positions")
            }
            _ => format!("{about}{there} positions"),
        }
    }

    /// Seconds until all games are there, if that can be told.
    fn left(&self, seconds: f64) -> Option<f64> {
        let missing = self.total?.checked_sub(self.finished())?;
        (self.games > 0).then(|| missing as f64 * seconds / self.games as f64)
    }
}

/// A time in two units, the largest first.
fn span(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    if days > 0 {
        format!("{days} d {} h", hours % 24)
    } else if hours > 0 {
        format!("{hours} h {} min", minutes % 60)
    } else if minutes > 0 {
        format!("{minutes} min {} s", seconds % 60)
    } else {
        format!("{seconds} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_job_is_told() {
        let new = Progress {
            total: Some(1000),
            ..Progress::default()
        };
        assert_eq!(
            new.told(Duration::from_secs(60)),
            "0/1,000 games, 0 positions, 0 positions/s"
        );
        let some = Progress {
            games: 100,
            positions: 12_000,
            ..new
        };
        assert_eq!(
            some.told(Duration::from_secs(1200)),
            "100/1,000 games, 12,000 of about 120,000 positions, 10 positions/s, 3 h 0 min left"
        );
        let resumed = Progress {
            before: 500,
            ..some
        };
        assert_eq!(
            resumed.told(Duration::from_secs(1200)),
            "600/1,000 games, about 72,000 of about 120,000 positions, 10 positions/s, 1 h 20 min left"
        );
        let endless = Progress {
            total: None,
            ..some
        };
        assert_eq!(
            endless.told(Duration::from_secs(1200)),
            "100 games, 12,000 positions, 10 positions/s"
        );
        let done = Progress {
            total: Some(100),
            ..some
        };
        assert_eq!(
            done.told(Duration::from_secs(1200)),
            "100/100 games, 12,000 positions, 10 positions/s, 0 s left"
        );
    }

    #[test]
    fn times_are_told_in_two_units() {
        for (seconds, told) in [
            (0.2, "1 s"),
            (75.0, "1 min 15 s"),
            (7260.0, "2 h 1 min"),
            (200_000.0, "2 d 7 h"),
        ] {
            assert_eq!(span(seconds), told);
        }
    }
}
