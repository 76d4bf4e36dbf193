//! The board from the mover's view: bitboards, legal moves, flips, passes, the final score.

use std::fmt;

use crate::{Square, Squares, simd};

use crate::Board;

/// A move: a disc, or a forced pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A disc on a square.
    Place(Square),
    /// A pass, where no disc can be placed.
    Pass,
}

/// The state of the game: moves, a forced pass, or the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The player to move can place a disc.
    Moves,
    /// The player to move must pass, the opponent can place a disc.
    Pass,
    /// Neither player can place a disc.
    Over,
}

impl Board {
    /// The start position: black's discs on e4 and d5, white's on d4 and e5, black to move.
    pub const START: Self = Self {
        mover: 0x0000_0008_1000_0000,
        opponent: 0x0000_0010_0800_0000,
    };

    /// A board of the mover's and the opponent's discs.
    ///
    /// # Errors
    ///
    /// A square with discs of both players.
    #[inline]
    pub const fn new(mover: u64, opponent: u64) -> Result<Self, BoardError> {
        let both = mover & opponent;
        if both == 0 {
            Ok(Self { mover, opponent })
        } else {
            Err(BoardError(Square::of_lowest_bit(both)))
        }
    }

    /// As [`new`](Self::new), for disjoint sets.
    #[inline(always)]
    pub(crate) const fn of(mover: u64, opponent: u64) -> Self {
        debug_assert!(mover & opponent == 0);
        Self { mover, opponent }
    }

    /// The discs of the player to move.
    #[inline(always)]
    pub const fn mover(self) -> u64 {
        self.mover
    }

    /// The discs of the other player.
    #[inline(always)]
    pub const fn opponent(self) -> u64 {
        self.opponent
    }

    /// The empty squares.
    #[inline]
    pub const fn empty(self) -> Squares {
        Squares(!(self.mover | self.opponent))
    }

    /// Checks that a game may lead to this board: the four squares of the centre, on which every game begins, have discs.
    ///
    /// # Errors
    ///
    /// An empty square of the centre.
    pub const fn check(self) -> Result<(), ImpossibleBoard> {
        let centre = Self::START.mover | Self::START.opponent;
        let missing = self.empty().0 & centre;
        if missing == 0 {
            Ok(())
        } else {
            Err(ImpossibleBoard(Square::of_lowest_bit(missing)))
        }
    }

    /// The number of discs on the board; 4 at the start.
    #[inline]
    pub const fn discs(self) -> u32 {
        (self.mover | self.opponent).count_ones()
    }

    /// The legal moves: squares on which a disc can be placed.
    #[inline]
    pub fn legal_moves(self) -> Squares {
        Squares(simd::legal_moves(self.mover, self.opponent))
    }

    /// The discs that a disc on `square` flips; none if the move is illegal.
    #[inline]
    pub fn flips(self, square: Square) -> Squares {
        let flips = simd::flips(self.mover, self.opponent, square);
        let free = square.bit() & (self.mover | self.opponent) == 0;
        Squares(if free { flips } else { 0 })
    }

    /// The board after a disc on `square`, from the view of the next player. For moves from outside;
    /// [`play_unchecked`](Self::play_unchecked) spares those the check that are known to be legal.
    ///
    /// # Errors
    ///
    /// A move that is not legal.
    #[inline]
    pub fn try_play(self, square: Square) -> Result<Self, IllegalMove> {
        let flips = self.flips(square);
        if flips.is_empty() {
            Err(IllegalMove(Move::Place(square)))
        } else {
            Ok(self.placed(square.bit(), flips.0))
        }
    }

    /// The board after a disc on `square`, which must be legal: one of [`legal_moves`](Self::legal_moves). The discs after an
    /// illegal one are unspecified.
    #[inline]
    pub fn play_unchecked(self, square: Square) -> Self {
        let flips = simd::flips(self.mover, self.opponent, square);
        self.placed(square.bit() & !self.opponent, flips)
    }

    #[inline(always)]
    const fn placed(self, bit: u64, flips: u64) -> Self {
        Self::of(self.opponent & !flips, self.mover | flips | bit)
    }

    /// The board from the other player's view.
    #[inline]
    pub const fn passed(self) -> Self {
        Self::of(self.opponent, self.mover)
    }

    /// The board after a move; `None` if it is illegal. A pass is legal only in [`State::Pass`].
    pub fn after(self, mv: Move) -> Option<Self> {
        match mv {
            Move::Place(square) => self.try_play(square).ok(),
            Move::Pass => (self.state() == State::Pass).then(|| self.passed()),
        }
    }

    /// Returns whether there are moves, only a pass, or neither.
    #[inline]
    pub fn state(self) -> State {
        if !self.legal_moves().is_empty() {
            State::Moves
        } else if !self.passed().legal_moves().is_empty() {
            State::Pass
        } else {
            State::Over
        }
    }

    /// Returns whether neither player can move.
    #[inline]
    pub fn is_over(self) -> bool {
        self.state() == State::Over
    }

    /// The final score of the player to move: the disc difference, with empty squares counted for the winner. −64 to 64;
    /// 0 is a draw.
    #[inline]
    pub const fn score(self) -> i32 {
        let (mover, opponent) = (self.mover.count_ones(), self.opponent.count_ones());
        let empty = 64 - (mover + opponent) as i32;
        let difference = mover as i32 - opponent as i32;
        difference + empty * difference.signum()
    }
}

impl Default for Board {
    fn default() -> Self {
        Self::START
    }
}

/// Writes eight rows from rank 1 to rank 8: `X` for the player to move, `O` for the opponent, `-` for empty.
impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Board")?;
        for row in crate::board::squares(*self, 'X', 'O').as_bytes().chunks(8) {
            writeln!(f, "  {}", row.escape_ascii())?;
        }
        Ok(())
    }
}

/// Writes `f5`, or `pa` for a pass.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(square) => square.fmt(f),
            Self::Pass => f.write_str("pa"),
        }
    }
}

// Errors of boards, squares, positions and transcripts.

/// Two sets of discs with a square in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("both players have a disc on {0}")]
pub struct BoardError(pub Square);

/// A move that is not legal on the board: the disc would flip none, or the pass is not forced. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{0} is not legal on the board")]
pub struct IllegalMove(pub Move);

/// A board with an empty square in the centre: no game leads to it, as discs are never taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an impossible board: {0} is empty, and in every game the four squares of the centre have discs"
)]
pub struct ImpossibleBoard(pub Square);

/// The 64 characters of a board, `-` for empty squares.
pub(crate) fn squares(board: Board, mover: char, opponent: char) -> String {
    let square = |n: u32| match (board.mover() >> n & 1, board.opponent() >> n & 1) {
        (1, _) => mover,
        (_, 1) => opponent,
        _ => '-',
    };
    (0..64).map(square).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_one_disc_a_square() {
        assert_eq!(Board::new(6, 12), Err(BoardError(Square::ALL[2])));
        assert_eq!(
            Board::new(Board::START.mover, Board::START.opponent),
            Ok(Board::START)
        );
    }

    #[test]
    fn boards_of_games_have_a_centre() {
        assert_eq!(Board::START.check(), Ok(()));
        assert_eq!(Board::of(u64::MAX, 0).check(), Ok(()));
        let without_e5 = Board::of(Board::START.mover | 1, 1 << 27);
        let error = without_e5.check().unwrap_err();
        assert_eq!(error, ImpossibleBoard(Square::ALL[36]));
        assert!(error.to_string().contains("e5"), "{error}");
    }

    #[test]
    fn the_winner_gets_the_empty_squares() {
        let score = |mover, opponent| Board::of(mover, opponent).score();
        assert_eq!(score(1, 0), 64);
        assert_eq!(score(0, 1), -64);
        assert_eq!(score(1, 2), 0);
        assert_eq!(score(u64::MAX << 32, u64::MAX >> 32), 0);
        assert_eq!(score(0b111, u64::MAX << 34), -58);
    }

    #[test]
    fn moves_that_flip_nothing_are_illegal() {
        let start = Board::START;
        assert_eq!(
            start
                .legal_moves()
                .iter()
                .map(|s| s.to_string())
                .collect::<Vec<_>>(),
            ["d3", "c4", "f5", "e6"]
        );
        for square in Square::ALL {
            assert_eq!(
                start.try_play(square).is_ok(),
                start.legal_moves().contains(square)
            );
        }
        assert_eq!(start.after(Move::Pass), None);
    }
}
