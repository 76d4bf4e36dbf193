//! Runs by their events, as pages ask for them.

mod files;
mod samples;
mod support;
