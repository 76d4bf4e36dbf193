//! What work on a book needs of it, in memory or not.

use othello_core::Board;

use super::Known;
use crate::convert::links::{self, Values};
use crate::edax::Header;

/// A book that can be asked for positions: in memory, in a file of rows, or in its own file.
pub trait Find {
    /// The number of a position, in whatever direction the board lies.
    fn find(&self, board: Board) -> Option<u32>;

    /// [`find`](Self::find) for several boards: their numbers are appended in their order.
    fn find_many(&self, boards: &[Board], numbers: &mut Vec<Option<u32>>) {
        numbers.extend(boards.iter().map(|&board| self.find(board)));
    }

    /// All numbers are below this one.
    fn bound(&self) -> u32;

    /// What is known of the position with a number.
    fn known(&self, number: u32) -> Known;

    /// What is known of a board, in whatever direction it lies.
    fn look_up(&self, board: Board) -> Option<Known> {
        Some(self.known(self.find(board)?))
    }

    /// The value of a move that leads to `child`, for the player who makes it; `None` if the book does not have
    /// what comes next. Where the player to move on `child` must pass, that is the position after the pass, if the book
    /// has it.
    fn value_of_move(&self, child: Board) -> Option<i8>
    where
        Self: Sized,
    {
        links::value_of_move_to(self, child)
    }
}

/// Positions of a book, by number and by board: a [`Table`](super::Table) in memory, or [`Rows`](super::Rows) in a file.
pub trait Positions: Find {
    /// What stood before the records, if a book of Edax was read.
    fn header(&self) -> Option<Header>;

    /// How many positions there are.
    fn count(&self) -> u64;

    /// The canonical board of a number; `None` if the position was taken out.
    fn board(&self, number: u32) -> Option<Board>;

    /// Makes what is known of the position with a number something else.
    fn set(&mut self, number: u32, known: &Known);

    /// Takes out the positions for which `keep` is false, and gives how many they were. The others have other numbers
    /// then.
    fn keep(&mut self, keep: &mut dyn FnMut(u32, Board) -> bool) -> u64;

    /// The numbers in the order of their boards.
    fn in_order(&self) -> Box<dyn Iterator<Item = u32> + '_>;
}

impl<P: Find> Values for P {
    fn value(&self, board: Board) -> Option<i8> {
        let known = self.look_up(board).filter(Known::has_value);
        known.map(|known| known.value)
    }

    fn values(&self, boards: &[Board], values: &mut Vec<Option<i8>>) {
        let mut numbers = Vec::with_capacity(boards.len());
        self.find_many(boards, &mut numbers);
        values.extend(numbers.into_iter().map(|number| {
            let known = self.known(number?);
            known.has_value().then_some(known.value)
        }));
    }

    fn number(&self, board: Board) -> Option<u64> {
        self.find(board).map(u64::from)
    }
}
