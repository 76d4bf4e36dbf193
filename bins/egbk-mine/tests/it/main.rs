//! `egbk-mine` as people and scripts run it.

mod outputs;
mod program;
mod trials;
