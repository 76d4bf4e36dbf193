//! The part of the work that this process does, when many share it without talking to each other.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// One of several equal parts of a job: of the units 0, 1, 2 … those whose number leaves `index` when it is
/// divided by `count`.
///
/// ```
/// use yane_io::Shard;
/// let shard: Shard = "1/4".parse()?;
/// assert_eq!(shard.units().take(3).collect::<Vec<_>>(), [1, 5, 9]);
/// assert!(shard.owns(13) && !shard.owns(12));
/// # Ok::<(), yane_io::ShardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    index: u64,
    count: u64,
}

/// An error in the description of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected a shard such as 0/4, the first number below the second, found {0:?}")]
pub struct ShardError(String);

impl Shard {
    /// All of the work.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Part `index`, counted from 0, of `count`; `None` when there is no such part.
    pub const fn new(index: u64, count: u64) -> Option<Self> {
        if index < count {
            Some(Self { index, count })
        } else {
            None
        }
    }

    /// The part that the cluster's scheduler gives this process, as `variable` tells its environment: a task
    /// of a Slurm array (`SLURM_ARRAY_TASK_ID`, `_MIN` and `_COUNT`) or of a Kubernetes indexed job
    /// (`JOB_COMPLETION_INDEX`, with the number of completions in `JOB_COMPLETIONS`, which the job has to
    /// set). `None` outside of both.
    ///
    /// # Errors
    /// When the variables contradict each other.
    pub fn from_scheduler(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, ShardError> {
        let number = |name: &str| {
            let Some(text) = variable(name) else {
                return Ok(None);
            };
            let wrong = || ShardError(format!("{name}={text}"));
            text.trim().parse::<u64>().map(Some).map_err(|_| wrong())
        };
        if let Some(id) = number("SLURM_ARRAY_TASK_ID")? {
            let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
            let count = number("SLURM_ARRAY_TASK_COUNT")?.unwrap_or(0);
            let wrong = || {
                ShardError(format!(
                    "task {id} of {count} of a Slurm array from {first}"
                ))
            };
            let index = id.checked_sub(first).ok_or_else(wrong)?;
            return Self::new(index, count).map(Some).ok_or_else(wrong);
        }
        if let Some(index) = number("JOB_COMPLETION_INDEX")? {
            let count = number("JOB_COMPLETIONS")?.unwrap_or(0);
            let wrong = || {
                ShardError(format!(
                    "JOB_COMPLETION_INDEX={index} of JOB_COMPLETIONS={count}"
                ))
            };
            return Self::new(index, count).map(Some).ok_or_else(wrong);
        }
        Ok(None)
    }

    /// Returns the number of the part, counted from 0.
    pub const fn index(self) -> u64 {
        self.index
    }

    /// Number of parts.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// Returns whether a unit belongs to this part.
    pub const fn owns(self, unit: u64) -> bool {
        unit % self.count == self.index
    }

    /// The units of this part, in order, without end.
    pub fn units(self) -> impl Iterator<Item = u64> {
        (0..).map(move |number| self.unit(number))
    }

    /// The unit with this number among those of this part.
    pub const fn unit(self, number: u64) -> u64 {
        number * self.count + self.index
    }

    /// The number of units of the first `units` that belong to this part.
    pub const fn share_of(self, units: u64) -> u64 {
        units / self.count
            + if units % self.count > self.index {
                1
            } else {
                0
            }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parts = text.split_once('/');
        let shard = parts.and_then(|(index, count)| {
            Self::new(index.trim().parse().ok()?, count.trim().parse().ok()?)
        });
        shard.ok_or_else(|| ShardError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        for count in 1..6 {
            for units in 0..20 {
                let shares = (0..count).map(|index| Shard::new(index, count).unwrap());
                let shares: Vec<_> = shares.collect();
                let sum: u64 = shares.iter().map(|shard| shard.share_of(units)).sum();
                assert_eq!(sum, units);
                for unit in 0..units {
                    assert_eq!(shares.iter().filter(|shard| shard.owns(unit)).count(), 1);
                }
            }
        }
        assert_eq!(Shard::new(2, 2), None);
    }

    #[test]
    fn texts() {
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
        for wrong in ["", "1", "3/3", "-1/3", "a/b", "0/0", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shards_come_from_schedulers() {
        const SLURM: &[(&str, &str)] = &[
            ("SLURM_ARRAY_TASK_ID", "12"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
        ];
        let told = |variables: &'static [(&str, &str)]| {
            Shard::from_scheduler(|name| {
                let found = variables.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(told(&[]), Ok(None));
        assert_eq!(told(SLURM), Ok(Shard::new(2, 4)));
        assert!(told(&[("SLURM_ARRAY_TASK_ID", "4")]).is_err());
        assert_eq!(
            told(&[("JOB_COMPLETION_INDEX", "1"), ("JOB_COMPLETIONS", "3")]),
            Ok(Shard::new(1, 3))
        );
        assert!(told(&[("JOB_COMPLETION_INDEX", "1")]).is_err());
        assert!(told(&[("JOB_COMPLETION_INDEX", "x"), ("JOB_COMPLETIONS", "3")]).is_err());
    }
}
