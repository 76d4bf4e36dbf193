//! hcpe: one position with its move, score and result in 38 bytes (dlshogi, Apery).
//!
//! | bytes | |
//! |---|---|
//! | 0–31 | [`Hcp`] |
//! | 32–33 | [`Score`] of the player to move |
//! | 34–35 | [`AperyMove16`]; 0 where there is none |
//! | 36 | [`GameResult`] |
//! | 37 | unused: 0 is written, anything is read |
//!
//! Source: `HuffmanCodedPosAndEval` of cshogi and Apery.

use shogi_core::{AperyMove16, Hcp, Move, Position};
use shogi_packed::Packing as _;

use crate::record::{Record, RecordFault, opened};
use crate::{GameResult, Score};

/// A record of an hcpe file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hcpe {
    /// The position.
    pub position: Hcp,
    /// Its evaluation.
    pub score: Score,
    /// The move played there; 0 where there is none.
    pub mv: AperyMove16,
    /// How the game ended.
    pub result: GameResult,
}

impl Record for Hcpe {
    const LEN: usize = 38;

    #[inline]
    fn from_bytes(bytes: &[u8]) -> Result<Self, RecordFault> {
        let bytes: &[u8; Self::LEN] = bytes.first_chunk().expect("a whole record");
        let result = GameResult::from_number(bytes[36]).ok_or(RecordFault::Result {
            at: 36,
            found: bytes[36].into(),
            expected: "0 (draw), 1 (black), 2 (white)",
        })?;
        Ok(Self {
            position: Hcp(*bytes.first_chunk().expect("32 bytes")),
            score: Score(i16::from_le_bytes([bytes[32], bytes[33]])),
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

    fn open(&self) -> Result<(Position, Option<Move>), RecordFault> {
        let position = self.position.unpack()?;
        let code = self.mv;
        let legal = |position: &Position| {
            let mv = position.move_from_apery_16(code);
            mv.filter(|&mv| position.is_legal(mv))
                .ok_or(RecordFault::IllegalApery { code })
        };
        opened(position, (code.0 != 0).then_some(legal))
    }
}
