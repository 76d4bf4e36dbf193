//! `makebook` as people and scripts run it.

mod analyzing;
mod deep;
mod field;
mod files;
mod goldens;
#[cfg(unix)]
mod growing;
mod jobs;
#[cfg(unix)]
mod kills;
mod outputs;
mod queries;
#[cfg(unix)]
mod queue;
mod serve;
mod thinking;
mod usage;
mod util;
