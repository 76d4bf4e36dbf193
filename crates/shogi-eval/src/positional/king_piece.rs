//! Pieces as one king sees them: a table by king square, piece and square, filled from the formulas
//! of [`super::weights`] and summed incrementally.
//!
//! The table is made for black's king. White's sum is taken from the same table on the board turned
//! by 180 degrees, so the evaluation is symmetric by construction.

use std::sync::OnceLock;

use shogi_core::{Color, Delta, HandKind, Piece, PieceKind, Position, Square};

use super::weights;
use crate::seen_by;

/// King squares, and one more for "no king".
const KINGS: usize = Square::COUNT + 1;
const NO_KING: usize = Square::COUNT;
const PIECES: usize = 32;

/// The filled table; 820 KB.
pub(super) struct KingPieceTable {
    board: Box<[i16]>,
    /// Material and bonus of `count` pieces of a kind in hand, by kind and count.
    hand: [[i32; 19]; 8],
}

impl KingPieceTable {
    /// The table, filled on first use.
    pub(super) fn get() -> &'static Self {
        static TABLE: OnceLock<KingPieceTable> = OnceLock::new();
        TABLE.get_or_init(Self::fill)
    }

    fn fill() -> Self {
        let mut board = vec![0; KINGS * PIECES * Square::COUNT].into_boxed_slice();
        for king in Square::ALL.into_iter().map(Some).chain([None]) {
            for piece in Piece::ALL {
                for square in Square::ALL {
                    let index = Self::index(king.map_or(NO_KING, Square::index), piece, square);
                    board[index] = match piece.color() {
                        Color::Black => own_piece(king, piece.kind(), square),
                        Color::White => -enemy_piece(king, piece.kind(), square),
                    };
                }
            }
        }
        let mut hand = [[0; 19]; 8];
        for kind in HandKind::ALL {
            for count in 1..19 {
                hand[kind as usize][count] = hand[kind as usize][count - 1]
                    + kind.piece_kind().exchange_value()
                    + i32::from(weights::hand_bonus(kind, count));
            }
        }
        Self { board, hand }
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

fn distance(a: Square, b: Square) -> usize {
    let files = a.file().index().abs_diff(b.file().index());
    let ranks = a.rank().index().abs_diff(b.rank().index());
    files.max(ranks)
}

/// The value of black's own piece on `square` with its king on `king`.
fn own_piece(king: Option<Square>, kind: PieceKind, square: Square) -> i16 {
    let from_centre = square.file().index().abs_diff(4);
    let mut value = kind.exchange_value() as i16
        + weights::rank_bonus(kind, square.rank().index())
        + weights::file_bonus(kind, from_centre);
    if let Some(king) = king {
        value += weights::guard(kind, distance(king, square));
    }
    value
}

/// The threat of white's piece on `square` to black's king on `king`.
fn enemy_piece(king: Option<Square>, kind: PieceKind, square: Square) -> i16 {
    let Some(king) = king else { return 0 };
    // White comes from above: what is below the king is behind it.
    let behind = square.rank().index().saturating_sub(king.rank().index());
    weights::attack(kind, distance(king, square)) * weights::ATTACK_FROM_BEHIND[behind] / 100
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
    pub(super) fn new(position: &Position) -> Self {
        let table = KingPieceTable::get();
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
    /// to be summed anew, which needs the position.
    #[inline]
    pub(super) fn after(&self, delta: &Delta) -> Option<Self> {
        let table = KingPieceTable::get();
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

fn board_sum(table: &KingPieceTable, position: &Position, color: Color, king: usize) -> i32 {
    let mut sum = 0;
    position.occupied().for_each(|square| {
        if let Some(piece) = position.piece_on(square) {
            sum += table.at(king, seen_piece(color, piece), seen_by(color, square));
        }
    });
    sum
}
