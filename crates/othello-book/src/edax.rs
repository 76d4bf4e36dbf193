//! Edax's `book.dat`: a header of 42 bytes, then records of 42 bytes and 2 for each link to the end of the file.
//!
//! Little endian. The order of records is that of a hash table and has no meaning; of two records of one board, Edax
//! keeps the first.

use othello_core::Board;
use serde::{Deserialize, Serialize};

use crate::bytes::{at, i16_at, i32_at, u32_at, u64_at};
use crate::format::hex;
use crate::{Edge, FormatError};

/// A book in the bytes of its file.
#[derive(Clone, Debug)]
pub struct EdaxBook<'a> {
    /// The header.
    pub header: EdaxHeader,
    bytes: &'a [u8],
}

impl<'a> EdaxBook<'a> {
    /// Parses the header.
    ///
    /// # Errors
    ///
    /// Bytes that are no book of Edax, one of the other byte order, or one of another version.
    pub fn new(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let header = EdaxHeader::read(bytes)?;
        Ok(Self { header, bytes })
    }

    /// The records in the order of the file.
    pub const fn records(&self) -> EdaxRecords<'a> {
        let count = self.header.n_nodes;
        let expected = if count > 0 { count as u64 } else { 0 };
        EdaxRecords::within(self.bytes, EdaxHeader::LEN, expected)
    }
}

/// An iterator over the records of a book. After an error it continues with the next record, unless the file ends
/// inside the record. Fewer records than in the header are an error at the end: the file is truncated. More are valid,
/// as Edax reads all.
#[derive(Clone, Debug)]
pub struct EdaxRecords<'a> {
    bytes: &'a [u8],
    next: usize,
    count: u64,
    /// The count of the header; 0 once its error was returned.
    expected: u64,
}

impl<'a> EdaxRecords<'a> {
    /// The records of a file from an offset on, and their expected number.
    pub(crate) const fn within(bytes: &'a [u8], next: usize, expected: u64) -> Self {
        Self {
            bytes,
            next,
            count: 0,
            expected,
        }
    }
}

impl EdaxRecords<'_> {
    /// The number of records so far, damaged ones included.
    pub(crate) const fn count_read(&self) -> u64 {
        self.count
    }

    /// The offset of the next record.
    pub const fn offset(&self) -> u64 {
        self.next as u64
    }
}

impl<'a> Iterator for EdaxRecords<'a> {
    type Item = Result<EdaxRecordRef<'a>, FormatError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.next..).filter(|r| !r.is_empty());
        let Some(rest) = rest else {
            return self.too_few().map(Err);
        };
        let start = self.next;
        match EdaxRecordRef::framed(rest, start) {
            Ok(record) => {
                self.next += record.len();
                self.count += 1;
                Some(record.checked().map(|()| record))
            }
            Err(error) => {
                self.next = self.bytes.len();
                self.expected = 0;
                Some(Err(error))
            }
        }
    }
}

impl EdaxRecords<'_> {
    /// The error of a file with fewer records than its header counts, returned once.
    #[cold]
    fn too_few(&mut self) -> Option<FormatError> {
        let expected = std::mem::take(&mut self.expected);
        let missing = expected.checked_sub(self.count).filter(|&n| n > 0)?;
        let reason = format!(
            "the file ends where {missing} more records were expected: its head counts {expected}, {} are there",
            self.count
        );
        Some(FormatError::new(self.bytes.len() as u64, reason))
    }
}

/// The first eight bytes.
const MAGIC: [u8; 8] = *b"XADEKOOB";

/// The first eight bytes of a big-endian book.
const BIG_ENDIAN_MAGIC: [u8; 8] = *b"EDAXBOOK";

/// The version of the format.
const VERSION: u8 = 4;

/// The header of an Edax book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdaxHeader {
    /// The release of the program that wrote it, 6 for Edax 4.6. Edax ignores it.
    pub release: u8,
    /// The date of writing.
    pub date: EdaxDate,
    /// Padding behind the date.
    pub pad: u8,
    /// The level of searches.
    pub level: i32,
    /// The least number of empty squares of positions: 61 − depth.
    pub n_empties: i32,
    /// The assumed error of midgame values, in discs.
    pub midgame_error: i32,
    /// The assumed error of selective end-game values, in discs.
    pub endcut_error: i32,
    /// Edax's verbosity for book commands.
    pub verbosity: i32,
    /// The number of records. Edax writes it correctly, but only sizes its table by it.
    pub n_nodes: i32,
}

/// A date and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct EdaxDate {
    pub year: i16,
    pub month: i8,
    pub day: i8,
    pub hour: i8,
    pub minute: i8,
    pub second: i8,
}

impl Default for EdaxHeader {
    /// The header of a new book, dated 2000-01-01, with Edax's default errors.
    fn default() -> Self {
        Self {
            release: 6,
            date: EdaxDate {
                year: 2000,
                month: 1,
                day: 1,
                hour: 0,
                minute: 0,
                second: 0,
            },
            pad: 0,
            level: 21,
            n_empties: 24,
            midgame_error: 2,
            endcut_error: 1,
            verbosity: 0,
            n_nodes: 0,
        }
    }
}

impl EdaxHeader {
    /// The encoded length in bytes.
    pub const LEN: usize = 42;

    /// Parses a header.
    ///
    /// # Errors
    ///
    /// Too few bytes, no header, another byte order or version.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let error = |offset, reason: String| Err(FormatError::new(offset, reason));
        if bytes.starts_with(&BIG_ENDIAN_MAGIC) {
            return error(
                0,
                "an Edax book with its bytes in the other order (big endian); on the machine it comes from, load it \
                 with Edax, let `book export book.txt` write it as text, and read that instead"
                    .to_owned(),
            );
        }
        if !bytes.starts_with(&MAGIC) {
            return error(0, "not an Edax book: 'XADEKOOB' was expected".to_owned());
        }
        if bytes.len() < Self::LEN {
            let found = bytes.len();
            return error(
                found as u64,
                format!("the file ends inside the header of {} bytes", Self::LEN),
            );
        }
        if bytes[8] != VERSION {
            return error(
                8,
                format!("version {} of the format, {VERSION} was expected", bytes[8]),
            );
        }
        let [month, day, hour, minute, second, pad] = at(bytes, 12);
        Ok(Self {
            release: bytes[9],
            date: EdaxDate {
                year: i16::from_le_bytes(at(bytes, 10)),
                month: month as i8,
                day: day as i8,
                hour: hour as i8,
                minute: minute as i8,
                second: second as i8,
            },
            pad,
            level: i32_at(bytes, 18),
            n_empties: i32_at(bytes, 22),
            midgame_error: i32_at(bytes, 26),
            endcut_error: i32_at(bytes, 30),
            verbosity: i32_at(bytes, 34),
            n_nodes: i32_at(bytes, 38),
        })
    }

    /// The bytes of the header.
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8] = VERSION;
        bytes[9] = self.release;
        bytes[10..12].copy_from_slice(&self.date.year.to_le_bytes());
        let date = &self.date;
        let parts = [date.month, date.day, date.hour, date.minute, date.second];
        bytes[12..17].copy_from_slice(&parts.map(|part| part as u8));
        bytes[17] = self.pad;
        let numbers = [
            self.level,
            self.n_empties,
            self.midgame_error,
            self.endcut_error,
            self.verbosity,
            self.n_nodes,
        ];
        for (place, number) in bytes[18..].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }
}

// Records of `book.dat`.

/// The length of the fields before the links; the leaf comes behind them.
const HEAD: usize = 40;

/// A record in the bytes of the file.
#[derive(Clone, Copy, Debug)]
pub struct EdaxRecordRef<'a> {
    /// The bytes of this record only.
    bytes: &'a [u8],
    offset: usize,
}

/// A position of an Edax book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdaxRecord {
    /// The board, in canonical form in a sound book.
    #[serde(flatten, with = "hex")]
    pub board: Board,
    /// The counted games that the player to move won.
    pub wins: u32,
    /// The counted games that were drawn.
    pub draws: u32,
    /// The counted games that the player to move lost.
    pub losses: u32,
    /// The number of lines from here.
    pub lines: u32,
    /// The value in discs for the player to move.
    pub value: i16,
    /// A lower bound of the value.
    pub lower: i16,
    /// An upper bound of the value.
    pub upper: i16,
    /// The level of the search.
    pub level: u8,
    /// Moves to positions of the book.
    pub links: Vec<Edge>,
    /// The best move that leads out of the book; [`Edge::NO_LEAF`] if there is none.
    pub leaf: Edge,
}

impl<'a> EdaxRecordRef<'a> {
    /// The bytes of a record without links.
    pub(crate) const MIN_LEN: usize = 42;

    /// Frames the record at the front of `bytes`, which are at an offset of the file.
    #[inline]
    pub(crate) fn framed(bytes: &'a [u8], offset: usize) -> Result<Self, FormatError> {
        let links = bytes.get(38).copied().map(usize::from);
        let len = links.map_or(Self::MIN_LEN, |links| Self::MIN_LEN + 2 * links);
        match bytes.get(..len) {
            Some(bytes) => Ok(Self { bytes, offset }),
            None => Err(FormatError::new(
                offset as u64,
                format!(
                    "the file ends inside a record: {len} bytes were expected, {} are left",
                    bytes.len()
                ),
            )),
        }
    }

    /// Checks the invariants of a record: disjoint discs, a value in range.
    #[inline]
    pub(crate) fn checked(&self) -> Result<(), FormatError> {
        let (mover, opponent) = self.discs();
        if mover & opponent == 0 && (-127..=127).contains(&self.value()) {
            Ok(())
        } else {
            Err(self.error())
        }
    }

    #[cold]
    fn error(&self) -> FormatError {
        let (mover, opponent) = self.discs();
        match Board::new(mover, opponent) {
            Err(error) => FormatError::new(self.offset as u64, error.to_string()),
            Ok(_) => FormatError::new(
                self.offset as u64 + 32,
                format!("a value of {}, -127 to 127 was expected", self.value()),
            ),
        }
    }

    /// The bytes of the record.
    #[inline]
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The offset in the file.
    #[inline]
    pub const fn offset(&self) -> u64 {
        self.offset as u64
    }

    /// The length in bytes.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "no record is empty")]
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline(always)]
    fn discs(&self) -> (u64, u64) {
        (u64_at(self.bytes, 0), u64_at(self.bytes, 8))
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> Board {
        let (mover, opponent) = self.discs();
        // Records that leave the crate were checked.
        Board::new(mover, opponent & !mover).unwrap_or_default()
    }

    /// The value in discs for the player to move, −127 to 127.
    #[inline]
    pub fn value(&self) -> i16 {
        i16_at(self.bytes, 32)
    }

    /// The level of the search.
    #[inline]
    pub fn level(&self) -> u8 {
        self.bytes[39]
    }

    /// The number of links.
    #[inline]
    pub(crate) fn link_count(&self) -> usize {
        self.bytes[38] as usize
    }

    /// Moves to positions of the book, in the order of the file.
    #[inline]
    pub fn links(&self) -> impl ExactSizeIterator<Item = Edge> + use<'a> {
        let links = &self.bytes[HEAD..self.bytes.len() - 2];
        links.chunks_exact(2).map(edge)
    }

    /// The best move that leads out of the book; number [`Edge::NONE`] if there is none.
    #[inline]
    pub fn leaf(&self) -> Edge {
        edge(&self.bytes[self.bytes.len() - 2..])
    }

    /// The edge at an index: links, then the leaf; `None` beyond.
    #[inline]
    pub fn edge(&self, n: usize) -> Option<Edge> {
        let pair = self.bytes.get(HEAD + 2 * n..HEAD + 2 * n + 2)?;
        Some(edge(pair))
    }

    /// The record as an owned value.
    pub fn to_record(&self) -> EdaxRecord {
        EdaxRecord {
            board: self.board(),
            wins: u32_at(self.bytes, 16),
            draws: u32_at(self.bytes, 20),
            losses: u32_at(self.bytes, 24),
            lines: u32_at(self.bytes, 28),
            value: self.value(),
            lower: i16_at(self.bytes, 34),
            upper: i16_at(self.bytes, 36),
            level: self.level(),
            links: self.links().collect(),
            leaf: self.leaf(),
        }
    }
}

#[inline(always)]
fn edge(pair: &[u8]) -> Edge {
    Edge {
        score: pair[0] as i8,
        number: pair[1],
    }
}

impl EdaxRecord {
    /// Appends the bytes of the record.
    ///
    /// # Panics
    ///
    /// With more than 255 links, for which the format has no room.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let links = u8::try_from(self.links.len()).expect("no board has more than 255 moves");
        out.extend(self.board.mover().to_le_bytes());
        out.extend(self.board.opponent().to_le_bytes());
        for count in [self.wins, self.draws, self.losses, self.lines] {
            out.extend(count.to_le_bytes());
        }
        for value in [self.value, self.lower, self.upper] {
            out.extend(value.to_le_bytes());
        }
        out.extend([links, self.level]);
        for edge in self.links.iter().chain([&self.leaf]) {
            out.extend([edge.score as u8, edge.number]);
        }
    }
}
