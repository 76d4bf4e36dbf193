//! `makebook` as people and scripts run it.

mod analyzing;
mod deep;
mod field;
mod files;
mod goldens;
#[cfg(unix)]
mod growing;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
#[path = "../../../gensfen/tests/it/nats/mod.rs"]
mod nats;
mod outputs;
mod queries;
#[cfg(unix)]
mod queue;
mod thinking;
mod usage;
mod util;
