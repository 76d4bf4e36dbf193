//! The protocol as text, and the client of engine processes.

mod client;
mod protocol;
