//! `egbk-mine` as people and scripts run it.

mod program;
mod trials;
