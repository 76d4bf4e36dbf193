//! The server over real sockets.

mod files;
mod guards;
mod languages;
mod streams;
mod support;
