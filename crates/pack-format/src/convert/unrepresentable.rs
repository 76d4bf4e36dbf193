//! What is in order but that the target of a conversion cannot say.

use std::error::Error;
use std::sync::Arc;

use shogi_packed::PackError;
use thiserror::Error;

use crate::hcpe3::Hcpe3Error;
use crate::pack::GameError;
use crate::{SampleError, TeacherFormat};

/// Why a game or record that is in order cannot be one of the target format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Unrepresentable {
    /// A record without a move.
    #[error("a record without a move (0x0000), which readers of {0} need")]
    NoMove(TeacherFormat),
    /// Packs and game records cannot hold single positions.
    #[error("{}", Self::SINGLE_POSITIONS)]
    SinglePosition,
    /// What no pack can hold.
    #[error(transparent)]
    Game(#[from] GameError),
    /// What no hcpe3 file can hold.
    #[error(transparent)]
    Hcpe3(#[from] Hcpe3Error),
    /// What no record can hold.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A position that does not fit in 32 bytes.
    #[error(transparent)]
    Position(#[from] PackError),
    /// A ply number that does not fit in 16 bits.
    #[error("ply {0} is above 65535, the largest that psv can say")]
    Ply(u32),
    /// A move of a game record, counted from 1, without an evaluation.
    #[error("move {0} has no evaluation")]
    Unscored(usize),
    /// A game record without a result.
    #[error("the record does not say how the game came out")]
    Undecided,
}

impl Unrepresentable {
    /// The message of [`Self::SinglePosition`].
    pub(crate) const SINGLE_POSITIONS: &str =
        "it holds whole games with their ends, these are single positions";
}

impl From<Unrepresentable> for Arc<dyn Error + Send + Sync> {
    fn from(problem: Unrepresentable) -> Self {
        Arc::<Unrepresentable>::new(problem)
    }
}
