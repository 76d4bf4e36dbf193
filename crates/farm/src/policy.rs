//! How often work is tried, how long it may take, and how long a worker that failed waits.

use std::time::Duration;

use yane_base::random::SplitMix64;

/// Time limit and number of tries of items and workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The time of one timed search ([`Stop::timed`](crate::Stop::timed)) after which its worker is stopped. Other work
    /// has no limit.
    pub time_limit: Duration,
    /// The number of tries before an item is given up, at least 1. Two failures in a row at the same worker
    /// count once as long as there are others: it may be the worker's fault.
    pub tries: u32,
    /// Failures in a row after which a worker is closed, at least 1.
    pub failures: u32,
    /// Items in a row that a worker may spoil by protocol violations before it is closed, at least 1.
    pub violations: u32,
    /// Panics at the same item after which the run ends, at least 1.
    pub panics: u32,
    /// The waits before a worker that failed is started again.
    pub backoff: Backoff,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            time_limit: Duration::from_secs(600),
            tries: 3,
            failures: 6,
            violations: 3,
            panics: 3,
            backoff: Backoff::default(),
        }
    }
}

/// Waits that double with each failure in a row, up to half of each at random: workers that failed together do not come
/// back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The wait after the first failure, without its random part.
    pub first: Duration,
    /// The longest wait, without its random part.
    pub longest: Duration,
    /// The seed of the random parts. Processes that share a server should have different ones.
    pub seed: u64,
}

impl Default for Backoff {
    /// 250 ms to a minute; the seed is the number of this process.
    fn default() -> Self {
        Self {
            first: Duration::from_millis(250),
            longest: Duration::from_secs(60),
            seed: u64::from(std::process::id()),
        }
    }
}

impl Backoff {
    /// No waits at all.
    pub const NONE: Self = Self {
        first: Duration::ZERO,
        longest: Duration::ZERO,
        seed: 0,
    };

    /// The wait of a worker after so many failures in a row, counted from 1: always the same for the same numbers.
    pub fn wait(&self, worker: usize, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let wait = self.first.saturating_mul(1 << doublings);
        let wait = wait.min(self.longest);
        let index = (worker as u64) << 8 | u64::from(failures.min(255));
        let random = SplitMix64::nth(self.seed, index) >> 32;
        // A part of 2^33 in 2^32 steps: up to half.
        wait + wait.mul_f64(random as f64 / 2f64.powi(33))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_differ_between_workers() {
        let backoff = Backoff {
            seed: 7,
            ..Backoff::default()
        };
        for failures in 1..=40 {
            let least = Duration::from_millis(250) * 2u32.pow((failures - 1).min(8));
            let least = least.min(Duration::from_secs(60));
            let wait = backoff.wait(3, failures);
            assert!(
                (least..least * 3 / 2).contains(&wait),
                "{failures}: {wait:?}"
            );
            assert_eq!(wait, backoff.wait(3, failures));
            assert_ne!(wait, backoff.wait(4, failures));
        }
        assert_eq!(Backoff::NONE.wait(1, 40), Duration::ZERO);
    }
}
