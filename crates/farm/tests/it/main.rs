//! Runs of workers of all kinds, from outside.

mod hostile;
mod limits;
mod order;
mod util;
