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
    /// 6: a leaf leads to a position that the book lacks, and a reply there to one that it has. Lines end with the
    /// reply.
    RepliesToLeaves,
    /// 7: the same; lines end with the leaf.
    LeavesWithReplies,
}

impl Mode {
    /// The mode with a number: 1 to 4, 6 or 7.
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::LeafAboveLinks,
            2 => Self::ValueAndMoves,
            3 => Self::EdgeAndValue,
            4 => Self::EdgeAndMoves,
            6 => Self::RepliesToLeaves,
            7 => Self::LeavesWithReplies,
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
            Self::RepliesToLeaves => 6,
            Self::LeavesWithReplies => 7,
        }
    }
}

/// Whose lines come out: those of the classic program as it was described, or as its versions find them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// What the description of the program says.
    #[default]
    Seed,
    /// What its newer public version does. Only mode 3 differs: the moves that come out are those above the edge's value
    /// with its sign changed where the position's value, with its sign changed, is above the edge's.
    V2,
    /// What its older public version does, faults included:
    ///
    /// * The moves that come out are, in mode 2, those above the value of the position with its sign changed; in modes 3
    ///   and 4 those above the value of the position *before* the edge with its sign changed, where the value of the
    ///   position (the best move), with its sign changed, is above the value of the position before the edge.
    /// * A position without moves is worth -64 in modes 2 and 4, and `b9` comes out as its move; a pass that comes out is
    ///   `a9`.
    /// * Lines of a position that is reached by a pass have the word `Pass` before their last move.
    /// * A link to a position that is missing (or one against the rules) stays in the lines behind the position's next
    ///   link.
    /// * A leaf of value 0 on the square that is called a1 is not taken.
    V1,
}

/// How bad and how deep moves may be. A move that is beyond a limit when its turn comes is passed over for good, though
/// the limits of a sum and of plies depend on the way to its position: the newer program does so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// By how many discs a move may be worse than its position's value. A pass never is.
    pub error: Option<u32>,
    /// By how many all moves of a line together, black's and white's, may be.
    pub sum: Option<u32>,
    /// The plies of a line, passes counted.
    pub plies: Option<u32>,
}

/// What a search does.
#[derive(Clone, Debug)]
pub struct Options {
    /// What disagrees.
    pub mode: Mode,
    /// How it is told.
    pub dialect: Dialect,
    /// Where it begins.
    pub start: Position,
    /// The moves that led there, which every line begins with.
    pub prefix: String,
    /// Moves are not taken deeper than this many plies from the start, passes counted.
    pub max_ply: Option<u32>,
    /// Moves beyond these are not taken, and do not come out.
    pub limits: Option<Limits>,
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
            dialect: Dialect::Seed,
            start: Position::START,
            prefix: String::new(),
            max_ply: None,
            limits: None,
            min_difference: 0,
            limit: None,
        }
    }
}
