//! A position as a diagram gives it: without who moves.

use crate::position::Position;
use crate::position::setup::{Setup, SetupError};
use crate::{HandKind, Move, MoveText, SfenError};

// Diagrams: pieces on a board, whoever is in check.

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
pub struct Diagram(pub(super) Position);

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
    /// but checks, nor play any but by [`Position::do_move_from_diagram_unchecked`].
    pub const fn pieces(&self) -> &Position {
        &self.0
    }

    /// The same as a position of a game; `None` when whoever is not to move is in check.
    pub fn position(&self) -> Option<&Position> {
        let them = self.0.side.flip();
        let checked = |king| self.0.is_attacked_by(self.0.side, king);
        (!self.0.kings[them].is_some_and(checked)).then_some(&self.0)
    }

    /// Plays the move that `text` names by the rules for positions, except that the enemy may be in check
    /// already; the king cannot be taken. The move and the position after it, which is one of a game; `None`
    /// when it may not be played.
    pub fn play(&self, text: MoveText) -> Option<(Move, Position)> {
        let m = self.0.move_from_text(text)?;
        let mut after = self.0.clone();
        (self.0.kings[after.side.flip()] != Some(m.to())).then_some(())?;
        let _undo = after.do_move_from_diagram_unchecked(m);
        let drops_pawn = m.dropped() == Some(HandKind::Pawn);
        (!drops_pawn || !after.is_mated()).then_some((m, after))
    }
}

impl From<Position> for Diagram {
    fn from(position: Position) -> Self {
        Self(position)
    }
}
