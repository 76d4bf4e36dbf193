//! Games in memory.

use super::{FileGame, InvalidGame};

/// The game at the start of `bytes` and its length.
pub(crate) fn read<G: FileGame>(
    bytes: &[u8],
    replayer: &mut G::Replayer,
) -> Result<(G, usize), G::Problem> {
    match G::frame(bytes) {
        Ok((frame, len)) => Ok((G::decode(&frame, replayer)?, len)),
        Err(problem) => Err(G::first_problem(bytes, problem, replayer)),
    }
}

/// How many complete games there are at the start of `bytes`, and how many bytes they take: where to
/// cut a file for several threads. Stops before the first game that cannot be framed.
pub fn frames_len<G: FileGame>(bytes: &[u8]) -> (usize, usize) {
    let (mut games, mut at) = (0, 0);
    while let Ok((_, len)) = G::frame(&bytes[at..]) {
        games += 1;
        at += len;
    }
    (games, at)
}

/// The games of `bytes`, each checked. Ends after the first problem.
pub fn games<G: FileGame>(bytes: &[u8]) -> FileGames<'_, G> {
    FileGames {
        bytes,
        at: 0,
        game: 1,
        replayer: G::Replayer::default(),
    }
}

/// The games of bytes in memory, for example a mapped file; see [`games`].
#[derive(Clone, Debug)]
pub struct FileGames<'a, G: FileGame> {
    bytes: &'a [u8],
    at: usize,
    game: u64,
    replayer: G::Replayer,
}

impl<G: FileGame> FileGames<'_, G> {
    /// Offset of the next game: that of the first damaged one after a problem.
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// The same games, played by `replayer`.
    #[must_use]
    pub(crate) fn with_replayer(self, replayer: G::Replayer) -> Self {
        Self { replayer, ..self }
    }
}

impl<G: FileGame> Iterator for FileGames<'_, G> {
    type Item = Result<G, InvalidGame<G::Problem>>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        Some(match read(rest, &mut self.replayer) {
            Ok((game, len)) => {
                self.at += len;
                self.game += 1;
                Ok(game)
            }
            Err(problem) => {
                self.bytes = &self.bytes[..self.at];
                Err(InvalidGame {
                    game: self.game,
                    offset: self.at as u64,
                    problem,
                })
            }
        })
    }
}
