//! Move generation.
//!
//! [`Position::generate`] takes the kind of generation as a type ([`GenKind`]) and a sink for the
//! moves ([`MoveSink`]). Moves are generated legal: pins, checks and the squares around the king are
//! worked out as sets before any move is written, so nothing has to be tried and taken back.
//! Nothing here allocates. [`perft()`] counts the positions after a number of plies.

mod danger;
mod generate;
mod generator;

use arrayvec::ArrayVec;

use crate::{Bitboard, Color, HandKind, Move, Piece, PieceKind, Position, Square};

pub(crate) use danger::Reach;

// The kinds of move generation, as types: each combination is compiled into a generator of its own.

/// A kind of move generation. Implemented by the unit types of this module.
pub trait GenKind: sealed::Sealed {
    /// The part of the moves.
    #[doc(hidden)]
    const SELECT: Select;
    /// True if pointless non-promotions are included.
    #[doc(hidden)]
    const ALL: bool = false;
}

/// Parts of the set of moves.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Select {
    Everything,
    Captures,
    CapturesAndPromotions,
    QuietsWithoutPromotions,
    Checks,
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $select:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl sealed::Sealed for $name {}

            impl GenKind for $name {
                const SELECT: Select = Select::$select;
            }
        )*
    };
}

kinds! {
    /// All legal moves except pointless non-promotions: a pawn, bishop or rook that could promote
    /// does, and so does a lance that arrives on the second rank from the edge.
    Legal = Everything;
    /// Answers to a check; the same moves as [`Legal`], named for callers that know the side to move
    /// is in check.
    Evasions = Everything;
    /// Moves that capture, promoting or not.
    Captures = Captures;
    /// Captures and every promotion.
    CapturesAndPromotions = CapturesAndPromotions;
    /// The moves that [`CapturesAndPromotions`] leaves: neither captures nor promotions; drops included.
    QuietsWithoutPromotions = QuietsWithoutPromotions;
    /// Moves that give check.
    Checks = Checks;
}

/// The kind `G` with pointless non-promotions included.
#[derive(Clone, Copy, Debug)]
pub struct All<G>(G);

impl<G: GenKind> sealed::Sealed for All<G> {}

impl<G: GenKind> GenKind for All<G> {
    const SELECT: Select = G::SELECT;
    const ALL: bool = true;
}

/// Every legal move, pointless non-promotions included: what the rules allow.
pub type LegalAll = All<Legal>;

// The sinks that generated moves go into.
//
// The generator produces sets: one piece and its destinations, all pawns at once, one kind of drop
// and its squares. A sink turns them into what its caller wants: a list, or just a number.

/// No position has more legal moves than this (593 is the known maximum; positions that cannot arise in play may have
/// a few more).
pub const MAX_MOVES: usize = 640;

/// A list of moves on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// Receives sets of moves.
pub trait MoveSink {
    /// Each of `targets` is reached by a pawn of `color` from the square behind it.
    fn pawns(&mut self, color: Color, targets: Bitboard, promote: bool);
    /// `piece` goes from `from` to each of `targets`; it arrives as `after`, which differs from
    /// `piece` when it promotes.
    fn piece(&mut self, from: Square, after: Piece, promote: bool, targets: Bitboard);
    /// `color` drops a piece of `kind` on each of `targets`.
    fn drops(&mut self, color: Color, kind: HandKind, targets: Bitboard);

    /// Returns whether the sink has seen enough: generation stops then. Asked between kinds of pieces.
    #[inline(always)]
    fn is_done(&self) -> bool {
        false
    }
}

/// The square one rank back for `color`; the caller knows that it is on the board.
#[inline(always)]
pub(crate) fn behind(color: Color, square: Square) -> Square {
    let index = match color {
        Color::Black => square as usize + 1,
        Color::White => square as usize - 1,
    };
    Square::ALL[index]
}

impl MoveSink for MoveList {
    #[inline(always)]
    fn pawns(&mut self, color: Color, targets: Bitboard, promote: bool) {
        let kind = if promote {
            PieceKind::ProPawn
        } else {
            PieceKind::Pawn
        };
        let after = Piece::new(color, kind);
        targets.for_each(|to| self.push(board_move(behind(color, to), to, after, promote)));
    }

    #[inline(always)]
    fn piece(&mut self, from: Square, after: Piece, promote: bool, targets: Bitboard) {
        targets.for_each(|to| self.push(board_move(from, to, after, promote)));
    }

    #[inline(always)]
    fn drops(&mut self, color: Color, kind: HandKind, targets: Bitboard) {
        targets.for_each(|to| self.push(Move::drop(color, kind, to)));
    }
}

#[inline(always)]
pub(crate) fn board_move(from: Square, to: Square, after: Piece, promote: bool) -> Move {
    if promote {
        Move::promoted(from, to, after)
    } else {
        Move::normal(from, to, after)
    }
}

/// Counts moves without writing them down.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveCounter(pub usize);

impl MoveSink for MoveCounter {
    #[inline(always)]
    fn pawns(&mut self, _: Color, targets: Bitboard, _: bool) {
        self.0 += targets.len() as usize;
    }

    #[inline(always)]
    fn piece(&mut self, _: Square, _: Piece, _: bool, targets: Bitboard) {
        self.0 += targets.len() as usize;
    }

    #[inline(always)]
    fn drops(&mut self, _: Color, _: HandKind, targets: Bitboard) {
        self.0 += targets.len() as usize;
    }
}

/// Finds out whether there is a move at all; stops generation at the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyMove(pub(crate) bool);

impl MoveSink for AnyMove {
    #[inline(always)]
    fn pawns(&mut self, _: Color, targets: Bitboard, _: bool) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn piece(&mut self, _: Square, _: Piece, _: bool, targets: Bitboard) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn drops(&mut self, _: Color, _: HandKind, targets: Bitboard) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.0
    }
}

// Perft: counting the positions after a number of plies, the standard check of a move generator.

/// The way of counting the last ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// The moves of the last ply are counted as sets and not played.
    Bulk,
    /// Every move of the last ply is played and taken back.
    Played,
}

/// Number of move sequences of `depth` plies from `position`, every legal move included. 1 for depth
/// 0.
///
/// ```
/// use shogi_core::{Leaves, Position, perft};
/// assert_eq!(perft(&mut Position::startpos(), 3, Leaves::Bulk), 25_470);
/// ```
pub fn perft(position: &mut Position, depth: u32, leaves: Leaves) -> u64 {
    match leaves {
        Leaves::Bulk => perft_bulk(position, depth),
        Leaves::Played => perft_played(position, depth),
    }
}

fn perft_bulk(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => return 1,
        1 => return position.count_moves::<LegalAll>() as u64,
        _ => {}
    }
    let mut moves = MoveList::new();
    position.generate::<LegalAll>(&mut moves);
    let mut nodes = 0;
    for &m in &moves {
        let undo = position.do_move_unchecked(m);
        nodes += perft_bulk(position, depth - 1);
        position.undo_move(m, &undo);
    }
    nodes
}

fn perft_played(position: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    position.generate::<LegalAll>(&mut moves);
    let mut nodes = 0;
    for &m in &moves {
        let undo = position.do_move_unchecked(m);
        nodes += perft_played(position, depth - 1);
        position.undo_move(m, &undo);
    }
    nodes
}

/// [`perft`] split by the first move, in the order of generation.
pub fn perft_divide(position: &mut Position, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let moves = position.moves::<LegalAll>();
    let count = |m: Move| {
        let undo = position.do_move_unchecked(m);
        let nodes = perft_bulk(position, depth - 1);
        position.undo_move(m, &undo);
        (m, nodes)
    };
    moves.into_iter().map(count).collect()
}
