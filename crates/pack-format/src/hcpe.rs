//! hcpe: one position with its move, score and result in 38 bytes (dlshogi, Apery).
//!
//! | bytes | |
//! |---|---|
//! | 0–31 | [`Hcp`] |
//! | 32–33 | [`TeacherScore`] of the player to move |
//! | 34–35 | [`AperyMove16`]; 0 where there is none |
//! | 36 | [`TeacherResult`] |
//! | 37 | unused: 0 is written, anything is read |
//!
//! Source: `HuffmanCodedPosAndEval` of cshogi and Apery.

use shogi_core::{AperyMove16, Move, Position};
use shogi_packed::Hcp;

use crate::record::{TeacherRecord, TeacherRecordProblem, opened};
use crate::{TeacherResult, TeacherScore};

/// A record of an hcpe file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hcpe {
    /// The position.
    pub position: Hcp,
    /// Evaluation of the position.
    pub score: TeacherScore,
    /// The move played there; 0 where there is none.
    pub mv: AperyMove16,
    /// Result of the game.
    pub result: TeacherResult,
}

impl TeacherRecord for Hcpe {
    const LEN: usize = 38;

    #[inline]
    fn from_bytes(bytes: &[u8]) -> Result<Self, TeacherRecordProblem> {
        let bytes: &[u8; Self::LEN] = bytes.first_chunk().expect("a whole record");
        let result = TeacherResult::from_number(bytes[36]).ok_or(TeacherRecordProblem::Result {
            at: 36,
            found: bytes[36].into(),
            expected: "0 (draw), 1 (black), 2 (white)",
        })?;
        Ok(Self {
            position: Hcp(*bytes.first_chunk().expect("32 bytes")),
            score: TeacherScore(i16::from_le_bytes([bytes[32], bytes[33]])),
            mv: AperyMove16(u16::from_le_bytes([bytes[34], bytes[35]])),
            result,
        })
    }

    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        let bytes: &mut [u8; Self::LEN] = bytes.try_into().expect("room for a record");
        bytes[..32].copy_from_slice(&self.position.0);
        bytes[32..34].copy_from_slice(&self.score.0.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.mv.0.to_le_bytes());
        bytes[36..].copy_from_slice(&[self.result as u8, 0]);
    }

    fn open(&self) -> Result<(Position, Option<Move>), TeacherRecordProblem> {
        let position = self.position.decode()?;
        let code = self.mv;
        let legal = |position: &Position| {
            let mv = position.move_from_apery_16(code);
            mv.filter(|&mv| position.is_legal(mv))
                .ok_or(TeacherRecordProblem::IllegalApery { code })
        };
        opened(position, (code.0 != 0).then_some(legal))
    }
}
