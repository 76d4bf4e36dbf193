//! Going through the games of a batch.

use super::{FileGame, GameProblem, InvalidGame};
use crate::DataPlace;
use crate::InvalidData;

/// Why a walk does not go on behind a game.
pub(crate) enum Refused<F> {
    /// The game is damaged.
    Invalid(F),
    /// The target format cannot say what is to come of the game.
    Unrepresentable(String),
}

impl<F: GameProblem> From<F> for Refused<F> {
    fn from(problem: F) -> Self {
        Self::Invalid(problem)
    }
}

/// Calls `visit` with each game of `bytes`, whose moves it may have played by the replayer, and the
/// offset of the game; ends with the first game that cannot be framed or that `visit` refuses.
pub(crate) fn walk<G: FileGame>(
    bytes: &[u8],
    replayer: &mut G::Replayer,
    mut visit: impl FnMut(&mut G::Replayer, &G::Frame<'_>, usize) -> Result<(), Refused<G::Problem>>,
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
            Err(Refused::Unrepresentable(reason)) => {
                return Some(InvalidData::unrepresentable(
                    DataPlace::Offset(offset),
                    reason,
                ));
            }
            Err(Refused::Invalid(problem)) => {
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
