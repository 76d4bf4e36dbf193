//! `makebook` as people and scripts run it.

mod books;
mod goldens;
mod help;
#[cfg(unix)]
mod kills;
mod queries;
#[cfg(unix)]
mod trouble;
mod usage;
mod util;
