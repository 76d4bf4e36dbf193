//! Pieces to look at, in whatever check the players are.

use super::{Position, Setup, SetupError, Undo};
use crate::{HandKind, Move, MoveText, SfenError};

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
    /// but checks, nor play any but by [`Position::do_move_from_diagram`].
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
        let _undo = after.do_move_from_diagram(m);
        let drops_pawn = m.dropped() == Some(HandKind::Pawn);
        (!drops_pawn || !after.is_mated()).then_some((m, after))
    }
}

impl Position {
    /// As [`Self::do_move`], for pieces of a [`Diagram`]: checks that stood before the move are seen afterwards.
    /// Taken back by [`Self::undo_move`].
    ///
    /// # Panics
    /// May panic on a move that captures a king.
    pub fn do_move_from_diagram(&mut self, m: Move) -> Undo {
        let undo = self.do_move(m);
        self.refresh_checks();
        undo
    }
}

impl From<Position> for Diagram {
    fn from(position: Position) -> Self {
        Self(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_stands_is_seen_after_a_move() {
        // The silver gives check already; black moves.
        let diagram = Diagram::from_sfen("9/7k1/7S1/9/9/9/9/9/9 b GP 1").unwrap();
        assert_eq!(diagram.position(), None);
        let play = |text| diagram.play(MoveText::from_usi(text).unwrap());
        let (_, after) = play("G*2a").unwrap();
        assert_eq!(after.checkers().len(), 2);
        assert_eq!(Position::from_sfen(&after.to_sfen()), Ok(after));
        // Neither the king nor its own square can be taken.
        assert_eq!(play("2c2b"), None);
        assert!(play("2c3b").is_some_and(|(_, after)| !after.in_check()));
        let quiet = Diagram::from_sfen("9/7k1/9/7S1/9/9/9/9/9 b G 1").unwrap();
        assert_eq!(quiet.position(), Some(quiet.pieces()));
    }

    #[test]
    fn a_dropped_pawn_mates_by_no_means() {
        // The gold can take the pawn, which does not help against the knight.
        let pawn = MoveText::from_usi("P*1b").unwrap();
        let checked = Diagram::from_sfen("7gk/6R2/7N1/9/9/9/9/9/9 b P 1").unwrap();
        assert_eq!((checked.position(), checked.play(pawn)), (None, None));
        let quiet = Diagram::from_sfen("7gk/6R2/9/9/9/9/9/9/9 b P 1").unwrap();
        assert!(quiet.play(pawn).is_some());
    }
}
