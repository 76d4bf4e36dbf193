//! What a job does, as screens, events and pages show it.

use std::path::PathBuf;
use std::time::Duration;

use super::progress::Unit;

/// The state of a job. Serialised as `state`, with `text` or `summary` beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "state", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum JobState {
    /// It has not begun.
    #[default]
    Queued,
    /// It works.
    Running,
    /// It was asked to pause, and is on its way to a safe point.
    Pausing,
    /// It rests until it is told to go on.
    Paused,
    /// It ended at a safe point, as it was asked to stop: most jobs can be resumed.
    Stopped,
    /// It ended with an error.
    Failed {
        /// The error.
        text: String,
    },
    /// It ended with all its work done.
    Done {
        /// What it did, in a line.
        summary: String,
    },
}

impl JobState {
    /// True if the job has ended.
    pub const fn has_ended(&self) -> bool {
        matches!(
            self,
            Self::Stopped | Self::Failed { .. } | Self::Done { .. }
        )
    }

    /// The word for it: `queued`, `running`, `pausing`, `paused`, `stopped`, `failed`, `done`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Pausing => "pausing",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Failed { .. } => "failed",
            Self::Done { .. } => "done",
        }
    }
}

/// What a job does at some moment. Counts, rate and times are those of the stage in progress, or of the last.
///
/// Serialised as one flat object, in which times are numbers of seconds.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobStatus {
    /// Whether it works.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub state: JobState,
    /// The name of the stage, for people; empty before the first.
    pub stage: String,
    /// The amount that is done, by earlier runs too.
    pub done: u64,
    /// The amount in all, if it is known.
    pub total: Option<u64>,
    /// What is counted.
    pub unit: Unit,
    /// Units in a second of this run: the mean of the stage. What earlier runs did does not count, nor does the time of
    /// pauses.
    pub rate: f64,
    /// The time of the stage in this run, without pauses.
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    pub elapsed: Duration,
    /// The time that is left at this rate, if that and the total are known.
    #[cfg_attr(feature = "serde", serde(with = "maybe_seconds"))]
    pub eta: Option<Duration>,
    /// The file that was written last and is whole: what is safe whatever happens now.
    #[cfg_attr(feature = "serde", serde(with = "path_text"))]
    pub last_good_file: Option<PathBuf>,
    /// The last remark, for people.
    pub note: Option<String>,
}

#[cfg(feature = "serde")]
mod seconds {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(input)?;
        Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)
    }
}

#[cfg(feature = "serde")]
mod maybe_seconds {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(|time| time.as_secs_f64()).serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(input)?;
        let time = seconds.map(Duration::try_from_secs_f64);
        time.transpose().map_err(D::Error::custom)
    }
}

/// Paths as texts; what is not UTF-8 in them is replaced.
#[cfg(feature = "serde")]
mod path_text {
    use std::path::PathBuf;

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        let text = path.as_ref().map(|path| path.to_string_lossy());
        text.serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        Option::<PathBuf>::deserialize(input)
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_a_flat_object() {
        let status = JobStatus {
            state: JobState::Running,
            stage: "merging".to_owned(),
            done: 1200,
            total: Some(5000),
            unit: Unit::Positions,
            rate: 20.0,
            elapsed: Duration::from_secs(60),
            eta: Some(Duration::from_millis(190_500)),
            last_good_file: Some("books/a.db".into()),
            note: None,
        };
        let expected = json!({"state": "running", "stage": "merging", "done": 1200, "total": 5000,
            "unit": "positions", "rate": 20.0, "elapsed": 60.0, "eta": 190.5,
            "last_good_file": "books/a.db", "note": null});
        assert_eq!(serde_json::to_value(&status).unwrap(), expected);
        let read: JobStatus = serde_json::from_value(expected).unwrap();
        assert_eq!(read, status);
    }

    #[test]
    fn ends_have_their_texts_beside_them() {
        let text = "no space".to_owned();
        let summary = "5 books".to_owned();
        for (state, word, beside) in [
            (JobState::Queued, "queued", json!({})),
            (JobState::Pausing, "pausing", json!({})),
            (JobState::Paused, "paused", json!({})),
            (JobState::Stopped, "stopped", json!({})),
            (
                JobState::Failed { text },
                "failed",
                json!({"text": "no space"}),
            ),
            (
                JobState::Done { summary },
                "done",
                json!({"summary": "5 books"}),
            ),
        ] {
            assert_eq!(state.name(), word);
            let status = JobStatus {
                state,
                ..JobStatus::default()
            };
            let told = serde_json::to_value(&status).unwrap();
            assert_eq!(told["state"], word);
            for key in ["text", "summary"] {
                assert_eq!(told.get(key), beside.get(key), "{word}");
            }
            assert_eq!(serde_json::from_value::<JobStatus>(told).unwrap(), status);
        }
        let negative = json!({"state": "running", "stage": "", "done": 0, "total": null,
            "unit": "games", "rate": 0.0, "elapsed": 0.0, "eta": -1.0, "last_good_file": null,
            "note": null});
        assert!(serde_json::from_value::<JobStatus>(negative).is_err());
    }
}
