//! Stores: books that positions can be looked up in, and changed.

mod arrays;
mod batch;
mod disk;
mod edax_index;
mod memory;
mod perfect_hash;
mod position_data;
mod slots;

pub(crate) use arrays::BitSet;
pub use batch::BatchLookup;
pub use disk::DiskBook;
pub(crate) use disk::DiskBookWriter;
pub use edax_index::{EdaxIndex, IndexHit, OnDamage, Slot};
pub use memory::MemoryBook;
pub(crate) use position_data::canonicalized;
pub use position_data::{Bounds, GameCounts, PositionData};

use othello_core::Board;

use crate::convert::links::{self, PositionValues};
use crate::edax::EdaxHeader;

/// A book for lookups: in memory, on disk, or in its own file.
pub trait PositionLookup {
    /// The number of a position in any orientation.
    fn find(&self, board: Board) -> Option<u32>;

    /// [`find`](Self::find) for several boards; numbers are appended in their order.
    fn find_many(&self, boards: &[Board], numbers: &mut Vec<Option<u32>>) {
        numbers.extend(boards.iter().map(|&board| self.find(board)));
    }

    /// An upper bound of all numbers.
    fn bound(&self) -> u32;

    /// The data of the position with a number.
    fn known(&self, number: u32) -> PositionData;

    /// The data of a board in any orientation.
    fn look_up(&self, board: Board) -> Option<PositionData> {
        Some(self.known(self.find(board)?))
    }

    /// The value of a move that leads to `child`, for the player who makes it; `None` if the book lacks the position
    /// behind it. Before a forced pass, that is the position after the pass if the book has it.
    fn value_of_move(&self, child: Board) -> Option<i8>
    where
        Self: Sized,
    {
        links::value_of_move_to(self, child)
    }
}

/// A book that can be changed: a [`MemoryBook`] in memory, or a [`DiskBook`] on disk.
pub trait PositionStore: PositionLookup {
    /// The header, if a book of Edax was read.
    fn header(&self) -> Option<EdaxHeader>;

    /// The number of positions.
    fn count(&self) -> u64;

    /// The canonical board of a number; `None` if the position was removed.
    fn board(&self, number: u32) -> Option<Board>;

    /// Sets the data of the position with a number.
    fn set(&mut self, number: u32, known: &PositionData);

    /// Removes the positions for which `keep` is false and returns their number. The others may be renumbered.
    fn keep(&mut self, keep: &mut dyn FnMut(u32, Board) -> bool) -> u64;

    /// The numbers in the order of their boards.
    fn in_order(&self) -> Box<dyn Iterator<Item = u32> + '_>;
}

impl<P: PositionLookup> PositionValues for P {
    fn value(&self, board: Board) -> Option<i8> {
        let known = self.look_up(board).filter(PositionData::has_value);
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
