//! `gensfen` as people and scripts run it.

mod deep;
mod follow;
mod gensfen;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod queue;
#[cfg(target_os = "linux")]
mod ssh;
#[cfg(unix)]
mod trust;
#[cfg(unix)]
mod watched;
