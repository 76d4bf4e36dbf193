#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod args;
mod engines;
mod files;
mod jobs;
mod server;

pub use args::ShogiServeArgs;
pub use server::ShogiServer;
/// The options about books that our engine has.
pub use shogi_engine::Profile;
