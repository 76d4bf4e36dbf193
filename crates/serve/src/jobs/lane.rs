//! What works beside what.

use serde::{Deserialize, Serialize};

/// What works beside what: one job of each lane at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobLane {
    /// Work that keeps the processors busy.
    Search,
    /// Work that reads and writes files.
    Files,
}
