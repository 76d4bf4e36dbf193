//! The format as one of those whose files hold games.

use std::io::Read;

use super::{Contradictions, Game, PackFrame, PackProblem, PackReplayer, frame};
use crate::games::{self, FileGame};

impl FileGame for Game {
    type Frame<'a> = PackFrame<'a>;
    type Problem = PackProblem;
    type Replayer = PackReplayer;

    #[inline]
    fn frame(bytes: &[u8]) -> Result<(PackFrame<'_>, usize), PackProblem> {
        frame(bytes).map(|frame| (frame, frame.len))
    }

    fn first_problem(
        bytes: &[u8],
        problem: PackProblem,
        replayer: &mut PackReplayer,
    ) -> PackProblem {
        replayer.first_problem(bytes, problem)
    }

    fn decode(frame: &PackFrame<'_>, replayer: &mut PackReplayer) -> Result<Self, PackProblem> {
        Self::from_frame(frame, replayer)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.write_to(bytes);
    }
}

/// A problem with its place.
pub type InvalidPackGame = games::InvalidGame<PackProblem>;
/// Why there is no next game.
pub type PackReadError = games::GameReadError<PackProblem>;
/// The games of bytes in memory, for example a mapped file; see [`games`](games()).
pub type PackGames<'a> = games::FileGames<'a, Game>;
/// The games of a stream. Ends after the first error; the games before it are good.
///
/// Memory is bounded by the longest game.
pub type PackReader<R> = games::GameReader<R, Game>;
/// Writes games. Dropping it without [`finish`](games::GameWriter::finish) loses what is still in its
/// buffer.
pub type PackWriter<W> = games::GameWriter<W, Game>;

/// The games of `bytes`, each checked. Ends after the first problem.
pub fn games(bytes: &[u8]) -> PackGames<'_> {
    games::games(bytes)
}

/// How many complete games there are at the start of `bytes`, and how many bytes they take: where to
/// cut a file for several threads. Stops before the first game that has no end or an unknown start.
pub fn frames_len(bytes: &[u8]) -> (usize, usize) {
    games::frames_len::<Game>(bytes)
}

impl PackGames<'_> {
    /// The same games, with [`Contradictions`] treated so; they are accepted otherwise.
    #[must_use]
    pub fn with_contradictions(self, contradictions: Contradictions) -> Self {
        self.with_replayer(PackReplayer::new(contradictions))
    }
}

impl<R: Read> PackReader<R> {
    /// A reader that treats [`Contradictions`] so; they are accepted otherwise.
    pub fn with_contradictions(stream: R, contradictions: Contradictions) -> Self {
        Self::with_replayer(stream, PackReplayer::new(contradictions))
    }
}
