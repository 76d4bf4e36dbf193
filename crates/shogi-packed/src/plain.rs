//! The plain codec of `shogi-core` by form: what the fast ways are compared with, and what says why bytes are no position.

use shogi_core::{Hcp, PackError, PackedSfen, Position, UnpackError};

use crate::PackedForm;
use crate::form::Form;

/// Packs a position.
pub(crate) fn encode(position: &Position, form: &Form) -> Result<[u8; 32], PackError> {
    match form.kind {
        PackedForm::Hcp => Hcp::encode(position).map(|packed| packed.0),
        PackedForm::PackedSfen => PackedSfen::encode(position).map(|packed| packed.0),
    }
}

/// Unpacks a position, with move number 1.
pub(crate) fn decode(bytes: &[u8; 32], form: &Form) -> Result<Position, UnpackError> {
    match form.kind {
        PackedForm::Hcp => Hcp(*bytes).decode(),
        PackedForm::PackedSfen => PackedSfen(*bytes).decode(),
    }
}
