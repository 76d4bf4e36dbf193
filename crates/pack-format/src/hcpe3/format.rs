//! The format as one of those whose files hold games.

use super::{Hcpe3Frame, Hcpe3Game, Hcpe3Problem, Hcpe3Replayer, frame};
use crate::games::{self, FileGame};

impl FileGame for Hcpe3Game {
    type Frame<'a> = Hcpe3Frame<'a>;
    type Problem = Hcpe3Problem;
    type Replayer = Hcpe3Replayer;

    #[inline]
    fn frame(bytes: &[u8]) -> Result<(Hcpe3Frame<'_>, usize), Hcpe3Problem> {
        frame(bytes).map(|frame| (frame, frame.len))
    }

    fn first_problem(
        bytes: &[u8],
        problem: Hcpe3Problem,
        replayer: &mut Hcpe3Replayer,
    ) -> Hcpe3Problem {
        replayer.first_problem(bytes, problem)
    }

    fn decode(frame: &Hcpe3Frame<'_>, replayer: &mut Hcpe3Replayer) -> Result<Self, Hcpe3Problem> {
        Self::from_frame(frame, replayer)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.write_to(bytes);
    }
}

/// A problem with its place.
pub type InvalidHcpe3Game = games::InvalidGame<Hcpe3Problem>;
/// Why there is no next game.
pub type Hcpe3ReadError = games::GameReadError<Hcpe3Problem>;
/// The games of bytes in memory, for example a mapped file; see [`games`](games()).
pub type Hcpe3Games<'a> = games::FileGames<'a, Hcpe3Game>;
/// The games of a stream. Ends after the first error; the games before it are good.
///
/// Memory is bounded by the longest game.
pub type Hcpe3Reader<R> = games::GameReader<R, Hcpe3Game>;
/// Writes games. Dropping it without [`finish`](games::GameWriter::finish) loses what is still in its
/// buffer.
pub type Hcpe3Writer<W> = games::GameWriter<W, Hcpe3Game>;

/// The games of `bytes`, each checked. Ends after the first problem.
pub fn games(bytes: &[u8]) -> Hcpe3Games<'_> {
    games::games(bytes)
}

/// How many complete games there are at the start of `bytes`, and how many bytes they take: where to
/// cut a file for several threads. Stops before the first game that has no end.
pub fn frames_len(bytes: &[u8]) -> (usize, usize) {
    games::frames_len::<Hcpe3Game>(bytes)
}
