//! The client against servers: one of the tests' own, dialogues of a real one, and a real one where there is one.

mod client;
mod dialogues;
mod properties;
mod shogi_server;
mod util;
