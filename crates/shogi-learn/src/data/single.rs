//! Records of one position each.

use pack_format::record::TeacherRecord;
use pack_format::{Hcpe, MoverOutcome, Psv, TeacherScore};
use shogi_core::Move16;

/// A record of one position, hcpe or psv.
pub(super) trait RecordOfPosition: TeacherRecord {
    /// True if the position is an hcp, whose labels are not the mover's.
    const HCP: bool;
    fn packed(&self) -> [u8; 32];
    fn ply(&self) -> u16;
    fn mv(&self) -> Move16;
    /// Score and outcome for the side to move, which is `side`.
    fn score(&self, side: shogi_core::Color) -> (TeacherScore, MoverOutcome);
}

impl RecordOfPosition for Psv {
    const HCP: bool = false;
    fn packed(&self) -> [u8; 32] {
        self.position.0
    }
    fn ply(&self) -> u16 {
        self.ply
    }
    fn mv(&self) -> Move16 {
        self.mv
    }
    fn score(&self, _: shogi_core::Color) -> (TeacherScore, MoverOutcome) {
        (self.score, self.outcome)
    }
}

impl RecordOfPosition for Hcpe {
    const HCP: bool = true;
    fn packed(&self) -> [u8; 32] {
        self.position.0
    }
    fn ply(&self) -> u16 {
        0
    }
    fn mv(&self) -> Move16 {
        // Records of this kind are opened in any case, and their moves are known then.
        Move16(0)
    }
    fn score(&self, side: shogi_core::Color) -> (TeacherScore, MoverOutcome) {
        (self.score, self.result.seen_by(side))
    }
}
