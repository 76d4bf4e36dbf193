//! Positions in packed form by the plain codec of shogi-core.

use shogi_core::{Hcp, PackError, PackedSfen, Position, UnpackError};

use crate::PackedForm;
use crate::form::Form;

// The plain codec of `shogi-core` by form: what the fast ways are compared with, and what says why bytes are no position.

/// Packs a position.
pub(crate) fn encode_plain(position: &Position, form: &Form) -> Result<[u8; 32], PackError> {
    match form.kind {
        PackedForm::Hcp => Hcp::encode(position).map(|packed| packed.0),
        PackedForm::PackedSfen => PackedSfen::encode(position).map(|packed| packed.0),
    }
}

/// Unpacks a position, with move number 1.
pub(crate) fn decode_plain(bytes: &[u8; 32], form: &Form) -> Result<Position, UnpackError> {
    match form.kind {
        PackedForm::Hcp => Hcp(*bytes).decode(),
        PackedForm::PackedSfen => PackedSfen(*bytes).decode(),
    }
}
