//! Whether a side-car belongs to the book that it lies beside.

use hashbrown::{HashMap, HashSet};
use othello_core::Board;
use yane_io::{Job, Result};

use super::super::read::{Input, Reading};
use super::super::told::Told;
use super::read::{Aside, SideFile};
use crate::Format;
use crate::convert::links::moves;
use crate::fingerprint::{Fingerprint, hash};

/// Whether a side-car belongs to a book.
#[derive(Debug)]
pub(crate) enum Belongs {
    /// The book is the one that was written with it.
    Exactly,
    /// It was changed since: at least a quarter of the positions of the smaller of the two are as they were. Positions
    /// that the book had no room for come back if it still leads to them: these.
    Changed(HashSet<Board>),
    /// The book is another, or the side-car is damaged so that nothing can be said: how many records are.
    Not(u64),
}

impl SideFile {
    /// Whether it belongs to a book. If not, that is remarked, once.
    pub(crate) fn belongs(&self, book: &Input, reading: Reading, job: &Job) -> Result<&Belongs> {
        if let Some(known) = self.belongs.get() {
            return Ok(known);
        }
        let belongs = if self.is_of(book, reading, job)? {
            Belongs::Exactly
        } else {
            let (is_in, damaged) = Sample::of(book, reading, job)?.is_in(self, reading, job)?;
            if is_in {
                Belongs::Changed(self.led_to(book, reading, job)?)
            } else {
                self.pass_over(book, damaged, job)
            }
        };
        Ok(self.belongs.get_or_init(|| belongs))
    }

    fn pass_over(&self, book: &Input, damaged: u64, job: &Job) -> Belongs {
        if damaged == 0 {
            let (side, name) = (self.path().display(), book.path().display());
            let remark = format!("{side}: made for another book than {name} is now; passed over");
            job.progress.note(&remark);
        }
        Belongs::Not(damaged)
    }

    /// Whether the book is the one that was written with it, record for record.
    fn is_of(&self, book: &Input, reading: Reading, job: &Job) -> Result<bool> {
        match self.book() {
            None => Ok(false),
            Some(its) => Ok(its == fingerprint(book, reading, job)?),
        }
    }

    /// Positions that the book had no room for and that it leads to.
    fn led_to(&self, book: &Input, reading: Reading, job: &Job) -> Result<HashSet<Board>> {
        let mut without_room = HashSet::new();
        self.each(reading.damage, job, &mut |aside: Aside| {
            if aside.has_no_room() {
                without_room.insert(aside.told.canonical().board());
            }
            Ok(())
        })?;
        let mut found = HashSet::new();
        if without_room.is_empty() {
            return Ok(found);
        }
        let mut todo = Vec::new();
        let mut look = |board: Board, todo: &mut Vec<Board>| {
            for child in moves(board).into_iter().filter_map(|mv| board.after(mv)) {
                let child = child.canonical().board;
                if without_room.contains(&child) && found.insert(child) {
                    todo.push(child);
                }
            }
        };
        book.each(reading, job, &mut |told| {
            look(told.board(), &mut todo);
            Ok(())
        })?;
        while let Some(board) = todo.pop() {
            look(board, &mut todo);
        }
        Ok(found)
    }
}

/// The fingerprint of a book's good records.
pub(crate) fn fingerprint(book: &Input, reading: Reading, job: &Job) -> Result<Fingerprint> {
    let mut sum = Fingerprint::default();
    let mut bytes = Vec::new();
    let format = book.format;
    book.each(reading, job, &mut |told| {
        match (told, format) {
            (Told::Edax(record), _) => sum.add_record(&record, &mut bytes),
            (Told::Egaroucid(entry), Format::Egaroucid(version)) => {
                bytes.clear();
                entry.write_to(version, &mut bytes);
                sum.add(&bytes);
            }
            (Told::Egaroucid(_), Format::Edax | Format::EdaxText) => {}
        }
        Ok(())
    })?;
    Ok(sum)
}

/// Some positions of a book, chosen by their boards: all of a small one.
struct Sample {
    shift: u32,
    positions: HashMap<Board, Told>,
}

impl Sample {
    /// About how many positions there are at most.
    const MOST: usize = 1 << 16;

    fn of(book: &Input, reading: Reading, job: &Job) -> Result<Self> {
        // No record is shorter than one of an .egbk.
        let most = book.map.len() / 17;
        let mut sample = Self {
            shift: (most / Self::MOST)
                .checked_ilog2()
                .map_or(0, |bits| bits + 1),
            positions: HashMap::new(),
        };
        book.each(reading, job, &mut |told| {
            let told = told.canonical();
            if sample.has(told.board()) {
                sample.positions.entry(told.board()).or_insert(told);
            }
            Ok(())
        })?;
        Ok(sample)
    }

    /// Whether a board is one of those that are looked at.
    fn has(&self, board: Board) -> bool {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&board.mover().to_le_bytes());
        key[8..].copy_from_slice(&board.opponent().to_le_bytes());
        (hash(&key) as u64)
            .checked_shr(u64::BITS - self.shift)
            .unwrap_or(0)
            == 0
    }

    /// Whether enough of a side-car's positions are as the book was written with; how many records are damaged.
    fn is_in(&self, side: &SideFile, reading: Reading, job: &Job) -> Result<(bool, u64)> {
        let (mut all, mut same) = (0usize, 0usize);
        let damaged = side.each(reading.damage, job, &mut |mut aside: Aside| {
            if aside.has_no_room() {
                return Ok(());
            }
            aside.told = aside.told.canonical();
            let board = aside.told.board();
            if self.has(board) {
                all += 1;
                let now = self.positions.get(&board);
                same += usize::from(now.is_some_and(|now| now.is_made_of(&aside)));
            }
            Ok(())
        })?;
        let fewer = all.min(self.positions.len());
        Ok((same > 0 && 4 * same >= fewer, damaged))
    }
}
