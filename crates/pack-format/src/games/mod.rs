//! Common parts of the formats that hold whole games, [`pack`](crate::pack) and
//! [`hcpe3`](crate::hcpe3).
//!
//! Files of them are nothing but games one after the other. A game's bytes are first framed, which
//! finds their end and little else, and then played, which checks every rule. What is written here
//! once works on any [`FileGame`]; the modules of the formats give it their names.

mod reader;

use std::sync::Arc;
use std::{error, fmt, io};

use shogi_core::{AperyMove16, Move, Position};
use thiserror::Error;

use crate::{DataPlace, InvalidData};

pub use reader::{GameReader, GameWriter};

/// A game of a format whose files are nothing but games.
pub trait FileGame: Sized {
    /// The bytes of a game, whose moves have not been looked at.
    type Frame<'a>;
    /// Problems in games.
    type Problem: GameProblem;
    /// Plays games. One is kept for many games.
    type Replayer: Default;

    /// The game that begins with the first of `bytes`, and its length.
    ///
    /// # Errors
    /// When its end cannot be found. Something else may be wrong before that, see
    /// [`Self::first_problem`].
    fn frame(bytes: &[u8]) -> Result<(Self::Frame<'_>, usize), Self::Problem>;

    /// Returns the first problem of the game at the start of `bytes`, for which [`Self::frame`] gave
    /// `problem`.
    fn first_problem(
        bytes: &[u8],
        problem: Self::Problem,
        replayer: &mut Self::Replayer,
    ) -> Self::Problem;

    /// Plays the game of a frame.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    fn decode(
        frame: &Self::Frame<'_>,
        replayer: &mut Self::Replayer,
    ) -> Result<Self, Self::Problem>;

    /// Appends the game's bytes.
    fn encode(&self, bytes: &mut Vec<u8>);
}

// Problems in games, with their places in the file.

/// Problems in games.
pub trait GameProblem: error::Error + Send + Sync + 'static {
    /// Offset of the wrong bytes from the first byte of the game.
    fn at(&self) -> usize;

    /// Returns true if the only problem is that the bytes end inside the game.
    fn is_truncated(&self) -> bool;
}

/// A problem with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("byte {}: game {game} (begins at byte {offset}): {problem}", offset + problem.at() as u64)]
pub struct InvalidGame<F: GameProblem> {
    /// Number of the game, from 1.
    pub game: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// The problem.
    pub problem: F,
}

impl<F: GameProblem> InvalidGame<F> {
    /// Offset of the wrong bytes.
    pub fn byte(&self) -> u64 {
        self.offset + self.problem.at() as u64
    }
}

impl<F: GameProblem> From<InvalidGame<F>> for InvalidData {
    fn from(invalid: InvalidGame<F>) -> Self {
        let place = DataPlace::Game {
            game: invalid.game,
            offset: invalid.offset,
            byte: invalid.byte(),
        };
        Self::new(place, invalid.problem)
    }
}

/// Error of reading the next game.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameReadError<F: GameProblem> {
    /// The stream reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next game is damaged.
    #[error(transparent)]
    Invalid(#[from] InvalidGame<F>),
}

// Moves in the bytes of games.

/// The move of these bits if it is legal.
#[inline]
pub(crate) fn legal_move(position: &Position, code: AperyMove16) -> Option<Move> {
    let mv = position.move_from_apery_16(code)?;
    position.is_legal(mv).then_some(mv)
}

/// A move in USI notation, or a word when the bits are none.
pub(crate) struct MoveName(pub(crate) AperyMove16);

impl fmt::Display for MoveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.decode() {
            Some(text) => text.fmt(f),
            None => f.write_str("no move"),
        }
    }
}

// Games in memory.

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

/// Returns the number of complete games at the start of `bytes` and the number of bytes they take,
/// for cutting a file into parts for several threads. Stops before the first game that cannot be
/// framed.
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

// Going through the games of a batch.

/// The reason why a [`walk`] ends at a game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GameRefusal<F> {
    /// The game is damaged.
    Invalid(F),
    /// What is to be made of the game cannot say all of it; the error tells what.
    Unrepresentable(Arc<dyn error::Error + Send + Sync>),
}

impl<F> GameRefusal<F> {
    /// The refusal of a game that is in order.
    pub(crate) fn unrepresentable(problem: impl Into<Arc<dyn error::Error + Send + Sync>>) -> Self {
        Self::Unrepresentable(problem.into())
    }
}

impl<F: GameProblem> From<F> for GameRefusal<F> {
    fn from(problem: F) -> Self {
        Self::Invalid(problem)
    }
}

/// Calls `visit` with each game of `bytes`, which begin with a game, and its offset; `visit` may have its moves played by the replayer.
/// Ends with the first game that cannot be framed or that `visit` refuses, and returns what is wrong with it; places are those
/// in `bytes` ([`InvalidData::moved`] makes them those in a file).
///
/// ```
/// use pack_format::games::walk;
/// use pack_format::pack::{Game, PackReplayer};
///
/// # let bytes: &[u8] = &[];
/// let (mut games, mut plies) = (0, 0);
/// let damage = walk::<Game>(bytes, &mut PackReplayer::default(), |replayer, frame, _offset| {
///     replayer.replay(frame, |_position, _ply, _result| plies += 1)?;
///     games += 1;
///     Ok(())
/// });
/// assert_eq!(damage.map(|damage| damage.to_string()), None);
/// ```
pub fn walk<G: FileGame>(
    bytes: &[u8],
    replayer: &mut G::Replayer,
    mut visit: impl FnMut(&mut G::Replayer, &G::Frame<'_>, usize) -> Result<(), GameRefusal<G::Problem>>,
) -> Option<InvalidData> {
    let (mut at, mut game) = (0, 1);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let visited = match G::frame(rest) {
            Ok((frame, len)) => visit(replayer, &frame, at).map(|()| len),
            Err(problem) => Err(G::first_problem(rest, problem, replayer).into()),
        };
        let offset = at as u64;
        match visited {
            Ok(len) => at += len,
            Err(GameRefusal::Unrepresentable(reason)) => {
                return Some(InvalidData::unrepresentable(
                    DataPlace::Offset(offset),
                    reason,
                ));
            }
            Err(GameRefusal::Invalid(problem)) => {
                let problem = InvalidGame {
                    game,
                    offset,
                    problem,
                };
                return Some(problem.into());
            }
        }
        game += 1;
    }
    None
}
