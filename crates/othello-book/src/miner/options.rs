//! What is looked for, and where.

use othello_core::Position;

/// What disagrees. The *edge* is the move that leads to a position, with its value there; the value of a position's own
/// moves is that of the best link or the leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// 1: the leaf is better than every link.
    LeafAboveLinks,
    /// 2: the value of the position is not that of its best move.
    ValueAndMoves,
    /// 3: the value of the edge is not that of the position behind it.
    EdgeAndValue,
    /// 4: the value of the edge is not that of the best move of the position behind it.
    EdgeAndMoves,
}

impl Mode {
    /// The mode with a number from 1 to 4.
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::LeafAboveLinks,
            2 => Self::ValueAndMoves,
            3 => Self::EdgeAndValue,
            4 => Self::EdgeAndMoves,
            _ => return None,
        })
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        match self {
            Self::LeafAboveLinks => 1,
            Self::ValueAndMoves => 2,
            Self::EdgeAndValue => 3,
            Self::EdgeAndMoves => 4,
        }
    }
}

/// What a search does.
#[derive(Clone, Debug)]
pub struct Options {
    /// What disagrees.
    pub mode: Mode,
    /// Where it begins.
    pub start: Position,
    /// The moves that led there, which every line begins with.
    pub prefix: String,
    /// Moves are not taken deeper than this many plies from the start, passes counted.
    pub max_ply: Option<u32>,
    /// Only mismatches of at least so many discs.
    pub min_difference: u32,
    /// No more than so many lines come out; the walk ends there.
    pub limit: Option<u64>,
}

impl Options {
    /// Everything that disagrees in one way, from the start of the game.
    pub const fn new(mode: Mode) -> Self {
        Self {
            mode,
            start: Position::START,
            prefix: String::new(),
            max_ply: None,
            min_difference: 0,
            limit: None,
        }
    }
}
