//! Runs of workers of all kinds, from outside.

mod hostile;
mod limits;
mod on_demand;
mod order;
mod util;
