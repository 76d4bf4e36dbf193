//! What is shared, and where.

use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

/// What is shared, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Address of the server: `nats://host:4222`, or several with commas between.
    pub url: String,
    /// How long a worker may be silent before its units go to others. All workers of a job have to agree.
    pub lease: Duration,
    id: String,
}

impl Job {
    /// The lease of a job unless told otherwise.
    pub const LEASE: Duration = Duration::from_secs(30);

    /// The job of `description`, which has to say everything that results follow from: it is what processes
    /// that work on the same job have in common.
    pub fn new(url: impl Into<String>, description: &str) -> Self {
        Self {
            url: url.into(),
            lease: Self::LEASE,
            id: format!("{:016x}", xxh3_64(description.as_bytes())),
        }
    }

    /// What the job is called on the server.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn stream(&self) -> String {
        format!("FARM_{}", self.id)
    }

    pub(crate) fn units(&self) -> String {
        format!("farm.{}.unit", self.id)
    }

    pub(crate) fn results(&self) -> String {
        format!("farm.{}.result", self.id)
    }

    /// Where it says whether the job is done.
    pub(crate) fn state(&self) -> String {
        format!("farmjobs.{}", self.id)
    }
}
