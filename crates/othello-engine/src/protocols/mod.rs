//! The protocols and consoles of foreign programs, as lines in and out. They stand on the session; nothing of the session knows them.

mod cassio;
mod console;
mod gtp;
mod nboard;
mod xboard;

pub use cassio::Cassio;
pub use console::{
    ConsoleMode, ConsoleTaskError, EdaxConsole, EgaroucidConsole, MoveOutput, did_you_mean,
};
pub use gtp::{Gtp, GtpReply};
pub use nboard::NBoard;
pub use xboard::XBoard;
