//! An othello engine: game, level, clocks, book and search behind one [`Session`], and protocols that stand on it.
//!
//! * [`Session`]: what a game needs; it searches on the calling thread. [`Hints`], analysis ([`Session::analyse`]) and random
//!   positions ([`Session::random_game`]) too. [`Ponder`] thinks in the other side's time.
//! * [`Gtp`]: the Go Text Protocol, a reply for each line.
//! * [`NBoard`], [`XBoard`], [`Cassio`]: protocols of windows, with searches on a thread of their own.
//! * [`EgaroucidConsole`], [`EdaxConsole`]: the commands and tables of both programs' consoles.
//! * [`OpeningNamer`]: names of openings for people; [`BoardPicture`]: a board as a picture.
//!
//! Nothing here reads a terminal or prints: lines go in, and text comes out.

#![forbid(unsafe_code)]

mod analysis;
mod background;
mod book;
mod cassio;
mod clock;
mod console;
mod gtp;
mod hints;
mod nboard;
mod openings;
mod picture;
mod ponder;
mod random;
mod session;
mod xboard;

pub use analysis::{AnalysedMove, AnalysisSums, Judge, analysis_sums};
pub use background::{Heard, LineOutput};
pub use book::{BookCandidate, BookChoice, PlayBook};
pub use cassio::Cassio;
pub use clock::{Clock, ClockPeriod};
pub use console::{ConsoleMode, EdaxConsole, EgaroucidConsole, MoveOutput, did_you_mean};
pub use gtp::{Gtp, GtpReply};
pub use hints::{Hint, HintSource, Hints};
pub use nboard::NBoard;
pub use openings::OpeningNamer;
pub use picture::{BoardPicture, PictureMarks};
pub use ponder::Ponder;
pub use random::RandomRule;
pub use session::{DepthRange, PlayLoss, PlayedMove, Session};
pub use xboard::XBoard;
