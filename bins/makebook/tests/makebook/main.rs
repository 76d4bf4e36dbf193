//! `makebook` as people and scripts run it.

#[cfg(unix)]
mod books;
mod goldens;
#[cfg(unix)]
mod growing;
mod help;
#[cfg(unix)]
mod kills;
mod queries;
mod thinking;
#[cfg(unix)]
mod trouble;
mod usage;
mod util;
