//! Matching of side-cars with their books.

use hashbrown::{HashMap, HashSet};
use othello_core::Board;
use yane_io::{Job, Result};

use crate::BookFormat;
use crate::convert::links::moves;
use crate::files::input::{BookInput, BookReadOptions};
use crate::files::position::BookPosition;
use crate::files::side_car::read::{SideCarFile, SideCarPosition};
use crate::fingerprint::{Fingerprint, hash};

/// The relation of a side-car to a book.
#[derive(Debug)]
pub(crate) enum SideCarMatch {
    /// The book is the one that was written with it.
    Exactly,
    /// The book was changed since: at least a quarter of the positions of the smaller one are unchanged. Of the
    /// positions that the book cannot hold, these come back, as the book still leads to them.
    Changed(HashSet<Board>),
    /// Another book, or a side-car too damaged to tell: with the number of damaged records.
    Not(u64),
}

impl SideCarFile {
    /// Determines whether the side-car belongs to a book. If not, that is noted once.
    pub(crate) fn belongs(
        &self,
        book: &BookInput,
        reading: BookReadOptions,
        job: &Job,
    ) -> Result<&SideCarMatch> {
        if let Some(known) = self.belongs.get() {
            return Ok(known);
        }
        let belongs = if self.is_of(book, reading, job)? {
            SideCarMatch::Exactly
        } else {
            let (is_in, damaged) = Sample::of(book, reading, job)?.is_in(self, reading, job)?;
            if is_in {
                SideCarMatch::Changed(self.unstorable_children(book, reading, job)?)
            } else {
                self.pass_over(book, damaged, job)
            }
        };
        Ok(self.belongs.get_or_init(|| belongs))
    }

    fn pass_over(&self, book: &BookInput, damaged: u64, job: &Job) -> SideCarMatch {
        if damaged == 0 {
            let (side, name) = (self.path().display(), book.path().display());
            let note = format!("{side}: made for another book than {name} is now; passed over");
            job.progress.note(&note);
        }
        SideCarMatch::Not(damaged)
    }

    /// Returns whether the book is the one that was written with it, record for record.
    fn is_of(&self, book: &BookInput, reading: BookReadOptions, job: &Job) -> Result<bool> {
        match self.book() {
            None => Ok(false),
            Some(its) => Ok(its == fingerprint(book, reading, job)?),
        }
    }

    /// The positions that the book cannot hold and that it leads to.
    fn unstorable_children(
        &self,
        book: &BookInput,
        reading: BookReadOptions,
        job: &Job,
    ) -> Result<HashSet<Board>> {
        let mut unstorable = HashSet::new();
        self.for_each(reading.damage, job, &mut |original: SideCarPosition| {
            if original.is_unstorable() {
                unstorable.insert(original.position.canonical().board());
            }
            Ok(())
        })?;
        let mut found = HashSet::new();
        if unstorable.is_empty() {
            return Ok(found);
        }
        let mut todo = Vec::new();
        let mut mark = |board: Board, todo: &mut Vec<Board>| {
            for child in moves(board).into_iter().filter_map(|mv| board.after(mv)) {
                let child = child.canonical().board;
                if unstorable.contains(&child) && found.insert(child) {
                    todo.push(child);
                }
            }
        };
        book.for_each(reading, job, &mut |position| {
            mark(position.board(), &mut todo);
            Ok(())
        })?;
        while let Some(board) = todo.pop() {
            mark(board, &mut todo);
        }
        Ok(found)
    }
}

/// The fingerprint of a book's valid records.
pub(crate) fn fingerprint(
    book: &BookInput,
    reading: BookReadOptions,
    job: &Job,
) -> Result<Fingerprint> {
    let mut sum = Fingerprint::default();
    let mut bytes = Vec::new();
    let format = book.format;
    book.for_each(reading, job, &mut |position| {
        match (position, format) {
            (BookPosition::Edax(record), _) => sum.add_record(&record, &mut bytes),
            (BookPosition::Egaroucid(entry), BookFormat::Egaroucid(version)) => {
                bytes.clear();
                entry.write_to(version, &mut bytes);
                sum.add(&bytes);
            }
            (BookPosition::Egaroucid(_), BookFormat::Edax | BookFormat::EdaxText) => {}
        }
        Ok(())
    })?;
    Ok(sum)
}

/// A sample of the positions of a book, chosen by their hashes: all of a small one.
struct Sample {
    shift: u32,
    positions: HashMap<Board, BookPosition>,
}

impl Sample {
    /// The approximate maximum of positions.
    const MOST: usize = 1 << 16;

    fn of(book: &BookInput, reading: BookReadOptions, job: &Job) -> Result<Self> {
        // No record is shorter than one of an .egbk.
        let most = book.map.len() / 17;
        let mut sample = Self {
            shift: (most / Self::MOST)
                .checked_ilog2()
                .map_or(0, |bits| bits + 1),
            positions: HashMap::new(),
        };
        book.for_each(reading, job, &mut |position| {
            let position = position.canonical();
            if sample.has(position.board()) {
                sample.positions.entry(position.board()).or_insert(position);
            }
            Ok(())
        })?;
        Ok(sample)
    }

    /// Returns whether a board belongs to the sample.
    fn has(&self, board: Board) -> bool {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&board.mover().to_le_bytes());
        key[8..].copy_from_slice(&board.opponent().to_le_bytes());
        (hash(&key) as u64)
            .checked_shr(u64::BITS - self.shift)
            .unwrap_or(0)
            == 0
    }

    /// Returns whether enough positions of a side-car are unchanged in the book, and the number of damaged records.
    fn is_in(
        &self,
        side: &SideCarFile,
        reading: BookReadOptions,
        job: &Job,
    ) -> Result<(bool, u64)> {
        let (mut all, mut same) = (0usize, 0usize);
        let damaged =
            side.for_each(reading.damage, job, &mut |mut original: SideCarPosition| {
                if original.is_unstorable() {
                    return Ok(());
                }
                original.position = original.position.canonical();
                let board = original.position.board();
                if self.has(board) {
                    all += 1;
                    let now = self.positions.get(&board);
                    same += usize::from(now.is_some_and(|now| now.is_derived_from(&original)));
                }
                Ok(())
            })?;
        let fewer = all.min(self.positions.len());
        Ok((same > 0 && 4 * same >= fewer, damaged))
    }
}
