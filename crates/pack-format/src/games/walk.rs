//! Going through the games of a batch.

use super::{FaultInGame, FileGame, GameProblem};
use crate::Damage;

/// Why a walk does not go on behind a game.
pub(crate) enum Refused<F> {
    /// The game is damaged.
    Fault(F),
    /// What is to come of the game cannot be said.
    Unsayable(String),
}

impl<F: FaultInGame> From<F> for Refused<F> {
    fn from(fault: F) -> Self {
        Self::Fault(fault)
    }
}

/// Calls `visit` with each game of `bytes`, whose moves it may have played by the replayer, and the
/// offset of the game; ends with the first game that cannot be framed or that `visit` refuses.
pub(crate) fn walk<G: FileGame>(
    bytes: &[u8],
    replayer: &mut G::Replayer,
    mut visit: impl FnMut(&mut G::Replayer, &G::Frame<'_>, usize) -> Result<(), Refused<G::Problem>>,
) -> Option<Damage>
where
    Damage: From<GameProblem<G::Problem>>,
{
    let (mut at, mut game) = (0, 1);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let visited = match G::frame(rest) {
            Ok((frame, len)) => visit(replayer, &frame, at).map(|()| len),
            Err(fault) => Err(G::first_fault(rest, fault, replayer).into()),
        };
        let offset = at as u64;
        match visited {
            Ok(len) => at += len,
            Err(Refused::Unsayable(reason)) => return Some(Damage::Unsayable { offset, reason }),
            Err(Refused::Fault(fault)) => {
                let fault = GameProblem {
                    game,
                    offset,
                    fault,
                };
                return Some(fault.into());
            }
        }
        game += 1;
    }
    None
}
