//! `startsfens` as people and scripts run it.

mod startsfens;
