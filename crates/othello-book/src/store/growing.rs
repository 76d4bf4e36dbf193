//! A book of any size that grows: a book on disk below, and new positions in memory.

use othello_core::Board;

use crate::edax::EdaxHeader;
use crate::store::{
    DiskBook, MemoryBook, PositionData, PositionLookup, PositionStore, canonicalized,
};

/// A book that grows (see the module). Numbers below the bound of the book on disk are its own; new positions follow in
/// the order in which they came.
#[derive(Debug, Default)]
pub struct GrowingBook {
    base: Option<DiskBook>,
    new: MemoryBook,
}

impl GrowingBook {
    /// Bytes of memory that a new position takes: its row, and its place in the table of boards.
    pub const NEW_POSITION: u64 = 64;

    /// A book to which nothing was added.
    pub fn new(base: DiskBook) -> Self {
        let mut new = MemoryBook::default();
        new.header = base.header;
        Self {
            base: Some(base),
            new,
        }
    }

    /// A book in memory alone.
    pub const fn in_memory(new: MemoryBook) -> Self {
        Self { base: None, new }
    }

    /// Sets the header of a book for Edax.
    pub fn set_header(&mut self, header: Option<EdaxHeader>) {
        self.new.header = header;
    }

    /// The number of positions in memory.
    pub const fn new_positions(&self) -> u64 {
        self.new.len() as u64
    }

    /// Inserts or replaces a position; returns true if it is new. The leaf is a move on `board`.
    pub fn put(&mut self, board: Board, known: PositionData) -> bool {
        let (board, known) = canonicalized(board, known);
        match self.find(board) {
            Some(number) => {
                self.set(number, &known);
                false
            }
            None => self.new.insert(board, known).is_none(),
        }
    }

    fn bound_of_base(&self) -> u32 {
        self.base.as_ref().map_or(0, PositionLookup::bound)
    }
}

impl PositionLookup for GrowingBook {
    fn find(&self, board: Board) -> Option<u32> {
        let board = board.canonical().board;
        let below = || self.base.as_ref()?.find(board);
        let above = (!self.new.is_empty()).then(|| self.new.find(board));
        let above = above.flatten().map(|number| number + self.bound_of_base());
        above.or_else(below)
    }

    fn find_many(&self, boards: &[Board], numbers: &mut Vec<Option<u32>>) {
        let first = numbers.len();
        match &self.base {
            Some(base) => base.find_many(boards, numbers),
            None => numbers.resize(first + boards.len(), None),
        }
        if self.new.is_empty() {
            return;
        }
        let bound = self.bound_of_base();
        for (number, board) in numbers[first..].iter_mut().zip(boards) {
            if number.is_none() {
                *number = self.new.find(*board).map(|number| number + bound);
            }
        }
    }

    fn bound(&self) -> u32 {
        self.bound_of_base() + self.new.bound()
    }

    fn known(&self, number: u32) -> PositionData {
        let bound = self.bound_of_base();
        match &self.base {
            Some(base) if number < bound => base.known(number),
            _ => self.new.known(number - bound),
        }
    }
}

impl PositionStore for GrowingBook {
    fn header(&self) -> Option<EdaxHeader> {
        self.new.header
    }

    fn count(&self) -> u64 {
        self.base.as_ref().map_or(0, PositionStore::count) + self.new.count()
    }

    fn board(&self, number: u32) -> Option<Board> {
        let bound = self.bound_of_base();
        match &self.base {
            Some(base) if number < bound => base.board(number),
            _ => self.new.board(number - bound),
        }
    }

    fn set(&mut self, number: u32, known: &PositionData) {
        let bound = self.bound_of_base();
        match &mut self.base {
            Some(base) if number < bound => base.set(number, known),
            _ => self.new.set(number - bound, known),
        }
    }

    fn keep(&mut self, keep: &mut dyn FnMut(u32, Board) -> bool) -> u64 {
        let bound = self.bound_of_base();
        let below = self.base.as_mut().map_or(0, |base| base.keep(keep));
        below
            + self
                .new
                .keep(&mut |number, board| keep(number + bound, board))
    }

    fn in_order(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        let bound = self.bound_of_base();
        let below = self.base.as_ref().map(PositionStore::in_order);
        let mut below = below.into_iter().flatten().peekable();
        let mut above = self
            .new
            .in_order()
            .map(move |number| number + bound)
            .peekable();
        Box::new(std::iter::from_fn(move || {
            match (below.peek(), above.peek()) {
                (Some(&one), Some(&other)) if self.board(one) > self.board(other) => above.next(),
                (None, _) => above.next(),
                _ => below.next(),
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use othello_core::Square;
    use yane_io::Job;

    use super::*;
    use crate::store::DiskBookWriter;

    fn some_boards() -> Vec<Board> {
        let mut boards = vec![Board::START];
        let mut at = 0;
        while boards.len() < 60 {
            let board: Board = boards[at];
            boards.extend(
                board
                    .legal_moves()
                    .iter()
                    .map(|square: Square| board.play_unchecked(square).canonical().board),
            );
            boards.dedup();
            at += 1;
        }
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    #[test]
    fn positions_on_disk_and_in_memory_are_one_book() {
        let boards = some_boards();
        let data = |n: usize| PositionData {
            value: n as i8,
            ..PositionData::default()
        };
        let folder = std::env::temp_dir();
        let mut writer = DiskBookWriter::new(&yane_io::TempFolder::from(&folder), 1 << 20);
        for (n, board) in boards.iter().enumerate().step_by(2) {
            writer.put(*board, &data(n)).unwrap();
        }
        let base = writer.finish(None, &Job::default()).unwrap().unwrap();
        let mut book = GrowingBook::new(base);
        for (n, board) in boards.iter().enumerate().skip(1).step_by(2) {
            assert!(book.put(*board, data(n)));
        }
        assert_eq!(book.count(), boards.len() as u64);
        let in_order: Vec<_> = book
            .in_order()
            .filter_map(|number| book.board(number))
            .collect();
        assert_eq!(in_order, boards);
        let mut numbers = Vec::new();
        book.find_many(&boards, &mut numbers);
        for (n, (board, number)) in boards.iter().zip(numbers).enumerate() {
            assert_eq!(number, book.find(*board));
            assert_eq!(book.known(number.unwrap()), data(n));
        }
        assert!(!book.put(boards[0], data(99)));
        assert_eq!(book.look_up(boards[0]), Some(data(99)));
        let removed = book.keep(&mut |_, board| board > boards[9]);
        assert_eq!((removed, book.count()), (10, boards.len() as u64 - 10));
        assert_eq!((book.find(boards[3]), book.find(boards[4])), (None, None));
    }
}
