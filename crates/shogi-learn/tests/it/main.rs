//! Trainings through the public interface.

mod data;
mod deep;
mod exports;
mod other;
mod resume;
mod util;
