//! The state of a run: the book, how far the stages are, and the positions that are left of a list; in one file.
//!
//! It is a [`Snapshot`] of the run; its bytes are:
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 + n | length and text of the progress, JSON |
//! | 8 | number of positions |
//! | 40 each | their rows, in the order of their boards |
//! | 8 | number of positions of the list |
//! | 18 each | those |
//!
//! All numbers are little-endian.

use std::path::Path;

use othello_book::edax::EdaxBook;
use othello_book::store::{
    DiskBookWriter, GrowingBook, PositionData, PositionLookup as _, PositionStore as _,
};
use serde::{Deserialize, Serialize};
use yane_io::{Error, Job, Result, RunIdentity, Snapshot, TempFolder};

use crate::todo::{TodoList, TodoRow};

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The stage, counted from 0.
    pub(crate) stage: usize,
    /// The start within the stage.
    pub(crate) start: u64,
    /// The game of that start, where it is not given.
    pub(crate) game: Option<String>,
    /// The round for that start.
    pub(crate) round: u32,
    /// The list within the round.
    pub(crate) phase: u32,
    /// Positions added in this round.
    pub(crate) added_in_round: u64,
    /// The value of the root at the beginning of the round.
    pub(crate) value: i32,
    /// True if there is a list that is not done.
    pub(crate) has_list: bool,
    /// Positions added by all runs.
    pub(crate) added: u64,
    /// Searches of all runs.
    pub(crate) searches: u64,
    /// Rounds of all runs.
    pub(crate) rounds: u64,
}

/// The text of a state.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    position: Position,
    /// The bytes of the header of a book for Edax.
    header: Option<Vec<u8>>,
}

/// A state that was read.
pub(crate) struct State {
    pub(crate) position: Position,
    pub(crate) book: GrowingBook,
    /// The list that is not done.
    pub(crate) list: Option<TodoList>,
}

/// Writes a state, whole or not at all.
pub(crate) fn write(
    path: &Path,
    identity: &RunIdentity,
    position: &Position,
    book: &GrowingBook,
    list: impl Iterator<Item = TodoRow>,
    count: u64,
) -> Result<()> {
    let head = Head {
        position: position.clone(),
        header: book.header().map(|header| header.to_bytes().to_vec()),
    };
    let head = serde_json::to_vec(&head)
        .map_err(std::io::Error::from)
        .map_err(Error::write(path, 0))?;
    let mut writer = Snapshot::create(path, identity)?;
    writer.put(&(head.len() as u32).to_le_bytes())?;
    writer.put(&head)?;
    writer.put(&book.count().to_le_bytes())?;
    for number in book.in_order() {
        if let Some(board) = book.board(number) {
            writer.put(&book.known(number).to_row(board))?;
        }
    }
    writer.put(&count.to_le_bytes())?;
    for row in list {
        writer.put(&row.to_bytes())?;
    }
    writer.commit()
}

/// A state in the bytes of its file.
struct Reader<'a> {
    state: &'a Snapshot,
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let bytes = self
            .at
            .checked_add(len)
            .and_then(|end| self.state.get(self.at..end));
        let bytes = bytes.ok_or_else(|| {
            self.state
                .error(self.at, "the file ends inside the state of a run")
        })?;
        self.at += len;
        Ok(bytes)
    }

    fn number<const N: usize>(&mut self) -> Result<u64> {
        let mut number = [0; 8];
        number[..N].copy_from_slice(self.take(N)?);
        Ok(u64::from_le_bytes(number))
    }

    fn count(&mut self, width: usize) -> Result<usize> {
        let count = self.number::<8>()?;
        let fits = usize::try_from(count)
            .ok()
            .filter(|count| count.checked_mul(width).is_some());
        fits.ok_or_else(|| {
            self.state.error(
                self.at - 8,
                format!("{count} positions are more than the file has"),
            )
        })
    }
}

/// Reads a state; `None` if there is none.
///
/// # Errors
///
/// A damaged state, or that of another run.
pub(crate) fn read(
    path: &Path,
    identity: &RunIdentity,
    folder: &TempFolder,
    job: &Job,
) -> Result<Option<State>> {
    let opened = Snapshot::open(path, identity)?;
    let Some(snapshot) = opened.tell(|note| job.progress.note(note)) else {
        return Ok(None);
    };
    let mut reader = Reader {
        state: &snapshot,
        at: 0,
    };
    let len = reader.number::<4>()? as usize;
    let head: Head = serde_json::from_slice(reader.take(len)?).map_err(|error| {
        snapshot.error(4, format!("the progress of a run was expected: {error}"))
    })?;
    let mut writer = DiskBookWriter::new(folder, job.memory / 2);
    let count = reader.count(PositionData::ROW)?;
    for n in 0..count {
        let at = reader.at;
        let row = reader.take(PositionData::ROW)?.first_chunk();
        let row = row.and_then(PositionData::of_row);
        let (board, known) =
            row.ok_or_else(|| snapshot.error(at, "both players have a disc on a square"))?;
        writer.put(board, &known)?;
        if n % (1 << 16) == 0 {
            job.check()?;
        }
    }
    let count = reader.count(TodoRow::LEN)?;
    let bytes = reader.take(count * TodoRow::LEN)?;
    let list = bytes
        .chunks_exact(TodoRow::LEN)
        .map_while(|row| TodoRow::of_bytes(row.first_chunk()?));
    let list = if head.position.has_list {
        Some(TodoList::of_rows(list, folder, job.memory / 8)?)
    } else {
        None
    };
    let header = head.header.as_deref().map(EdaxBook::new).transpose();
    let header = header
        .map_err(|error| snapshot.error(4, error.to_string()))?
        .map(|book| book.header);
    let base = writer
        .finish(header, job)?
        .map_err(|error| error.in_file(path))?;
    Ok(Some(State {
        position: head.position,
        book: GrowingBook::new(base),
        list,
    }))
}
