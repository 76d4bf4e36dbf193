//! The format as one of those whose files hold games.

use super::{Fault, Frame, Hcpe3Game, Replayer, frame};
use crate::games::{self, FileGame};

impl FileGame for Hcpe3Game {
    type Frame<'a> = Frame<'a>;
    type Fault = Fault;
    type Replayer = Replayer;

    #[inline]
    fn frame(bytes: &[u8]) -> Result<(Frame<'_>, usize), Fault> {
        frame(bytes).map(|frame| (frame, frame.len))
    }

    fn first_fault(bytes: &[u8], fault: Fault, replayer: &mut Replayer) -> Fault {
        replayer.first_fault(bytes, fault)
    }

    fn decode(frame: &Frame<'_>, replayer: &mut Replayer) -> Result<Self, Fault> {
        Self::from_frame(frame, replayer)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.write_to(bytes);
    }
}

/// A fault with its place.
pub type GameFault = games::GameFault<Fault>;
/// Why there is no next game.
pub type ReadError = games::ReadError<Fault>;
/// The games of bytes in memory, for example a mapped file; see [`games`](games()).
pub type Games<'a> = games::Games<'a, Hcpe3Game>;
/// The games of a stream. Ends after the first error; the games before it are good.
///
/// Memory is bounded by the longest game.
pub type Reader<R> = games::Reader<R, Hcpe3Game>;
/// Writes games. Dropping it without [`finish`](games::Writer::finish) loses what is still in its
/// buffer.
pub type Writer<W> = games::Writer<W, Hcpe3Game>;

/// The games of `bytes`, each checked. Ends after the first fault.
pub fn games(bytes: &[u8]) -> Games<'_> {
    games::games(bytes)
}

/// How many complete games there are at the start of `bytes`, and how many bytes they take: where to
/// cut a file for several threads. Stops before the first game that has no end.
pub fn frames_len(bytes: &[u8]) -> (usize, usize) {
    games::frames_len::<Hcpe3Game>(bytes)
}
