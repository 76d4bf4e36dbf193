//! Playing a game's bytes, with every rule checked.

use shogi_core::{AperyMove16, Hcp, Position};
use shogi_packed::Packing as _;

use super::frame::damaged_frame;
use super::{CANDIDATE_LEN, Ending, Hcpe3Candidate, Hcpe3Frame, Hcpe3Problem, PLY_LEN, RawPly};
use crate::TeacherResult;
use crate::games::legal_move;
use crate::pack::Ply;

/// Replays games. Keeping one for many games saves its memory from being asked for again.
#[derive(Clone, Debug)]
pub struct Hcpe3Replayer {
    position: Position,
    candidates: Vec<Hcpe3Candidate>,
}

impl Default for Hcpe3Replayer {
    fn default() -> Self {
        Self {
            position: Position::startpos(),
            candidates: Vec::new(),
        }
    }
}

impl Hcpe3Replayer {
    /// Replays a game, calling `visit` with each position, the ply played there, its candidates and
    /// the game's result; gives the ending. `visit` may have been called for the plies before one
    /// that is at problem.
    ///
    /// # Errors
    /// The first thing that is wrong with the game, in the order of its bytes.
    #[inline]
    pub fn replay(
        &mut self,
        frame: &Hcpe3Frame<'_>,
        mut visit: impl FnMut(&Position, Ply, &[Hcpe3Candidate], TeacherResult),
    ) -> Result<Ending, Hcpe3Problem> {
        self.position = frame.start.unpack()?;
        let ending = frame.ending()?;
        for (index, raw) in frame.plies().enumerate() {
            let number = index as u32 + 1;
            let mv = legal_move(&self.position, raw.mv).ok_or(Hcpe3Problem::IllegalMove {
                at: raw.at,
                ply: number,
                code: raw.mv,
            })?;
            self.read_candidates(&raw, number)?;
            let score = raw.score;
            visit(
                &self.position,
                Ply { mv, score },
                &self.candidates,
                ending.result,
            );
            let _ = self.position.do_move(mv);
        }
        Ok(ending)
    }

    fn read_candidates(&mut self, raw: &RawPly<'_>, ply: u32) -> Result<(), Hcpe3Problem> {
        self.candidates.clear();
        for (index, &[a, b, c, d]) in raw.candidates.iter().enumerate() {
            let code = AperyMove16(u16::from_le_bytes([a, b]));
            let mv = legal_move(&self.position, code).ok_or(Hcpe3Problem::IllegalCandidate {
                at: raw.at + PLY_LEN + index * CANDIDATE_LEN,
                ply,
                code,
            })?;
            let visits = u16::from_le_bytes([c, d]);
            self.candidates.push(Hcpe3Candidate { mv, visits });
        }
        Ok(())
    }

    /// What is wrong with the game at the start of `bytes`, for which [`frame`](super::frame) gave
    /// `problem`: something else may be wrong before the place where it ends.
    pub fn first_problem(&mut self, bytes: &[u8], problem: Hcpe3Problem) -> Hcpe3Problem {
        if let Some(&start) = bytes.first_chunk()
            && let Err(error) = Hcp(start).unpack()
        {
            return error.into();
        }
        damaged_frame(bytes, &problem)
            .and_then(|frame| self.replay(&frame, |_, _, _, _| ()).err())
            .unwrap_or(problem)
    }

    /// The position after the last ply that was replayed.
    pub const fn position(&self) -> &Position {
        &self.position
    }
}
