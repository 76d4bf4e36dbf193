//! `makebook` as people and scripts run it.

#[cfg(unix)]
mod books;
mod files;
mod goldens;
#[cfg(unix)]
mod growing;
mod help;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
#[path = "../../../gensfen/tests/it/nats/mod.rs"]
mod nats;
mod outputs;
mod queries;
#[cfg(unix)]
mod queue;
#[cfg(unix)]
mod queue_growing;
mod startsfens;
mod thinking;
#[cfg(unix)]
mod trouble;
mod usage;
mod util;
