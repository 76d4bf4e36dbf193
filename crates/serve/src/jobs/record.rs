//! A job of the list: what it is, and how far it is.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use yane_io::job::{JobState, JobStatus};

use super::work::JobPlan;

/// A job as the list keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct JobRecord {
    /// Its number, which no other job has.
    pub(crate) job: u64,
    /// The name of what it does.
    pub(crate) kind: String,
    pub(crate) plan: JobPlan,
    /// How far it was when something was last noted here.
    pub(crate) status: JobStatus,
    /// Why it stopped.
    pub(crate) stopped: Option<String>,
    /// What came out, for pages.
    pub(crate) result: Option<Value>,
}

impl JobRecord {
    /// A job that waits.
    pub(crate) fn new(job: u64, kind: String, plan: JobPlan) -> Self {
        Self {
            job,
            kind,
            plan,
            status: JobStatus::default(),
            stopped: None,
            result: None,
        }
    }

    /// The same job, waiting to be begun again.
    pub(crate) fn queue_again(&mut self) {
        self.status = JobStatus::default();
        self.stopped = None;
        self.result = None;
    }

    /// Notes that the program ended before the job did.
    pub(crate) fn was_left(&mut self) {
        self.status.state = JobState::Stopped;
        self.stopped = Some("the program ended before the job did".to_owned());
    }

    /// Returns whether it can be begun again.
    pub(crate) const fn can_go_on(&self) -> bool {
        matches!(
            self.status.state,
            JobState::Stopped | JobState::Failed { .. }
        )
    }

    /// The fields of its event.
    pub(crate) fn fields(&self, status: &JobStatus) -> Value {
        let text = match &status.state {
            JobState::Failed { text } => Some(text),
            JobState::Done { summary } => Some(summary),
            JobState::Stopped => self.stopped.as_ref(),
            _ => status.note.as_ref(),
        };
        json!({
            "job": self.job,
            "kind": self.kind,
            "state": status.state.name(),
            "stage": status.stage,
            "done": status.done.to_string(),
            "total": status.total.map(|total| total.to_string()),
            "unit": status.unit,
            "rate": (status.rate > 0.0).then_some(status.rate),
            "elapsed_s": status.elapsed.as_secs_f64(),
            "eta_s": status.eta.map(|eta| eta.as_secs_f64()),
            "command": self.plan.command,
            "text": text,
            "output": self.plan.output,
            "result": self.result,
        })
    }
}
