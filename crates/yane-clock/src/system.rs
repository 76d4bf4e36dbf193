//! Where the standard library has a clock and threads.

pub use std::thread::{Builder, Scope, ScopedJoinHandle, scope};
pub use std::time::Instant;

/// From now on [`pause_point`] may let the host handle messages on this thread. Nothing here: threads do not wait for each other.
pub fn begin_pauses() {}

/// From now on [`pause_point`] does nothing on this thread. It does nothing here anyway.
pub fn end_pauses() {}

/// A place in a search where the host may handle messages. Nothing here.
#[inline(always)]
pub fn pause_point() {}

/// Sleeps; returns whether that can be done here, which it always can.
pub fn sleep(time: std::time::Duration) -> bool {
    std::thread::sleep(time);
    true
}

/// The life of a worker that the host has started: jobs, one after the other. Nothing here: the system starts threads by itself.
pub fn work() {}
