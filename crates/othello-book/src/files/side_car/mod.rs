//! Side-cars: their names, format, and the fingerprints that match them with their books.
//!
//! A side-car is a file of its own format, so that no program takes it for a book. Little endian, 64 bytes first:
//!
//! | byte | what |
//! |---|---|
//! | 0 | `SIDE-CAR` |
//! | 8 | the version, 2 |
//! | 9 | what it holds: 0 records of Edax, 1 entries of Egaroucid |
//! | 16 | the fingerprint of the book that it belongs to: how many records, and the sum of their hashes |
//! | 40 | likewise of the side-car's own records |
//!
//! Records of Edax are behind it as in a `book.dat`, with its header. Entries of Egaroucid are those of an `.egbk3`, each
//! with a byte that is 1 if the position was left out of the book, and a check number of the record that was written for
//! it.
//!
//! Version 1 was a book as such, without anything that tells whose it is.

mod read;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use yane_io::{Error, Result};

use crate::BookFormat;
use crate::convert::HeaderBuilder;
use crate::edax::{EdaxHeader, EdaxRecord};
use crate::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use crate::files::sink::OutputSink;

pub(crate) use crate::files::position::SideCarPosition;
pub(crate) use read::{SideCarFile, SideCarMatch, fingerprint};

/// The magic number of a side-car.
pub(crate) const SIDE_CAR_MAGIC: [u8; 8] = *b"SIDE-CAR";

/// The version of the format.
const VERSION: u8 = 2;

/// The length of a record of Egaroucid: that of an `.egbk3`, whether it was omitted, the check sum.
const ENTRY: usize = 25 + 1 + 4;

/// The header of a side-car.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SideCarHeader {
    holds: SideCarContents,
    /// The fingerprint of the book that it belongs to.
    book: Fingerprint,
    /// The fingerprint of its own records.
    own: Fingerprint,
}

/// The contents of a side-car.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SideCarContents {
    Records,
    Entries,
}

impl SideCarHeader {
    const LEN: usize = 64;

    fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&SIDE_CAR_MAGIC);
        bytes[8] = VERSION;
        bytes[9] = self.holds as u8;
        bytes[16..40].copy_from_slice(&self.book.to_bytes());
        bytes[40..64].copy_from_slice(&self.own.to_bytes());
        bytes
    }
}

/// The path of the side-car of a book: its name and `.side.dat` or `.side.egbk3`, by the other program's format.
pub fn side_car_of(book: &Path, format: BookFormat) -> PathBuf {
    let mut name = book.file_name().map_or_else(OsString::new, OsString::from);
    name.push(match format {
        BookFormat::Edax | BookFormat::EdaxText => ".side.egbk3",
        BookFormat::Egaroucid(_) => ".side.dat",
    });
    book.with_file_name(name)
}

/// The book of a side-car, by its name: `book.egbk3` for `book.egbk3.side.dat`. `None` for other names.
pub fn book_of_side_car(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let lower = name.to_ascii_lowercase();
    let book = [".side.dat", ".side.egbk3"].iter().find_map(|end| {
        let len = lower.strip_suffix(end)?.len();
        Some(path.with_file_name(&name[..len]))
    })?;
    let extension = book.extension()?.to_str()?;
    let side = side_car_of(&book, BookFormat::of_extension(extension)?);
    let is_its = side.file_name()?.to_str()?.eq_ignore_ascii_case(name);
    is_its.then_some(book)
}

/// The check sum of the record that was written for a position: all of it but the links, which follow from the book.
pub(crate) fn check_number(record: &EdaxRecord) -> u32 {
    let mut sum = Fingerprint::default();
    let mut bytes = Vec::with_capacity(42);
    let bare = EdaxRecord {
        links: Vec::new(),
        ..*record
    };
    bare.write_to(&mut bytes);
    sum.add(&bytes);
    sum.sum as u32
}

/// A writer of the side-car of a book. Without positions there is no file.
#[derive(Debug)]
pub(crate) struct SideCarWriter {
    path: PathBuf,
    write: bool,
    old: Option<EdaxHeader>,
    header: HeaderBuilder,
    file: Option<(OutputSink, SideCarContents)>,
    own: Fingerprint,
    bytes: Vec<u8>,
}

impl SideCarWriter {
    /// Creates the side-car of a book; `write` is false in a dry run.
    pub(crate) fn new(
        path: &Path,
        format: BookFormat,
        write: bool,
        old: Option<EdaxHeader>,
    ) -> Self {
        Self {
            path: side_car_of(path, format),
            write,
            old,
            header: HeaderBuilder::default(),
            file: None,
            own: Fingerprint::default(),
            bytes: Vec::new(),
        }
    }

    /// Writes the record in `bytes`, after the header.
    fn put(&mut self, holds: SideCarContents) -> Result<()> {
        let (sink, _) = match &mut self.file {
            Some(file) => file,
            none => {
                let mut sink = OutputSink::create(self.write.then_some(self.path.as_path()))?;
                let head = match holds {
                    SideCarContents::Records => SideCarHeader::LEN + EdaxHeader::LEN,
                    SideCarContents::Entries => SideCarHeader::LEN,
                };
                sink.put(|bytes| bytes.resize(head, 0))?;
                none.insert((sink, holds))
            }
        };
        self.own.add(&self.bytes);
        let record = &self.bytes;
        sink.put(|bytes| bytes.extend(record))
    }

    pub(crate) fn put_record(&mut self, record: &EdaxRecord) -> Result<()> {
        self.header.add(record.board, record.level);
        self.bytes.clear();
        record.write_to(&mut self.bytes);
        self.put(SideCarContents::Records)
    }

    /// Writes a position of Egaroucid, and the check sum of the record that is written for it; `None` if it is omitted.
    pub(crate) fn put_entry(
        &mut self,
        entry: &EgaroucidRecord,
        written: Option<&EdaxRecord>,
    ) -> Result<()> {
        self.bytes.clear();
        entry.write_to(EgaroucidVersion::Egbk3, &mut self.bytes);
        self.bytes.push(u8::from(written.is_none()));
        let check = written.map_or(0, check_number);
        self.bytes.extend(check.to_le_bytes());
        debug_assert_eq!(self.bytes.len(), ENTRY);
        self.put(SideCarContents::Entries)
    }

    /// The number of positions.
    pub(crate) const fn len(&self) -> u64 {
        self.own.count
    }

    /// Commits the file for a book with a fingerprint; deletes that of an earlier book of this name if there is none
    /// now.
    pub(crate) fn finish(self, book: Fingerprint) -> Result<()> {
        let Some((sink, holds)) = self.file else {
            if self.write && self.path.exists() {
                return std::fs::remove_file(&self.path).map_err(Error::io(&self.path));
            }
            return Ok(());
        };
        let own = self.own;
        let mut head = SideCarHeader { holds, book, own }.to_bytes().to_vec();
        if holds == SideCarContents::Records {
            head.extend(self.header.build(self.old).to_bytes());
        }
        sink.finish(&head)
    }
}

// Fingerprints of books: order-independent hashes of their records.

/// The sum of the hashes of a book's records, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) count: u64,
    pub(crate) sum: u128,
}

impl Fingerprint {
    /// The encoded length in bytes.
    pub(crate) const LEN: usize = 24;

    /// Adds the bytes of a record.
    pub(crate) fn add(&mut self, record: &[u8]) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash(record));
    }

    /// Adds a record of Edax, whatever the order of its links.
    pub(crate) fn add_record(&mut self, record: &EdaxRecord, bytes: &mut Vec<u8>) {
        let is_sorted = record.links.is_sorted_by_key(|link| link.number);
        bytes.clear();
        if is_sorted {
            record.write_to(bytes);
        } else {
            let mut sorted = record.clone();
            sorted.links.sort_by_key(|link| (link.number, link.score));
            sorted.write_to(bytes);
        }
        self.add(bytes);
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&self.count.to_le_bytes());
        bytes[8..].copy_from_slice(&self.sum.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        let (count, sum) = bytes.split_at(8);
        Self {
            count: u64::from_le_bytes(count.try_into().unwrap_or_default()),
            sum: u128::from_le_bytes(sum.try_into().unwrap_or_default()),
        }
    }
}

/// A 128-bit hash, not resistant to attacks.
pub(crate) fn hash(bytes: &[u8]) -> u128 {
    let seed = bytes.len() as u64;
    let (mut low, mut high) = (seed ^ 0x9e37_79b9_7f4a_7c15, !seed);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        low = fold(low ^ word, 0xa076_1d64_78bd_642f) ^ low.rotate_left(23);
        high = fold(high ^ word, 0xe703_7ed1_a0b4_28db) ^ high.rotate_left(41);
    }
    let low = fold(low ^ high.rotate_left(32), 0x8ebc_6af0_9c88_c6e3);
    let high = fold(high ^ low, 0x5899_65cc_7537_4cc3);
    u128::from(high) << 64 | u128::from(low)
}

/// The two halves of a product, combined by "xor".
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    (product ^ product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use othello_core::Board;

    use super::*;
    use crate::Edge;
    use crate::egaroucid::EgaroucidVersion;

    #[test]
    fn names_of_side_cars_differ_from_those_of_books() {
        for (book, format) in [
            ("a/b.dat", BookFormat::Edax),
            ("b.egbk3", BookFormat::Egaroucid(EgaroucidVersion::Egbk3)),
            ("B.EGBK", BookFormat::Egaroucid(EgaroucidVersion::Egbk)),
            ("x.side.dat", BookFormat::Edax),
        ] {
            let book = Path::new(book);
            assert_eq!(
                book_of_side_car(&side_car_of(book, format)).as_deref(),
                Some(book)
            );
            assert_eq!(book_of_side_car(book), None);
        }
        for name in [
            "side.dat",
            "x.side.egbk3",
            "b.dat.side.dat",
            "b.txt.side.egbk2",
        ] {
            assert_eq!(book_of_side_car(Path::new(name)), None, "{name}");
        }
    }

    #[test]
    fn any_bit_makes_another_hash() {
        let bytes = [7u8; 45];
        let mut seen = vec![hash(&bytes), hash(&bytes[..44]), hash(&[]), hash(&[0])];
        for bit in 0..8 * bytes.len() {
            let mut other = bytes;
            other[bit / 8] ^= 1 << (bit % 8);
            let sum = hash(&other);
            let differ = (sum ^ hash(&bytes)).count_ones();
            assert!((30..=98).contains(&differ), "bit {bit}: {differ}");
            seen.push(sum);
        }
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
    }

    #[test]
    fn the_order_of_records_and_links_does_not_count() {
        let edge = |score, number| Edge { score, number };
        let record = |links: &[Edge]| EdaxRecord {
            board: Board::START,
            wins: 0,
            draws: 0,
            losses: 0,
            lines: 1,
            value: 2,
            lower: 0,
            upper: 4,
            level: 10,
            links: links.to_vec(),
            leaf: Edge::NO_LEAF,
        };
        let of = |records: &[EdaxRecord]| {
            let mut sum = Fingerprint::default();
            for record in records {
                sum.add_record(record, &mut Vec::new());
            }
            sum
        };
        let (a, b) = (edge(2, 19), edge(1, 26));
        let (one, other, third) = (record(&[a, b]), record(&[b, a]), record(&[a]));
        let sum = of(&[one.clone(), third.clone()]);
        assert_eq!(sum, of(&[third.clone(), other]));
        assert_ne!(sum, of(&[one.clone(), one]));
        assert_ne!(sum, of(&[third]));
        assert_eq!(Fingerprint::from_bytes(sum.to_bytes()), sum);
    }
}
