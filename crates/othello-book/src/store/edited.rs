//! Changes of a book by hand, and a book that shows them while its file stays as it is.

use std::sync::Arc;

use hashbrown::HashMap;
use othello_core::{Board, Position, State};

use crate::store::{GrowingBook, PositionData, PositionLookup, PositionStore as _};

/// The change of one position by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionEdit {
    board: Board,
    new: Option<NewValue>,
}

/// The value that a position gets, for the player to move on its board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NewValue {
    value: i8,
    level: i8,
}

impl PositionEdit {
    /// The level of values that were set by hand: above all searches, as in Egaroucid.
    pub const BY_HAND: i8 = 70;

    /// Bytes of an edit.
    pub const LEN: usize = 19;

    /// A new value, −64 to 64 discs for the player to move, of a level. Where the player has to pass, the position behind the
    /// pass gets it; a game that is over may be in the book from the other side.
    pub fn set(book: &impl PositionLookup, position: Position, value: i8, level: i8) -> Self {
        let (board, is_other) = edited_board(book, position);
        let value = if is_other { -value } else { value };
        Self {
            board,
            new: Some(NewValue { value, level }),
        }
    }

    /// The removal of a position.
    pub fn remove(book: &impl PositionLookup, position: Position) -> Self {
        let (board, _) = edited_board(book, position);
        Self { board, new: None }
    }

    /// The board that is changed, in its canonical orientation.
    pub const fn board(&self) -> Board {
        self.board
    }

    /// What is known of the position after the edit; `None` if it is removed. All but value and level stays.
    pub fn after(&self, old: Option<PositionData>) -> Option<PositionData> {
        let NewValue { value, level } = self.new?;
        Some(PositionData {
            value,
            level,
            ..old.unwrap_or_default()
        })
    }

    /// Changes a book. Numbers of lines are not counted anew.
    pub fn apply(&self, book: &mut GrowingBook) {
        match self.after(book.look_up(self.board)) {
            Some(known) => drop(book.put(self.board, known)),
            None => drop(book.keep(&mut |_, board| board != self.board)),
        }
    }

    /// The edit as bytes: the board's discs, whether it is a value, the value, its level.
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&self.board.mover().to_le_bytes());
        bytes[8..16].copy_from_slice(&self.board.opponent().to_le_bytes());
        if let Some(NewValue { value, level }) = self.new {
            bytes[16..].copy_from_slice(&[1, value as u8, level as u8]);
        }
        bytes
    }

    /// The edit of [`to_bytes`](Self::to_bytes); `None` if they are none.
    pub fn of_bytes(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let word = |at: usize| {
            let bytes = bytes[at..at + 8].try_into().unwrap_or_default();
            u64::from_le_bytes(bytes)
        };
        let board = Board::new(word(0), word(8)).ok()?;
        let (value, level) = (bytes[17] as i8, bytes[18] as i8);
        let new = match bytes[16] {
            0 => None,
            1 if value.unsigned_abs() <= 64 => Some(NewValue { value, level }),
            _ => return None,
        };
        board.is_canonical().then_some(Self { board, new })
    }
}

/// The board under which a book keeps a position, in its canonical orientation, and whether it is that of the other player.
fn edited_board(book: &impl PositionLookup, position: Position) -> (Board, bool) {
    let mut board = position.board();
    let mut is_other = false;
    if board.state() == State::Pass {
        (board, is_other) = (board.passed(), !is_other);
    }
    if board.is_over() && book.find(board).is_none() && book.find(board.passed()).is_some() {
        (board, is_other) = (board.passed(), !is_other);
    }
    (board.canonical().board, is_other)
}

/// A book with changes above it, which are in memory. Cheap to clone.
#[derive(Debug)]
pub struct EditedBook<B> {
    base: Arc<B>,
    /// The number of the changed positions, counted from the bound of the book below; `None` for those that were removed.
    numbers: HashMap<Board, Option<u32>>,
    changed: Vec<(Board, PositionData)>,
}

impl<B> Clone for EditedBook<B> {
    fn clone(&self) -> Self {
        Self {
            base: Arc::clone(&self.base),
            numbers: self.numbers.clone(),
            changed: self.changed.clone(),
        }
    }
}

impl<B: PositionLookup> EditedBook<B> {
    /// A book without changes.
    pub fn new(base: Arc<B>) -> Self {
        Self {
            base,
            numbers: HashMap::new(),
            changed: Vec::new(),
        }
    }

    /// The book below.
    pub const fn base(&self) -> &Arc<B> {
        &self.base
    }

    /// Makes a change, which the book shows from now on. Numbers of lines stay.
    pub fn edit(&mut self, edit: &PositionEdit) {
        let board = edit.board();
        let number = edit.after(self.look_up(board)).map(|known| {
            self.changed.push((board, known));
            self.changed.len() as u32 - 1
        });
        self.numbers.insert(board, number);
    }

    /// Positions more than in the book below, or fewer.
    pub fn more(&self) -> i64 {
        let of = |(board, number): (&Board, &Option<u32>)| {
            i64::from(number.is_some()) - i64::from(self.base.find(*board).is_some())
        };
        self.numbers.iter().map(of).sum()
    }

    /// Makes all changes in another copy of the book below. Numbers of lines are not counted anew.
    pub fn write_to(&self, book: &mut GrowingBook) {
        let mut is_removed = false;
        for (&board, &number) in &self.numbers {
            match number {
                Some(number) => drop(book.put(board, self.changed[number as usize].1)),
                None => is_removed = true,
            }
        }
        if is_removed {
            book.keep(&mut |_, board| self.numbers.get(&board) != Some(&None));
        }
    }
}

impl<B: PositionLookup> PositionLookup for EditedBook<B> {
    fn find(&self, board: Board) -> Option<u32> {
        if self.numbers.is_empty() {
            return self.base.find(board);
        }
        let board = board.canonical().board;
        match self.numbers.get(&board) {
            Some(number) => Some((*number)? + self.base.bound()),
            None => self.base.find(board),
        }
    }

    fn bound(&self) -> u32 {
        self.base.bound() + self.changed.len() as u32
    }

    fn known(&self, number: u32) -> PositionData {
        match number.checked_sub(self.base.bound()) {
            Some(changed) => self.changed[changed as usize].1,
            None => self.base.known(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use othello_core::Game;

    use super::*;
    use crate::store::MemoryBook;

    /// The positions of some lines, with the values 0, 1, 2 …
    fn book() -> MemoryBook {
        let mut book = MemoryBook::default();
        for (n, moves) in ["", "f5", "f5d6", "f5d6c3", "f5f6"].iter().enumerate() {
            let known = PositionData {
                value: n as i8,
                level: 21,
                lines: 9,
                ..PositionData::default()
            };
            book.insert(after(moves).board().canonical().board, known);
        }
        book
    }

    fn after(moves: &str) -> Position {
        let mut game = Game::default();
        for at in (0..moves.len()).step_by(2) {
            game.try_play_square(moves[at..at + 2].parse().unwrap())
                .unwrap();
        }
        game.position()
    }

    #[test]
    fn a_view_shows_what_the_edits_make_of_the_book() {
        let mut view = EditedBook::new(Arc::new(book()));
        let mut growing = GrowingBook::in_memory(book());
        let edits = [
            PositionEdit::set(&view, after("f5"), -7, 70),
            PositionEdit::remove(&view, after("f5d6")),
            PositionEdit::set(&view, after("f5f6e6"), 3, 30),
            PositionEdit::set(&view, after("f5"), -8, 71),
            PositionEdit::remove(&view, after("f5f6")),
            PositionEdit::set(&view, after("f5f6"), 5, 1),
            PositionEdit::remove(&view, after("f5d6c3")),
        ];
        for edit in &edits {
            view.edit(edit);
            edit.apply(&mut growing);
        }
        let mut merged = GrowingBook::in_memory(book());
        view.write_to(&mut merged);
        for moves in ["", "f5", "f5d6", "f5d6c3", "f5f6", "f5f6e6", "f5f4"] {
            let board = after(moves).board();
            let known = view.look_up(board);
            assert_eq!(known, growing.look_up(board), "{moves}");
            assert_eq!(known, merged.look_up(board), "{moves}");
        }
        let f5 = view.look_up(after("f5").board()).unwrap();
        assert_eq!((f5.value, f5.level, f5.lines), (-8, 71, 9));
        // What was removed is forgotten.
        let back = view.look_up(after("f5f6").board()).unwrap();
        assert_eq!((back.value, back.lines), (5, 0));
        assert_eq!((view.more(), growing.count(), merged.count()), (-1, 4, 4));
    }

    #[test]
    fn edits_are_read_back_and_nothing_else_is_one() {
        let book = book();
        for edit in [
            PositionEdit::set(&book, after("f5"), -64, 100),
            PositionEdit::set(&book, after("f5d6"), 64, 0),
            PositionEdit::remove(&book, after("f5")),
        ] {
            let bytes = edit.to_bytes();
            assert_eq!(PositionEdit::of_bytes(&bytes), Some(edit));
            for (at, wrong) in [(16, 2), (17, 65), (17, 0x80)] {
                let mut bytes = edit.to_bytes();
                (bytes[16], bytes[at]) = (1, wrong);
                assert_eq!(PositionEdit::of_bytes(&bytes), None, "{at}");
            }
            // Both players on the same squares.
            let mut bytes = edit.to_bytes();
            bytes.copy_within(..8, 8);
            assert_eq!(PositionEdit::of_bytes(&bytes), None);
        }
    }
}
