//! Books that are asked for a few positions.

use std::path::Path;

use othello_core::Board;
use yane_io::{Job, Map, Result, Unit};

use super::read::{Input, Reading};
use super::rows::rows;
use crate::convert::LeafRule;
use crate::egaroucid::{Entry, Version};
use crate::store::{Damage, Find, Index, IndexOptions, Known, Rows};
use crate::{Format, edax, egaroucid};

/// A book of any size that can be asked for positions, found the quickest way that there is for its file.
#[derive(Debug)]
pub struct Asked<'a>(How<'a>);

#[derive(Debug)]
enum How<'a> {
    /// An Edax book in its file.
    Index(Index<'a>),
    /// An Egaroucid book whose records lie in the order of their boards, in its file.
    Sorted(Sorted<'a>),
    /// Any other.
    Rows(Box<Rows>),
}

/// Reads a book only so far that positions can be found in it. What it answers is what [`rows`](super::rows) would: that
/// is done where the file alone does not say it (side-cars, leaves that become positions, boards that are not canonical,
/// records of Egaroucid in no order or of any length), with temporary files in `folder`.
///
/// # Errors
///
/// As [`rows`](super::rows).
pub fn ask<'a>(input: &'a Input, reading: Reading, folder: &Path, job: &Job) -> Result<Asked<'a>> {
    let map = &input.map;
    input.damaged_lines(reading.damage)?;
    if input.has_no_side_car() && reading.leaf_rule == LeafRule::Keep {
        let how = match input.format {
            Format::Edax | Format::EdaxText => indexed(map, reading.damage, job)?.map(How::Index),
            Format::Egaroucid(_) => Sorted::of(map, reading.egbk_level, job)?.map(How::Sorted),
        };
        if let Some(how) = how {
            return Ok(Asked(how));
        }
    }
    let opened = rows(input, reading, folder, job)?;
    Ok(Asked(How::Rows(Box::new(opened.rows))))
}

/// The index of an Edax book, if all of its boards are canonical.
fn indexed<'a>(map: &'a Map, damage: Damage, job: &Job) -> Result<Option<Index<'a>>> {
    let book = edax::Book::new(map).map_err(|fault| fault.of(map))?;
    let mut records = book.records().flatten();
    let fits = map.len() as u64 <= Index::MAX_FILE;
    if !fits || !records.all(|record| record.board().is_canonical()) {
        return Ok(None);
    }
    let index = Index::new(map, IndexOptions { damage }, job)?;
    Ok(u32::try_from(index.len()).is_ok().then_some(index))
}

/// Records of one length in the order of their boards, which are canonical.
#[derive(Debug)]
struct Sorted<'a> {
    book: egaroucid::Book<'a>,
    count: u32,
    egbk_level: i8,
}

impl<'a> Sorted<'a> {
    /// `None` if the book is not like that, or damaged.
    fn of(map: &'a Map, egbk_level: i8, job: &Job) -> Result<Option<Self>> {
        const STEP: u32 = 1 << 16;
        let book = egaroucid::Book::new(map).map_err(|fault| fault.of(map));
        // An .egbk that is cut off is damaged.
        let Ok(book) = book else { return Ok(None) };
        if book.version == Version::Egbk2 {
            return Ok(None);
        }
        let stage = "reading";
        let total = book.count() as u64;
        job.progress.stage(stage, Some(total), Unit::Positions);
        let (mut before, mut count) = (None, 0u32);
        for entry in book.entries() {
            let Ok(Entry { board, .. }) = entry else {
                return Ok(None);
            };
            if before >= Some(board) || !board.is_canonical() {
                return Ok(None);
            }
            before = Some(board);
            count += 1;
            if count.is_multiple_of(STEP) {
                job.progress.advance(STEP.into());
                job.check()?;
            }
        }
        Ok(Some(Self {
            book,
            count,
            egbk_level,
        }))
    }

    fn entry(&self, number: u32) -> Option<Entry> {
        let mut entry = self.book.entry(number as usize)?;
        if self.book.version == Version::Egbk {
            entry.level = self.egbk_level;
        }
        Some(entry)
    }

    fn find(&self, board: Board) -> Option<u32> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.entry(middle)?.board;
            match found.cmp(&board) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

impl Find for Asked<'_> {
    fn find(&self, board: Board) -> Option<u32> {
        let canonical = || board.canonical().board;
        match &self.0 {
            How::Index(index) => Some(index.find(canonical())?.slot.number() as u32),
            How::Sorted(sorted) => sorted.find(canonical()),
            How::Rows(rows) => rows.find(board),
        }
    }

    fn bound(&self) -> u32 {
        match &self.0 {
            How::Index(index) => index.len() as u32,
            How::Sorted(sorted) => sorted.count,
            How::Rows(rows) => rows.bound(),
        }
    }

    fn known(&self, number: u32) -> Known {
        match &self.0 {
            How::Index(index) => {
                let record = index.record(number.into());
                record.map(|record| Known::from(&record.to_record()))
            }
            How::Sorted(sorted) => sorted.entry(number).map(|entry| Known::from(&entry)),
            How::Rows(rows) => Some(rows.known(number)),
        }
        .unwrap_or_default()
    }
}
