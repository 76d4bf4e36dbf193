//! Teacher data through the public interface.

mod dedup;
mod filter;
mod goldens;
mod listing;
mod parts;
mod roundtrips;
mod shuffle;
mod stats;
mod stream;
