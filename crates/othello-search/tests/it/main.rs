//! Tests through the public interface.

mod endgame;
