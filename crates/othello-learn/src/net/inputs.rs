//! The rows that a board asks for.

use othello_core::{Board, Squares};
use othello_eval::{NetShape, PatternIndices};

/// For each square the places that it lies in, with what one step of its digit adds to the number of their states.
pub(super) struct NetInputs {
    steps: Vec<Vec<(u8, u16)>>,
    /// By place: the number of the empty state, its pattern, and the first row of that.
    places: Vec<(u16, usize, u32)>,
    indices: Vec<PatternIndices>,
    rows: usize,
}

impl NetInputs {
    pub(super) fn new(shape: NetShape) -> Self {
        let layout = shape.layout();
        let mut steps = vec![Vec::new(); 64];
        let (mut places, mut indices, mut rows) = (Vec::new(), Vec::new(), 0);
        for (n, pattern) in layout.patterns().iter().enumerate() {
            for squares in pattern.places() {
                let mut step = 1u16;
                for square in squares.iter().rev() {
                    steps[square.index()].push((places.len() as u8, step));
                    step *= 3;
                }
                // All squares are empty, which is the digit 2.
                places.push((step - 1, n, rows));
            }
            let own = pattern.indices();
            rows += own.packed_len as u32;
            indices.push(own);
        }
        Self {
            steps,
            places,
            indices,
            rows: rows as usize,
        }
    }

    /// Rows of all patterns.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// Rows of a board.
    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// The rows of a board, into as many numbers as there are places.
    pub(super) fn of_board(&self, board: Board, into: &mut [u32]) {
        for (number, &(empty, ..)) in into.iter_mut().zip(&self.places) {
            *number = empty.into();
        }
        // From empty to the mover's disc are two steps down, to the opponent's one.
        for (squares, down) in [(board.mover(), 2), (board.opponent(), 1)] {
            for square in Squares(squares) {
                for &(place, step) in &self.steps[square.index()] {
                    into[usize::from(place)] -= down * u32::from(step);
                }
            }
        }
        for (number, &(_, pattern, first)) in into.iter_mut().zip(&self.places) {
            *number = first + u32::from(self.indices[pattern].packed[*number as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use othello_core::Symmetry;

    use super::*;

    #[test]
    fn images_of_a_board_ask_for_the_same_rows() {
        for shape in NetShape::ALL {
            let inputs = NetInputs::new(shape);
            let rows = |board| {
                let mut rows = vec![0; inputs.places()];
                inputs.of_board(board, &mut rows);
                rows.sort_unstable();
                rows
            };
            let board = Board::new(0x0000_0008_1c10_0201, 0x0000_1010_2008_0400).unwrap();
            let own = rows(board);
            assert!(own.iter().all(|&row| (row as usize) < inputs.rows()));
            for symmetry in Symmetry::ALL {
                assert_eq!(rows(symmetry.board(board)), own);
            }
            assert_ne!(rows(board.passed()), own);
        }
    }
}
