//! The common parts of the drivers of the benchmarks.
#![forbid(unsafe_code)]

use std::time::Instant;

/// Processor time of this process in seconds where the system tells it (Linux), else time since `start`: other
/// work on the machine then does not count.
pub fn cpu_seconds(start: Instant) -> f64 {
    std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(
            || start.elapsed().as_secs_f64(),
            |nanoseconds| nanoseconds / 1e9,
        )
}
