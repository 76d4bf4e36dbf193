//! An othello engine: game, level, clocks and search behind one [`Session`], and protocols that stand on it.
//!
//! * [`Session`]: what a game needs; it searches on the calling thread.
//! * [`Gtp`]: the Go Text Protocol, a reply for each line.
//! * [`NBoard`]: version 2 of that window's protocol, with searches on a thread of their own.
//!
//! Nothing here reads or prints: lines go in, and replies come out.

#![forbid(unsafe_code)]

mod gtp;
mod nboard;
mod session;

pub use gtp::{Gtp, GtpReply};
pub use nboard::{Heard, NBoard, NBoardOutput};
pub use session::{Clock, Session};
