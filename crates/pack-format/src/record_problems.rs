//! What is wrong in a record of any format.

use crate::record::TeacherRecord;
use shogi_core::MoveText;
use shogi_packed::{Placement, UnpackError};

use crate::record::{TeacherRecordProblem, has_no_move};
use crate::{Hcpe, Psv, TeacherFormat};
use shogi_core::Color;

// Checks single records, wherever they stand.

/// Returns the problem of a record.
pub(crate) fn problem_of(format: TeacherFormat, record: &[u8]) -> Option<TeacherRecordProblem> {
    let is_legal = |placement: &Placement, code: Option<MoveText>| {
        has_no_move(record) || code.is_some_and(|text| placement.is_legal(text))
    };
    let checked = match format {
        TeacherFormat::Psv => Psv::from_bytes(record).and_then(|psv| {
            let placement = with_kings(Placement::from_packed_sfen(&psv.position)?)?;
            let good = is_legal(&placement, psv.mv.decode());
            good.then_some(())
                .ok_or(TeacherRecordProblem::Illegal { code: psv.mv })
        }),
        _ => Hcpe::from_bytes(record).and_then(|hcpe| {
            let placement = with_kings(Placement::from_hcp(&hcpe.position)?)?;
            let good = is_legal(&placement, hcpe.mv.decode());
            good.then_some(())
                .ok_or(TeacherRecordProblem::IllegalApery { code: hcpe.mv })
        }),
    };
    checked.err()
}

/// The position, if both kings are there.
pub(super) fn with_kings(placement: Placement) -> Result<Placement, UnpackError> {
    let has_king = |&color: &Color| placement.king(color).is_some();
    if Color::ALL.iter().all(has_king) {
        Ok(placement)
    } else {
        Err(UnpackError::MissingKing)
    }
}
