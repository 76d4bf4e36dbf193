//! Pieces to look at, in whatever check the players are.

use super::{Position, Setup, SetupError};
use crate::SfenError;

/// Pieces on a board and in hands that need not be a position of a game: whoever is not to move may be in
/// check, as when two kings stand next to each other.
///
/// Evaluation functions are defined for these too, and data sets for them contain such placements.
///
/// ```
/// use shogi_core::{Diagram, Position};
/// let kings = "9/9/9/4k4/4K4/9/9/9/9 b - 1";
/// assert!(Position::from_sfen(kings).is_err());
/// let diagram = Diagram::from_sfen(kings)?;
/// assert_eq!(diagram.pieces().to_sfen(), kings);
/// # Ok::<(), shogi_core::SfenError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram(Position);

impl Diagram {
    /// Checks `setup` and makes a diagram of it.
    ///
    /// # Errors
    /// See [`SetupError`]; [`SetupError::OpponentInCheck`] is none here.
    pub fn from_setup(setup: &Setup) -> Result<Self, SetupError> {
        Ok(Self(Position::place(setup)?))
    }

    /// Reads an SFEN.
    ///
    /// # Errors
    /// See [`SfenError`].
    pub fn from_sfen(text: &str) -> Result<Self, SfenError> {
        Ok(Self::from_setup(&Setup::from_sfen(text)?)?)
    }

    /// The pieces as a position, for looking at: it may not be one of a game, so neither ask it for moves
    /// nor play any.
    pub const fn pieces(&self) -> &Position {
        &self.0
    }
}

impl From<Position> for Diagram {
    fn from(position: Position) -> Self {
        Self(position)
    }
}
