//! Positions: a board and the side to move.

use crate::{Board, State};

/// A side: black, who begins, or white.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Black (`X`), who begins.
    Black,
    /// White (`O`).
    White,
}

impl Side {
    /// The other side.
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// A board and the side to move.
///
/// As text it is 64 squares from a1 to h8 and the side to move, as Egaroucid and Edax write it:
///
/// ```
/// use othello_core::Position;
///
/// let text = "------------------XO------XXX------OXX-----O-------------------- O";
/// let position: Position = text.parse()?;
/// assert_eq!(position.to_string(), text);
/// assert_eq!(position.to_bitboards(), "0x0000100010100000\t0x000020380c000000");
/// # Ok::<(), othello_core::PositionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
    side: Side,
}

impl Position {
    /// The start position.
    pub const START: Self = Self::new(Board::START, Side::Black);

    /// A position of a board from the mover's view and the side to move.
    pub const fn new(board: Board, side: Side) -> Self {
        Self { board, side }
    }

    /// The board from the view of the side to move.
    pub const fn board(self) -> Board {
        self.board
    }

    /// The side to move.
    pub const fn side(self) -> Side {
        self.side
    }

    /// Black's discs.
    pub const fn black(self) -> u64 {
        match self.side {
            Side::Black => self.board.mover(),
            Side::White => self.board.opponent(),
        }
    }

    /// White's discs.
    pub const fn white(self) -> u64 {
        match self.side {
            Side::Black => self.board.opponent(),
            Side::White => self.board.mover(),
        }
    }

    /// The same board with the other side to move.
    pub const fn passed(self) -> Self {
        Self::new(self.board.passed(), self.side.other())
    }

    /// The position after a disc on `square`; `None` if the move is illegal.
    pub fn play(self, square: crate::Square) -> Option<Self> {
        let board = self.board.play(square)?;
        Some(Self::new(board, self.side.other()))
    }

    /// This position, or the one after the pass if a pass is forced.
    pub fn after_forced_pass(self) -> Self {
        match self.board.state() {
            State::Pass => self.passed(),
            State::Moves | State::Over => self,
        }
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::START
    }
}
