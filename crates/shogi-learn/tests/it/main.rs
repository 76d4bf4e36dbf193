//! Trainings through the public interface.

mod data;
mod exports;
mod other;
mod resume;
mod util;
