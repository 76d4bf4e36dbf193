//! How long to wait.

use std::time::{Duration, Instant};

/// A time limit, which begins with the first wait. When it is over there is one more look at what is already there.
#[derive(Debug)]
pub(in crate::client) struct Patience {
    timeout: Duration,
    deadline: Option<Instant>,
    has_looked: bool,
}

/// Longer than anybody waits; a sum with it is still a point in time.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

impl Patience {
    pub(in crate::client) fn new(timeout: Duration) -> Self {
        Self {
            timeout: timeout.min(FOR_EVER),
            deadline: None,
            has_looked: false,
        }
    }

    /// What is left; nothing after the last look, so that not even an engine which writes without end is
    /// listened to for longer.
    pub(super) fn left(&mut self) -> Option<Duration> {
        let now = Instant::now();
        let deadline = *self.deadline.get_or_insert_with(|| now + self.timeout);
        let left = deadline.saturating_duration_since(now);
        if left.is_zero() && std::mem::replace(&mut self.has_looked, true) {
            return None;
        }
        Some(left)
    }
}
