//! Records made of the plies of games.

use shogi_core::{AperyMove16, Hcp, Move16, PackedSfen, Position};
use shogi_packed::Packing as _;

use crate::pack::Ply;
use crate::record::TeacherRecord;
use crate::{Hcpe, Psv, TeacherResult};

/// A record that can be made of a ply of a game.
pub(super) trait FromPly: TeacherRecord {
    /// The record, or what it cannot say. `number` is the ply number.
    fn from_ply(
        position: &Position,
        number: u32,
        ply: Ply,
        result: TeacherResult,
    ) -> Result<Self, String>;
}

impl FromPly for Hcpe {
    #[inline]
    fn from_ply(
        position: &Position,
        _: u32,
        ply: Ply,
        result: TeacherResult,
    ) -> Result<Self, String> {
        Ok(Self {
            position: Hcp::pack(position).map_err(|error| error.to_string())?,
            score: ply.score,
            mv: AperyMove16::from(ply.mv),
            result,
        })
    }
}

impl FromPly for Psv {
    #[inline]
    fn from_ply(
        position: &Position,
        number: u32,
        ply: Ply,
        result: TeacherResult,
    ) -> Result<Self, String> {
        Ok(Self {
            position: PackedSfen::pack(position).map_err(|error| error.to_string())?,
            score: ply.score,
            mv: Move16::from(ply.mv),
            ply: u16::try_from(number).map_err(|_| {
                format!("ply {number} is above 65535, the largest that psv can say")
            })?,
            outcome: result.seen_by(position.side_to_move()),
        })
    }
}
