//! Books that are not in memory: positions are found in slices of the file. It is read once, when it is opened.

use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use othello_core::Board;
use yane_io::sniff::Head;
use yane_io::{Error, InputFile, Job, Result, SlicedFile, Unit};

use crate::bytes::i32_at;
use crate::edax::{EdaxHeader, EdaxRecordRef};
use crate::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use crate::store::{PositionData, PositionLookup, hash};
use crate::{BookFormat, FormatError};

/// Bytes that are read at a time when a book is opened.
const PIECE: usize = 1 << 20;

/// Bytes of a record of Edax at most, with 255 links.
const LONGEST: u64 = EdaxRecordRef::MIN_LEN as u64 + 2 * 255;

/// Bits of a place in a book of Edax: 16 GiB. Above them are bits of the board's hash.
const PLACE_BITS: u32 = 34;

/// A book in slices.
#[derive(Debug)]
pub(super) struct SlicedBook {
    path: PathBuf,
    file: SlicedFile,
    format: SlicedFormat,
    order: RecordOrder,
    /// The level of records of an `.egbk`.
    egbk_level: i8,
    /// The first error of a look-up, which has none to return.
    trouble: Mutex<Option<Error>>,
}

/// A format whose records are found by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlicedFormat {
    Edax,
    Egbk,
    Egbk3,
}

/// How records are found.
#[derive(Debug)]
enum RecordOrder {
    /// Records of one length, sorted by boards.
    Sorted { count: u32 },
    /// Hashes of boards with the places of their records, sorted.
    Hashed(Vec<u64>),
}

/// Returns whether a file, by its name and its beginning, is a book of which slices are looked up where it is [given so](yane_io::MemoryFiles::put_sliced).
pub fn is_for_slices(path: &Path, head: &[u8]) -> bool {
    matches!(SlicedFormat::of(path, head), Ok(Some(_)))
}

impl SlicedFormat {
    /// The format of a file by its name and its beginning; `None` of books of other formats.
    fn of(path: &Path, head: &[u8]) -> std::result::Result<Option<Self>, FormatError> {
        match BookFormat::of_bytes(head) {
            Ok(BookFormat::Edax) => Ok(Some(Self::Edax)),
            Ok(BookFormat::Egaroucid(EgaroucidVersion::Egbk3)) => Ok(Some(Self::Egbk3)),
            Ok(BookFormat::Egaroucid(EgaroucidVersion::Egbk)) => Ok(Some(Self::Egbk)),
            Ok(_) => Ok(None),
            // Its length tells, not its first bytes.
            Err(_) if BookFormat::of_name(path) == Some(BookFormat::EGBK) => Ok(Some(Self::Egbk)),
            Err(error) => Err(error),
        }
    }

    /// Where the first record begins.
    const fn start(self) -> u64 {
        match self {
            Self::Edax => EdaxHeader::LEN as u64,
            Self::Egbk => 4,
            Self::Egbk3 => 14,
        }
    }

    const fn version(self) -> Option<EgaroucidVersion> {
        match self {
            Self::Edax => None,
            Self::Egbk => Some(EgaroucidVersion::Egbk),
            Self::Egbk3 => Some(EgaroucidVersion::Egbk3),
        }
    }

    /// Bytes of a record; of Edax's without links.
    fn record_len(self) -> u64 {
        let len = self
            .version()
            .map(|version| EgaroucidRecord::len(version, &[]));
        len.unwrap_or(EdaxRecordRef::MIN_LEN) as u64
    }
}

impl SlicedBook {
    /// Opens a book of Edax, an `.egbk3` or an `.egbk` with canonical boards. Reads it once or twice, and keeps 8 bytes a position unless it is sorted.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, is damaged, or is no such book; [`Error::Cancelled`].
    pub(super) fn open(path: &Path, file: SlicedFile, egbk_level: i8, job: &Job) -> Result<Self> {
        let head = Head::read(path)?;
        let len = file.file_len();
        let in_file = |error: FormatError| Error::byte(path, error.offset, error.reason);
        let format = SlicedFormat::of(path, head.bytes()).map_err(in_file)?;
        let format = format.ok_or_else(|| whole(path, "a book of this format"))?;
        let expected = match format {
            SlicedFormat::Edax => {
                let header = EdaxHeader::read(head.bytes()).map_err(in_file)?;
                u64::try_from(header.n_nodes).unwrap_or(0)
            }
            SlicedFormat::Egbk | SlicedFormat::Egbk3 => {
                let place = format.start() - 4;
                let count = i32_at(head.bytes(), place as usize);
                let expected = u64::try_from(count).ok();
                let record = format.record_len();
                if expected.map(|count| format.start() + count * record) != Some(len) {
                    let reason = format!(
                        "a count of records of {record} bytes that fill the {len} bytes of the file was expected, found {count}"
                    );
                    return Err(Error::byte(path, place, reason));
                }
                expected.unwrap_or(0)
            }
        };
        let order = match format {
            SlicedFormat::Egbk | SlicedFormat::Egbk3 if is_sorted(path, format, job)? => {
                RecordOrder::Sorted {
                    count: expected as u32,
                }
            }
            _ => RecordOrder::Hashed(hashed(path, format, len, expected, job)?),
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            format,
            order,
            egbk_level,
            trouble: Mutex::default(),
        })
    }

    /// The format.
    pub(super) const fn format(&self) -> BookFormat {
        match self.format.version() {
            Some(version) => BookFormat::Egaroucid(version),
            None => BookFormat::Edax,
        }
    }

    /// Takes the first error of the look-ups since the last call.
    pub(super) fn take_trouble(&self) -> Option<Error> {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.take()
    }

    /// Where a record begins.
    fn place(&self, number: u32) -> Option<u64> {
        match &self.order {
            RecordOrder::Sorted { count } => {
                let place = self.format.start() + u64::from(number) * self.format.record_len();
                (number < *count).then_some(place)
            }
            RecordOrder::Hashed(places) => {
                let place = places.get(number as usize)?;
                Some(place & ((1 << PLACE_BITS) - 1))
            }
        }
    }

    /// The board and the data of a record.
    fn record(&self, number: u32) -> Option<(Board, PositionData)> {
        let start = self.place(number)?;
        let len = match self.format {
            SlicedFormat::Edax => LONGEST,
            SlicedFormat::Egbk | SlicedFormat::Egbk3 => self.format.record_len(),
        };
        let end = (start + len).min(self.file.file_len());
        let bytes = match self.file.bytes(start..end) {
            Ok(bytes) => bytes,
            Err(error) => {
                let error = Error::io(&self.path)(error);
                let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
                trouble.get_or_insert(error);
                return None;
            }
        };
        let Some(version) = self.format.version() else {
            let record = EdaxRecordRef::framed(&bytes, 0).ok()?.to_record();
            return Some((record.board, PositionData::from(&record)));
        };
        let mut record = EgaroucidRecord::read(version, &bytes).ok()?;
        if version == EgaroucidVersion::Egbk {
            record.level = self.egbk_level;
        }
        Some((record.board, PositionData::from(&record)))
    }

    fn board(&self, number: u32) -> Option<Board> {
        self.record(number).map(|(board, _)| board)
    }
}

impl PositionLookup for SlicedBook {
    fn find(&self, board: Board) -> Option<u32> {
        let board = board.canonical().board;
        match &self.order {
            RecordOrder::Sorted { count } => {
                let (mut low, mut high) = (0, *count);
                while low < high {
                    let middle = low + (high - low) / 2;
                    match self.board(middle)?.cmp(&board) {
                        std::cmp::Ordering::Less => low = middle + 1,
                        std::cmp::Ordering::Equal => return Some(middle),
                        std::cmp::Ordering::Greater => high = middle,
                    }
                }
                None
            }
            RecordOrder::Hashed(places) => {
                let wanted = hash_bits(board);
                let first = places.partition_point(|place| place >> PLACE_BITS < wanted);
                let same = places[first..]
                    .iter()
                    .take_while(|&place| place >> PLACE_BITS == wanted);
                (first..first + same.count())
                    .map(|number| number as u32)
                    .find(|&number| self.board(number) == Some(board))
            }
        }
    }

    fn bound(&self) -> u32 {
        match &self.order {
            RecordOrder::Sorted { count } => *count,
            RecordOrder::Hashed(places) => places.len() as u32,
        }
    }

    fn known(&self, number: u32) -> PositionData {
        self.record(number)
            .map_or_else(PositionData::default, |(_, known)| known)
    }
}

/// The hash of a board as it stands above the place of its record.
fn hash_bits(board: Board) -> u64 {
    hash(board) >> PLACE_BITS
}

fn whole(path: &Path, what: &str) -> Error {
    let reason = format!("{what} is read as a whole, and this one is too large for that here");
    Error::file(path, reason)
}

/// Returns whether the records of a book are in the order of their boards.
fn is_sorted(path: &Path, format: SlicedFormat, job: &Job) -> Result<bool> {
    let mut before = None;
    for_each(path, format, job, |board, _| {
        let is_next = before < Some(board);
        before = Some(board);
        Ok(is_next)
    })
}

/// The hashes of the boards of a book, with the places of their records, sorted.
fn hashed(
    path: &Path,
    format: SlicedFormat,
    len: u64,
    expected: u64,
    job: &Job,
) -> Result<Vec<u64>> {
    if len > 1 << PLACE_BITS {
        return Err(whole(path, "a book of more than 16 GiB that is not sorted"));
    }
    let no_room = |_| Error::file(path, "there is no memory for the places of its positions");
    let mut places = Vec::new();
    let most = expected.min(len / format.record_len());
    places
        .try_reserve_exact(usize::try_from(most).unwrap_or(usize::MAX))
        .map_err(no_room)?;
    for_each(path, format, job, |board, at| {
        places.try_reserve(1).map_err(no_room)?;
        places.push(hash_bits(board) << PLACE_BITS | at);
        Ok(true)
    })?;
    let missing = expected.saturating_sub(places.len() as u64);
    if missing > 0 {
        let reason = format!("the file ends where {missing} more records were expected");
        return Err(Error::byte(path, len, reason));
    }
    places.sort_unstable();
    Ok(places)
}

/// Shows the boards of all records with their places, in the order of the file, until `each` returns false. Returns whether all were shown.
///
/// # Errors
///
/// A record that is damaged or has a board that is not canonical; those of `each`.
fn for_each(
    path: &Path,
    format: SlicedFormat,
    job: &Job,
    mut each: impl FnMut(Board, u64) -> Result<bool>,
) -> Result<bool> {
    let mut at = format.start();
    let mut file = BufReader::with_capacity(PIECE, InputFile::open(path)?);
    let len = file.get_ref().state().len;
    job.progress.stage("reading", Some(len), Unit::Bytes);
    file.seek(SeekFrom::Start(at)).map_err(Error::io(path))?;
    let (mut record, mut reported) = (Vec::new(), 0);
    let least = format.record_len() as usize;
    while at < len {
        record.resize(least, 0);
        file.read_exact(&mut record).map_err(Error::io(path))?;
        let in_file =
            |offset: u64, reason: String| Error::byte(path, at.saturating_add(offset), reason);
        let board = if let Some(version) = format.version() {
            EgaroucidRecord::read(version, &record)
                .map(|read| read.board)
                .map_err(|(offset, reason)| in_file(offset, reason))?
        } else {
            record.resize(least + 2 * usize::from(record[38]), 0);
            file.read_exact(&mut record[least..])
                .map_err(Error::io(path))?;
            let read = EdaxRecordRef::framed(&record, 0);
            read.and_then(|read| read.checked().map(|()| read.board()))
                .map_err(|error| in_file(error.offset, error.reason))?
        };
        if !board.is_canonical() {
            return Err(whole(path, "a book with boards that are not canonical"));
        }
        if !each(board, at)? {
            return Ok(false);
        }
        at += record.len() as u64;
        if at - reported >= PIECE as u64 {
            job.progress.advance(at - reported);
            reported = at;
            job.check()?;
        }
    }
    Ok(true)
}
