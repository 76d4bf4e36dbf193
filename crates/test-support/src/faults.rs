//! Faults of workers.

use std::sync::atomic::{AtomicU32, Ordering};

/// A fault that comes so many times, and then no more.
#[derive(Debug)]
pub struct Faults(AtomicU32);

impl Faults {
    /// A fault that comes `times` times.
    pub fn new(times: u32) -> Self {
        Self(AtomicU32::new(times))
    }

    /// True if the fault comes now.
    pub fn come(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        let order = Ordering::Relaxed;
        self.0.fetch_update(order, order, less).is_ok()
    }
}
