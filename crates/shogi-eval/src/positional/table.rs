//! Pieces as one king sees them: a table by king square, piece and square, filled from the [weights](super::weights)
//! and summed incrementally.
//!
//! The table is made for black's king. White's sum is taken from the same table on the board turned
//! by 180 degrees, so the evaluation is symmetric by construction.

use std::fmt;
use std::sync::{Arc, OnceLock};

use shogi_core::{Color, Delta, HandKind, Piece, PieceKind, Position, Square};

use super::weights::{PositionalWeights, hand_row, row};
use crate::seen_by;

/// King squares, and one more for "no king".
const KINGS: usize = Square::COUNT + 1;
const NO_KING: usize = Square::COUNT;
const PIECES: usize = 32;

/// The numbers of the positional evaluation, ready for use: 820 KB, which all evaluators share.
pub struct PositionalTable {
    weights: PositionalWeights,
    /// True if the weights are the built-in ones, which are known when the program is compiled.
    pub(super) is_default: bool,
    board: Box<[i16]>,
    /// Material and bonus of `count` pieces of a kind in hand, by kind and count.
    hand: [[i32; 19]; 8],
}

impl fmt::Debug for PositionalTable {
    /// Leaves out the table, which is long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PositionalTable")
            .field("is_default", &self.is_default)
            .finish_non_exhaustive()
    }
}

impl PositionalTable {
    /// The table of the built-in numbers, filled on first use.
    pub fn built_in() -> Arc<Self> {
        static TABLE: OnceLock<Arc<PositionalTable>> = OnceLock::new();
        let table = TABLE.get_or_init(|| Arc::new(Self::new(PositionalWeights::DEFAULT)));
        Arc::clone(table)
    }

    /// The table of these numbers, which are in their ranges ([`PositionalWeights::describe`]).
    pub fn new(weights: PositionalWeights) -> Self {
        let mut board = vec![0; KINGS * PIECES * Square::COUNT].into_boxed_slice();
        for king in Square::ALL.into_iter().map(Some).chain([None]) {
            for piece in Piece::ALL {
                for square in Square::ALL {
                    let index = Self::index(king.map_or(NO_KING, Square::index), piece, square);
                    let value = match piece.color() {
                        Color::Black => own_piece(&weights, king, piece.kind(), square),
                        Color::White => -enemy_piece(&weights, king, piece.kind(), square),
                    };
                    board[index] = value as i16;
                }
            }
        }
        let mut hand = [[0; 19]; 8];
        for kind in HandKind::ALL {
            for count in 1..19 {
                hand[kind as usize][count] = hand[kind as usize][count - 1]
                    + weights.pieces[row(kind.piece_kind())]
                    + weights.hand[hand_row(kind)][count.min(4) - 1];
            }
        }
        Self {
            is_default: weights == PositionalWeights::DEFAULT,
            weights,
            board,
            hand,
        }
    }

    /// The numbers.
    pub const fn weights(&self) -> &PositionalWeights {
        &self.weights
    }

    #[inline]
    fn index(king: usize, piece: Piece, square: Square) -> usize {
        (king * PIECES + piece.index()) * Square::COUNT + square.index()
    }

    #[inline]
    fn at(&self, king: usize, piece: Piece, square: Square) -> i32 {
        i32::from(self.board[Self::index(king, piece, square)])
    }
}

/// King steps from one square to another.
pub(super) fn distance(a: Square, b: Square) -> usize {
    let files = a.file().index().abs_diff(b.file().index());
    let ranks = a.rank().index().abs_diff(b.rank().index());
    files.max(ranks)
}

/// The value of black's own piece on `square` with its king on `king`.
fn own_piece(
    weights: &PositionalWeights,
    king: Option<Square>,
    kind: PieceKind,
    square: Square,
) -> i32 {
    let row = row(kind);
    let from_centre = square.file().index().abs_diff(4);
    let mut value = weights.rank[row][square.rank().index()] + weights.file[row][from_centre];
    // A king has neither a material value nor a distance from itself.
    if kind != PieceKind::King {
        value += weights.pieces[row];
        value += king.map_or(0, |king| weights.guard[row][distance(king, square)]);
    }
    value
}

/// The threat of white's piece on `square` to black's king on `king`.
fn enemy_piece(
    weights: &PositionalWeights,
    king: Option<Square>,
    kind: PieceKind,
    square: Square,
) -> i32 {
    let Some(king) = king.filter(|_| kind != PieceKind::King) else {
        return 0;
    };
    // White comes from above: what is below the king is behind it.
    let behind = square.rank().index().saturating_sub(king.rank().index());
    weights.attack[row(kind)][distance(king, square)] * weights.behind[behind] / 100
}

/// Both sides' sums for one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KingPieceSums {
    /// For each colour, the board as its king sees it.
    board: [i32; 2],
    /// For each colour, its hand.
    hand: [i32; 2],
    /// King squares in the table's orientation.
    kings: [usize; 2],
}

/// `piece` as `color` sees it: black's when it is its own.
#[inline]
fn seen_piece(color: Color, piece: Piece) -> Piece {
    match color {
        Color::Black => piece,
        Color::White => piece.flip_color(),
    }
}

impl KingPieceSums {
    /// The sums of a position without pieces; to be replaced.
    pub(super) const EMPTY: Self = Self {
        board: [0; 2],
        hand: [0; 2],
        kings: [NO_KING; 2],
    };

    /// The sums of `position`, from scratch.
    pub(super) fn new(table: &PositionalTable, position: &Position) -> Self {
        let mut sums = Self::EMPTY;
        for color in Color::ALL {
            let side = color.index();
            sums.kings[side] = position
                .king(color)
                .map_or(NO_KING, |king| seen_by(color, king).index());
            sums.board[side] = board_sum(table, position, color, sums.kings[side]);
            sums.hand[side] = HandKind::ALL
                .into_iter()
                .map(|kind| {
                    table.hand[kind as usize][usize::from(position.hand(color).count(kind))]
                })
                .sum();
        }
        sums
    }

    /// Black's view of the whole.
    #[inline]
    pub(super) fn total(&self) -> i32 {
        self.board[0] + self.hand[0] - self.board[1] - self.hand[1]
    }

    /// The sums after a move that changed `delta`. `None` when a king moved: the mover's board has
    /// to be summed from scratch, which needs the position.
    #[inline]
    pub(super) fn after(&self, table: &PositionalTable, delta: &Delta) -> Option<Self> {
        let mut sums = *self;
        let (mover_piece, _) = delta.moved.after?;
        if mover_piece.kind() == PieceKind::King {
            return None;
        }
        let mover = mover_piece.color();
        for change in [Some(delta.moved), delta.captured].into_iter().flatten() {
            for color in Color::ALL {
                let side = color.index();
                let value = |(piece, square): (Piece, Square)| {
                    table.at(
                        sums.kings[side],
                        seen_piece(color, piece),
                        seen_by(color, square),
                    )
                };
                let change = change.after.map_or(0, value) - change.before.map_or(0, value);
                sums.board[side] += change;
            }
        }
        if let Some((kind, count)) = delta.hand {
            let row = &table.hand[kind as usize];
            let count = usize::from(count);
            let was = if delta.captured.is_some() {
                count - 1
            } else {
                count + 1
            };
            sums.hand[mover.index()] += row[count] - row[was];
        }
        Some(sums)
    }
}

fn board_sum(table: &PositionalTable, position: &Position, color: Color, king: usize) -> i32 {
    let mut sum = 0;
    position.occupied().for_each(|square| {
        if let Some(piece) = position.piece_on(square) {
            sum += table.at(king, seen_piece(color, piece), seen_by(color, square));
        }
    });
    sum
}
