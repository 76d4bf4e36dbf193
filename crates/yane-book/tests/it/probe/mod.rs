//! Probing through the public interface.

mod golden;
mod laws;
mod sources;
mod util;
