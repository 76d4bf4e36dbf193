//! The server over real sockets.

mod guards;
mod streams;
mod support;
