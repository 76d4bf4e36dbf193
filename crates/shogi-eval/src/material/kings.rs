//! Kings: where they stand, and what is around them.

use shogi_core::{Color, Piece, Square};

use super::unit::{Exact, ONE};

/// What it is worth to have the king on a square, by rank, and from the 9th to the 1st file, as its
/// owner sees the board: high where it has entered the enemy's camp.
const PLACES: [[i32; 9]; 9] = [
    [875, 655, 830, 680, 770, 815, 720, 945, 755],
    [605, 455, 610, 595, 730, 610, 600, 590, 615],
    [565, 640, 555, 525, 635, 565, 440, 600, 575],
    [520, 515, 580, 420, 640, 535, 565, 500, 510],
    [220, 355, 240, 375, 340, 335, 305, 275, 320],
    [500, 530, 560, 445, 510, 395, 455, 490, 410],
    [345, 275, 250, 355, 295, 280, 420, 235, 135],
    [335, 370, 385, 255, 295, 200, 265, 305, 305],
    [255, 225, 245, 295, 200, 320, 275, 70, 200],
];

/// What it is worth to have the king on `square`, as its owner sees it.
pub(super) fn king_place(square: Square) -> i32 {
    PLACES[square.index() % 9][8 - square.index() / 9]
}

/// What `square` is worth to black if it is next to a king. An own piece there is good, most if only the
/// king protects it; a square that only the king protects and no own piece stands on is bad.
pub(super) fn around_king(
    kings: [Square; 2],
    square: Square,
    counts: [usize; 2],
    piece: Option<Piece>,
) -> Exact {
    let of = |color: Color| {
        if !is_next_to(kings[color.index()], square) {
            return 0;
        }
        let is_own = piece.is_some_and(|piece| piece.color() == color);
        // The king attacks it in any case.
        let is_protected = counts[color.index()] > 1;
        match (is_own, is_protected) {
            (true, false) => 20,
            (true, true) => 11,
            (false, false) => -11,
            (false, true) => 0,
        }
    };
    (of(Color::Black) - of(Color::White)) * ONE
}

fn is_next_to(king: Square, square: Square) -> bool {
    let files = (king.index() / 9).abs_diff(square.index() / 9);
    let ranks = (king.index() % 9).abs_diff(square.index() % 9);
    files.max(ranks) == 1
}
