//! Following a game move by move.

use shogi_core::{ByColor, Color, Move, PieceKind, Position};

use crate::castles::{Castles, FoundCastle, castle};
use crate::facts::Facts;
use crate::names::OpeningName;
use crate::rules;

/// The opening of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundOpening {
    /// Its name.
    pub name: &'static OpeningName,
    /// The number of moves after which it had this name for good.
    pub ply: usize,
    /// The player whose opening it is, for those that one player chooses: whose rook ranges, who takes the side pawn. For those that
    /// both make it is either.
    pub side: Color,
}

/// Follows a game and says after each move which opening and castles it has.
///
/// Only the first [`Self::OPENING_PLIES`] moves say which opening it is, and the first [`Self::CASTLE_PLIES`] which castles: later
/// moves cost nothing.
#[derive(Clone, Debug)]
pub struct OpeningObserver {
    position: Position,
    facts: Facts,
    opening: Option<FoundOpening>,
    castles: Castles,
    is_over: bool,
}

impl OpeningObserver {
    /// Moves of a game that make its opening.
    pub const OPENING_PLIES: usize = 50;
    /// Moves of a game that make its castles.
    pub const CASTLE_PLIES: usize = 80;

    /// A game from `start`, whatever position it is.
    pub fn new(start: &Position) -> Self {
        let mut observer = Self {
            position: start.clone(),
            facts: Facts::new(start),
            opening: None,
            castles: ByColor([Vec::new(), Vec::new()]),
            is_over: false,
        };
        observer.look(None);
        observer
    }

    /// Takes the next move in. After a move that is not legal nothing more is looked at.
    pub fn play(&mut self, m: Move) {
        if self.is_over || self.facts.ply >= Self::CASTLE_PLIES {
            return;
        }
        let captured = self.position.piece_on(m.to());
        if self.position.try_do_move(m).is_err() {
            self.is_over = true;
            return;
        }
        self.facts.play(m, captured);
        self.look(Some(m));
    }

    /// The opening so far.
    pub const fn opening(&self) -> Option<FoundOpening> {
        self.opening
    }

    /// The castles so far: of each player in their order.
    pub const fn castles(&self) -> &Castles {
        &self.castles
    }

    fn look(&mut self, m: Option<Move>) {
        let ply = self.facts.ply;
        if ply <= Self::OPENING_PLIES {
            let found = rules::opening(&self.facts).map(|(opening, side)| (opening.name(), side));
            let is_same = match (&self.opening, found) {
                (Some(before), Some((name, side))) => {
                    std::ptr::eq(before.name, name) && before.side == side
                }
                (None, None) => true,
                _ => false,
            };
            if !is_same {
                self.opening = found.map(|(name, side)| FoundOpening { name, ply, side });
            }
        }
        let Some(m) = m else {
            return;
        };
        let makes_castles = matches!(
            m.piece_before().kind(),
            PieceKind::King
                | PieceKind::Gold
                | PieceKind::Silver
                | PieceKind::Lance
                | PieceKind::Knight
                | PieceKind::Rook
        );
        if makes_castles {
            let color = m.color();
            let list = &mut self.castles[color];
            if let Some(name) = castle(&self.position, color)
                && list.last().is_none_or(|last| last.name != name)
            {
                list.push(FoundCastle { name, ply });
            }
        }
    }
}

/// The opening of a game: the most exact name that fits it; `None` when it has no name.
///
/// ```
/// use shogi_core::Position;
/// let mut position = Position::startpos();
/// let moves = ["7g7f", "3c3d", "2g2f", "8b4b"].map(|text| {
///     let m = position.move_from_usi(text).unwrap();
///     position.try_do_move(m).unwrap();
///     m
/// });
/// let opening = shogi_openings::opening_of(&Position::startpos(), moves).unwrap();
/// assert_eq!((opening.name.ja, opening.name.en, opening.ply), ("四間飛車", "Fourth-File Rook", 4));
/// ```
pub fn opening_of(start: &Position, moves: impl IntoIterator<Item = Move>) -> Option<FoundOpening> {
    observe(start, moves).opening()
}

/// The castles of both players in a game, in the order in which they stood.
pub fn castles_of(start: &Position, moves: impl IntoIterator<Item = Move>) -> Castles {
    observe(start, moves).castles
}

/// The opening after each move of a game, that of the start position first.
pub fn openings_along(
    start: &Position,
    moves: impl IntoIterator<Item = Move>,
) -> Vec<Option<FoundOpening>> {
    let mut observer = OpeningObserver::new(start);
    let mut found = vec![observer.opening()];
    for m in moves {
        observer.play(m);
        found.push(observer.opening());
    }
    found
}

fn observe(start: &Position, moves: impl IntoIterator<Item = Move>) -> OpeningObserver {
    let mut observer = OpeningObserver::new(start);
    moves
        .into_iter()
        .take(OpeningObserver::CASTLE_PLIES)
        .for_each(|m| observer.play(m));
    observer
}
