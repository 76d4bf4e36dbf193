//! Reading of side-cars, and matching with their books.

use std::path::Path;
use std::sync::OnceLock;

use hashbrown::{HashMap, HashSet};
use othello_core::Board;
use yane_io::{Job, Map, Result, Unit};

use super::{Fingerprint, hash};
use crate::convert::links::moves;
use crate::edax::{EdaxHeader, EdaxRecords};
use crate::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use crate::files::book_file::{BookFile, for_each_position};
use crate::files::options::BookReadOptions;
use crate::files::position::BookPosition;
use crate::files::position::SideCarPosition;
use crate::files::side_car::{ENTRY, SIDE_CAR_MAGIC, SideCarContents, SideCarHeader, VERSION};
use crate::store::OnDamage;
use crate::{BookFormat, FormatError};

/// The file of a side-car.
#[derive(Debug)]
pub(crate) struct SideCarFile {
    map: Map,
    pub(super) belongs: OnceLock<SideCarMatch>,
}

/// The kind of a side-car file.
enum SideCarKind {
    /// A side-car with a header.
    Headed(SideCarHeader),
    /// A book, as in version 1.
    Plain(BookFormat),
}

impl SideCarFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            map: Map::open(path)?,
            belongs: OnceLock::new(),
        })
    }

    /// The relation to its book, once it is determined.
    pub(crate) fn known_to_belong(&self) -> Option<&SideCarMatch> {
        self.belongs.get()
    }

    pub(super) fn path(&self) -> &Path {
        self.map.path()
    }

    fn kind(&self) -> std::result::Result<SideCarKind, FormatError> {
        let bytes = &*self.map;
        if bytes.len() < SideCarHeader::LEN
            && SIDE_CAR_MAGIC.starts_with(&bytes[..bytes.len().min(8)])
        {
            let reason = format!(
                "the file ends inside the head of {} bytes",
                SideCarHeader::LEN
            );
            return Err(FormatError::new(bytes.len() as u64, reason));
        }
        match bytes.strip_prefix(&SIDE_CAR_MAGIC) {
            None => BookFormat::of_bytes(bytes).map(SideCarKind::Plain),
            Some(_) => SideCarHeader::read(bytes).map(SideCarKind::Headed),
        }
    }

    /// The fingerprint of the book that it was written for, if there is one.
    pub(super) fn book(&self) -> Option<Fingerprint> {
        match self.kind() {
            Ok(SideCarKind::Headed(head)) => Some(head.book),
            Ok(SideCarKind::Plain(_)) | Err(_) => None,
        }
    }

    /// The header of the book of Edax that its records come from.
    pub(crate) fn header(&self) -> Option<EdaxHeader> {
        match self.kind().ok()? {
            SideCarKind::Plain(BookFormat::Edax) => EdaxHeader::read(&self.map).ok(),
            SideCarKind::Headed(head) if head.holds == SideCarContents::Records => {
                EdaxHeader::read(self.map.get(SideCarHeader::LEN..)?).ok()
            }
            SideCarKind::Plain(_) | SideCarKind::Headed(_) => None,
        }
    }

    /// Calls `each` with all positions; returns the number of damaged records.
    pub(crate) fn for_each(
        &self,
        damage: OnDamage,
        job: &Job,
        each: &mut dyn FnMut(SideCarPosition) -> Result<()>,
    ) -> Result<u64> {
        let stage = "reading the side-car";
        let mut damaged = 0;
        let mut errors = |error: FormatError| match damage {
            OnDamage::Skip => {
                damaged += 1;
                Ok(())
            }
            OnDamage::Stop => {
                let reason = format!(
                    "{}; the book can be read without its side-car",
                    error.reason
                );
                Err(FormatError { reason, ..error }.in_file(&self.map))
            }
        };
        match self.kind() {
            Err(error) => errors(error)?,
            Ok(SideCarKind::Plain(format)) => {
                let reading = BookReadOptions::default();
                for_each_position(
                    &self.map,
                    format,
                    stage,
                    reading,
                    job,
                    &mut errors,
                    &mut |position| {
                        each(SideCarPosition {
                            position,
                            left_out: false,
                            check: None,
                            comes_back: false,
                        })
                    },
                )
                .map(drop)?;
            }
            Ok(SideCarKind::Headed(head)) => {
                let len = self.map.len() as u64;
                job.progress.stage(stage, Some(len), Unit::Bytes);
                let own = match head.holds {
                    SideCarContents::Records => {
                        self.for_each_record(head, job, &mut errors, each)?
                    }
                    SideCarContents::Entries => {
                        self.for_each_entry(head, job, &mut errors, each)?
                    }
                };
                if own.is_some_and(|own| own != head.own) {
                    let reason = "the check sum of its records is not the one that it tells";
                    errors(FormatError::new(40, reason))?;
                }
                job.progress.advance(len);
            }
        }
        Ok(damaged)
    }

    /// Reads records of Edax; returns their fingerprint if all are valid.
    fn for_each_record(
        &self,
        head: SideCarHeader,
        job: &Job,
        errors: &mut dyn FnMut(FormatError) -> Result<()>,
        each: &mut dyn FnMut(SideCarPosition) -> Result<()>,
    ) -> Result<Option<Fingerprint>> {
        let start = SideCarHeader::LEN + EdaxHeader::LEN;
        let mut own = Some(Fingerprint::default());
        for record in EdaxRecords::within(&self.map, start, head.own.count) {
            let record = match record {
                Ok(record) => record,
                Err(error) => {
                    own = None;
                    errors(error)?;
                    continue;
                }
            };
            if let Some(own) = &mut own {
                own.add(record.bytes());
            }
            check(own, job)?;
            each(SideCarPosition {
                position: BookPosition::Edax(record.to_record()),
                left_out: false,
                check: None,
                comes_back: false,
            })?;
        }
        Ok(own)
    }

    /// Reads records of Egaroucid; returns their fingerprint if all are valid.
    fn for_each_entry(
        &self,
        head: SideCarHeader,
        job: &Job,
        errors: &mut dyn FnMut(FormatError) -> Result<()>,
        each: &mut dyn FnMut(SideCarPosition) -> Result<()>,
    ) -> Result<Option<Fingerprint>> {
        let mut own = Some(Fingerprint::default());
        let (mut offset, mut left) = (SideCarHeader::LEN as u64, head.own.count);
        let (records, rest) = self.map[SideCarHeader::LEN..].as_chunks::<ENTRY>();
        for record in records {
            match EgaroucidRecord::read(EgaroucidVersion::Egbk3, &record[..25]) {
                Ok(entry) => {
                    if let Some(own) = &mut own {
                        own.add(record);
                    }
                    check(own, job)?;
                    let [.., left_out, a, b, c, d] = *record;
                    each(SideCarPosition {
                        position: BookPosition::Egaroucid(entry),
                        left_out: left_out != 0,
                        check: Some(u32::from_le_bytes([a, b, c, d])),
                        comes_back: false,
                    })?;
                }
                Err((place, reason)) => {
                    own = None;
                    errors(FormatError::new(offset + place, reason))?;
                }
            }
            offset += ENTRY as u64;
            left = left.saturating_sub(1);
        }
        if left > 0 || !rest.is_empty() {
            own = None;
            let reason = format!(
                "the file ends where {left} more positions of {ENTRY} bytes were expected: {} bytes are left",
                rest.len()
            );
            errors(FormatError::new(offset, reason))?;
        }
        Ok(own)
    }
}

impl SideCarHeader {
    fn read(bytes: &[u8]) -> std::result::Result<Self, FormatError> {
        let error = |at, reason: String| Err(FormatError::new(at, reason));
        let bytes: &[u8; Self::LEN] = bytes
            .first_chunk()
            .ok_or_else(|| FormatError::new(bytes.len() as u64, "the file ends inside its head"))?;
        if bytes[8] != VERSION {
            let reason = format!("version {} of side-cars, {VERSION} was expected", bytes[8]);
            return error(8, reason);
        }
        let holds = match bytes[9] {
            0 => SideCarContents::Records,
            1 => SideCarContents::Entries,
            other => return error(9, format!("contents of kind {other}, 0 or 1 was expected")),
        };
        let mut sums = bytes[16..].chunks_exact(Fingerprint::LEN).map(|sum| {
            let sum = sum.first_chunk().copied().unwrap_or_default();
            Fingerprint::from_bytes(sum)
        });
        Ok(Self {
            holds,
            book: sums.next().unwrap_or_default(),
            own: sums.next().unwrap_or_default(),
        })
    }
}

// Matching of side-cars with their books.

/// The relation of a side-car to a book.
#[derive(Debug)]
pub(crate) enum SideCarMatch {
    /// The book is the one that was written with it.
    Exactly,
    /// The book was changed since: at least a quarter of the positions of the smaller one are unchanged. Of the
    /// positions that the book cannot hold, these come back, as the book still leads to them.
    Changed(HashSet<Board>),
    /// The side-car belongs to another book, or is too damaged to decide; holds the number of
    /// damaged records.
    Not(u64),
}

impl SideCarFile {
    /// Determines whether the side-car belongs to a book. If not, that is noted once.
    pub(crate) fn belongs(
        &self,
        book: &BookFile,
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

    fn pass_over(&self, book: &BookFile, damaged: u64, job: &Job) -> SideCarMatch {
        if damaged == 0 {
            let (side, name) = (self.path().display(), book.path().display());
            let note = format!("{side}: made for another book than {name} is now; skipped");
            job.progress.note(&note);
        }
        SideCarMatch::Not(damaged)
    }

    /// Returns whether the book is the one that was written with it, record for record.
    fn is_of(&self, book: &BookFile, reading: BookReadOptions, job: &Job) -> Result<bool> {
        match self.book() {
            None => Ok(false),
            Some(its) => Ok(its == fingerprint(book, reading, job)?),
        }
    }

    /// The positions that the book cannot hold and that it leads to.
    fn unstorable_children(
        &self,
        book: &BookFile,
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
    book: &BookFile,
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

    fn of(book: &BookFile, reading: BookReadOptions, job: &Job) -> Result<Self> {
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

/// Checks for cancellation now and then.
pub(super) fn check(read: Option<Fingerprint>, job: &Job) -> Result<()> {
    if read.is_none_or(|read| read.count.is_multiple_of(1 << 16)) {
        job.check()?;
    }
    Ok(())
}
