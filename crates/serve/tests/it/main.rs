//! The server over real sockets.

mod files;
mod guards;
mod jobs;
mod languages;
mod streams;
mod support;
