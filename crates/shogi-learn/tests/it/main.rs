//! Trainings through the public interface.

mod data;
mod resume;
mod util;
