//! PSV (`PackedSfenValue`): one position with its move, score, ply and outcome in 40 bytes
//! (YaneuraOu, nodchip's and other NNUE trainers).
//!
//! | bytes | |
//! |---|---|
//! | 0–31 | [`PackedSfen`] |
//! | 32–33 | [`TeacherScore`] of the player to move |
//! | 34–35 | [`Move16`]; 0 where there is none |
//! | 36–37 | ply number of the position; 0 where it is not known |
//! | 38 | [`MoverOutcome`] for the player to move |
//! | 39 | unused: 0 is written, anything is read |
//!
//! Source: `PackedSfenValue` in YaneuraOu's learner.

use shogi_core::{Move, Move16, Position};
use shogi_packed::PackedSfen;

use crate::record::{TeacherRecord, TeacherRecordProblem, opened};
use crate::{MoverOutcome, TeacherScore};

/// A record of a PSV file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Psv {
    /// The position.
    pub position: PackedSfen,
    /// Evaluation of the position.
    pub score: TeacherScore,
    /// The move played there; 0 where there is none.
    pub mv: Move16,
    /// Ply number of the position (1 for the first of a game), 0 where it is not known.
    pub ply: u16,
    /// Result of the game from the point of view of the player to move.
    pub outcome: MoverOutcome,
}

impl TeacherRecord for Psv {
    const LEN: usize = 40;

    #[inline]
    fn from_bytes(bytes: &[u8]) -> Result<Self, TeacherRecordProblem> {
        let bytes: &[u8; Self::LEN] = bytes.first_chunk().expect("a whole record");
        let outcome = bytes[38] as i8;
        let outcome = MoverOutcome::from_number(outcome).ok_or(TeacherRecordProblem::Result {
            at: 38,
            found: outcome.into(),
            expected: "1 (win), 0 (draw), -1 (loss)",
        })?;
        Ok(Self {
            position: PackedSfen(*bytes.first_chunk().expect("32 bytes")),
            score: TeacherScore(i16::from_le_bytes([bytes[32], bytes[33]])),
            mv: Move16(u16::from_le_bytes([bytes[34], bytes[35]])),
            ply: u16::from_le_bytes([bytes[36], bytes[37]]),
            outcome,
        })
    }

    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        let bytes: &mut [u8; Self::LEN] = bytes.try_into().expect("room for a record");
        bytes[..32].copy_from_slice(&self.position.0);
        bytes[32..34].copy_from_slice(&self.score.0.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.mv.0.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.ply.to_le_bytes());
        bytes[38..].copy_from_slice(&[self.outcome as u8, 0]);
    }

    fn open(&self) -> Result<(Position, Option<Move>), TeacherRecordProblem> {
        let position = self.position.decode()?.with_ply(self.ply.into());
        let code = self.mv;
        let legal = |position: &Position| {
            let mv = position.move_from_16(code);
            mv.filter(|&mv| position.is_legal(mv))
                .ok_or(TeacherRecordProblem::Illegal { code })
        };
        opened(position, (code.0 != 0).then_some(legal))
    }
}
