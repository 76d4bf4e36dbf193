//! The server over real sockets.

mod guards;
mod languages;
mod streams;
mod support;
