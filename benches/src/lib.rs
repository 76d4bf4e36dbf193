//! The common parts of the drivers of the benchmarks.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use shogi_usi::client::EngineProcess;

/// The peer's engine that `YANEURA_PEER_ENGINE` names; without one a driver says so and does nothing.
pub fn peer_engine() -> Option<OsString> {
    let peer = std::env::var_os("YANEURA_PEER_ENGINE");
    if peer.is_none() {
        eprintln!("skipped: YANEURA_PEER_ENGINE does not name a peer's engine");
    }
    peer
}

/// Starts an engine with those of the `usual` options that it has, and the `given` ones, `NAME=VALUE`.
///
/// # Errors
/// When it cannot be started, or is not ready within `patience`.
pub fn start_engine(
    engine: &OsStr,
    usual: &[(&str, &str)],
    given: &[&String],
    patience: Duration,
) -> anyhow::Result<EngineProcess> {
    let mut process = EngineProcess::spawn(engine, &[])
        .with_context(|| format!("cannot start {}", engine.to_string_lossy()))?;
    process.handshake(patience)?;
    for (option, value) in usual {
        if process.has_option(option) {
            process.set_option(option, value)?;
        }
    }
    for option in given {
        let (option, value) = option.split_once('=').context("NAME=VALUE")?;
        process.set_option(option, value)?;
    }
    process.get_ready(patience)?;
    Ok(process)
}

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
