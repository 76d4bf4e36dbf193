//! Lines on an empty board.

use crate::{Bitboard, Color, Square};

const DIRECTIONS: [(i8, i8); 8] = [
    (0, -1),
    (0, 1),
    (1, 0),
    (-1, 0),
    (1, -1),
    (-1, 1),
    (1, 1),
    (-1, -1),
];

/// The squares from `square` (exclusive) in direction `(files, ranks)` to the edge.
pub(super) const fn ray(square: Square, files: i8, ranks: i8) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut current = square;
    while let Some(next) = current.offset(files, ranks) {
        set = set.or(Bitboard::from_square(next));
        current = next;
    }
    set
}

static FORWARD: [[Bitboard; 81]; 2] = {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut i = 0;
    while i < 81 {
        table[0][i] = ray(Square::ALL[i], 0, -1);
        table[1][i] = ray(Square::ALL[i], 0, 1);
        i += 1;
    }
    table
};

/// Orthogonal lines, then diagonal lines through a square, without the square.
static CROSSES: [[Bitboard; 2]; 81] = {
    let mut table = [[Bitboard::EMPTY; 2]; 81];
    let mut i = 0;
    while i < 81 {
        let mut d = 0;
        while d < 8 {
            let set = ray(Square::ALL[i], DIRECTIONS[d].0, DIRECTIONS[d].1);
            table[i][d / 4] = table[i][d / 4].or(set);
            d += 1;
        }
        i += 1;
    }
    table
};

#[allow(long_running_const_eval)]
static BETWEEN: [[Bitboard; 81]; 81] = {
    let mut table = [[Bitboard::EMPTY; 81]; 81];
    let mut i = 0;
    while i < 81 {
        let mut d = 0;
        while d < 8 {
            let mut passed = Bitboard::EMPTY;
            let mut current = Square::ALL[i];
            while let Some(next) = current.offset(DIRECTIONS[d].0, DIRECTIONS[d].1) {
                table[i][next as usize] = passed;
                passed = passed.or(Bitboard::from_square(next));
                current = next;
            }
            d += 1;
        }
        i += 1;
    }
    table
};

#[allow(long_running_const_eval)]
static LINE: [[Bitboard; 81]; 81] = {
    let mut table = [[Bitboard::EMPTY; 81]; 81];
    let mut i = 0;
    while i < 81 {
        let mut d = 0;
        while d < 8 {
            let (files, ranks) = DIRECTIONS[d];
            let full = ray(Square::ALL[i], files, ranks)
                .or(ray(Square::ALL[i], -files, -ranks))
                .or(Bitboard::from_square(Square::ALL[i]));
            let mut current = Square::ALL[i];
            while let Some(next) = current.offset(files, ranks) {
                table[i][next as usize] = full;
                current = next;
            }
            d += 1;
        }
        i += 1;
    }
    table
};

/// The squares strictly between two squares of one rank, file or diagonal; empty when they are
/// neighbours or not on a line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a as usize][b as usize]
}

/// All squares of the rank, file or diagonal through two different squares, from edge to edge;
/// empty when they are not on a line.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a as usize][b as usize]
}

/// The squares in front of `square` as `color` sees them, to the edge.
#[inline(always)]
pub(crate) fn forward_ray(color: Color, square: Square) -> Bitboard {
    FORWARD[color as usize][square as usize]
}

/// Rank and file through `square`, without it.
#[inline(always)]
pub(crate) fn orthogonals(square: Square) -> Bitboard {
    CROSSES[square as usize][0]
}

/// Both diagonals through `square`, without it.
#[inline(always)]
pub(crate) fn diagonals(square: Square) -> Bitboard {
    CROSSES[square as usize][1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_and_line_agree_with_rays() {
        for a in Square::ALL {
            for b in Square::ALL {
                let on_line = (orthogonals(a) | diagonals(a)).contains(b);
                assert_eq!(line(a, b).any(), on_line);
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(line(a, b), line(b, a));
                if on_line {
                    assert!(line(a, b).contains(a) && line(a, b).contains(b));
                    let inner = between(a, b);
                    assert_eq!(inner & line(a, b), inner);
                    assert!(!inner.contains(a) && !inner.contains(b));
                }
            }
        }
        assert_eq!(between(Square::S5A, Square::S5E).len(), 3);
        assert_eq!(line(Square::S1A, Square::S2B).len(), 9);
    }
}
