//! Playing a game's bytes, with every rule checked.

use shogi_core::{AperyMove16, Position};
use shogi_packed::Packing as _;

use super::frame::read_start;
use super::{PLY_LEN, PackFrame, PackProblem, PackStart, Ply};
use crate::games::legal_move;
use crate::{TeacherResult, TeacherScore};

/// What becomes of a game whose end reason cannot go with its result
/// ([`EndReason::allows`](crate::EndReason::allows)).
///
/// Such games are found in files whose moves are all in order, because writers do not agree on the
/// reasons. But a contradiction is also what a zero move leaves behind: written in the middle of a
/// game it looks like a draw, and the score after it like a reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contradictions {
    /// It is a game like any other; whoever reads it may count it.
    #[default]
    Accept,
    /// It is a problem.
    Refuse,
}

/// Replays games. Keeping one for many games saves setting up the initial position.
#[derive(Clone, Debug)]
pub struct PackReplayer {
    initial: Position,
    position: Position,
    contradictions: Contradictions,
}

impl Default for PackReplayer {
    fn default() -> Self {
        Self::new(Contradictions::default())
    }
}

impl PackReplayer {
    /// A replayer that treats contradictions so.
    pub fn new(contradictions: Contradictions) -> Self {
        let initial = Position::startpos();
        Self {
            position: initial.clone(),
            initial,
            contradictions,
        }
    }

    /// Replays a game, calling `visit` with each position, the ply played there and the game's
    /// result, which it returns. `visit` may have been called for the plies before one that is at
    /// problem.
    ///
    /// # Errors
    /// The first thing that is wrong with the game, in the order of its bytes.
    #[inline]
    pub fn replay(
        &mut self,
        frame: &PackFrame<'_>,
        mut visit: impl FnMut(&Position, Ply, TeacherResult),
    ) -> Result<TeacherResult, PackProblem> {
        match self.check_end(frame) {
            Ok(result) => {
                self.play(frame.start, frame.plies, |position, ply| {
                    visit(position, ply, result);
                })?;
                Ok(result)
            }
            Err(problem) => {
                self.play(frame.start, frame.plies, |_, _| ())?;
                Err(problem)
            }
        }
    }

    /// What is wrong with the game at the start of `bytes`, for which [`frame`](super::frame) gave
    /// `problem`: something else may be wrong before the place where it ends.
    pub fn first_problem(&mut self, bytes: &[u8], problem: PackProblem) -> PackProblem {
        let Ok((start, len)) = read_start(bytes) else {
            return problem;
        };
        let plies = bytes[len..].as_chunks().0;
        let plies = &plies[..plies.len().min(super::MAX_PLIES)];
        self.play(start, plies, |_, _| ()).err().unwrap_or(problem)
    }

    /// Plays from `start`.
    #[inline]
    fn play(
        &mut self,
        start: PackStart,
        plies: &[[u8; PLY_LEN]],
        mut visit: impl FnMut(&Position, Ply),
    ) -> Result<(), PackProblem> {
        match start {
            PackStart::Initial => self.position.clone_from(&self.initial),
            PackStart::Hcp { hcp, ply } => self.position = hcp.unpack()?.with_ply(ply.into()),
        }
        for (index, &[a, b, c, d]) in plies.iter().enumerate() {
            let code = AperyMove16(u16::from_le_bytes([a, b]));
            let Some(mv) = legal_move(&self.position, code) else {
                return Err(PackProblem::IllegalMove {
                    at: start.len() + index * PLY_LEN,
                    ply: index as u32 + 1,
                    code,
                });
            };
            let score = TeacherScore(i16::from_le_bytes([c, d]));
            visit(&self.position, Ply { mv, score });
            let _ = self.position.do_move(mv);
        }
        Ok(())
    }

    /// The position after the last ply that was replayed.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    fn check_end(&self, frame: &PackFrame<'_>) -> Result<TeacherResult, PackProblem> {
        let result = frame.result()?;
        if self.contradictions == Contradictions::Refuse && !frame.reason.allows(result) {
            return Err(PackProblem::Contradiction {
                at: frame.len - 1,
                result,
                reason: frame.reason,
            });
        }
        Ok(result)
    }
}
