//! Tests through the public interface.

mod endgame;
mod midgame;
mod parity;
mod wld;
