//! An othello engine: game, level, clocks, book and search behind one [`Session`], and protocols that stand on it.
//!
//! * [`Session`]: what a game needs; it searches on the calling thread. [`Hints`], analysis ([`Session::analyse`]) and random
//!   positions ([`Session::random_game`]) too. [`Ponder`] thinks in the other side's time.
//! * [`Gtp`]: the Go Text Protocol, a reply for each line.
//! * [`NBoard`], [`XBoard`], [`Cassio`]: protocols of windows, with searches on a thread of their own.
//! * [`EgaroucidConsole`], [`EdaxConsole`]: the commands and tables of both programs' consoles.
//! * [`OpeningNamer`]: names of openings for people; [`BoardPicture`], [`AnalysisChart`]: a board and an analysis as
//!   pictures.
//!
//! Nothing here reads a terminal or prints: lines go in, and text comes out.

#![forbid(unsafe_code)]

mod analysis;
mod analysis_chart;
mod background;
mod book;
mod clock;
mod hints;
mod openings;
mod picture;
mod ponder;
mod protocols;
mod random;
mod session;

pub use analysis::{AnalysedMove, AnalysisSums, Judge, analysis_sums};
pub use analysis_chart::AnalysisChart;
pub use background::{Heard, LineOutput};
pub use book::{BookCandidate, BookChoice, PlayBook};
pub use clock::{Clock, ClockPeriod};
pub use hints::{Hint, HintSource, Hints};
pub use openings::OpeningNamer;
pub use picture::{BoardPicture, PictureMarks};
pub use ponder::Ponder;
pub use protocols::{
    Cassio, ConsoleMode, ConsoleTaskError, EdaxConsole, EgaroucidConsole, Gtp, GtpReply,
    MoveOutput, NBoard, XBoard, did_you_mean,
};
pub use random::RandomRule;
pub use session::{DepthRange, PlayLoss, PlayedMove, Session};
