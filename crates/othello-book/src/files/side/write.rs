//! Side-cars as they are written.

use std::path::{Path, PathBuf};

use yane_io::{Error, Result};

use super::super::sink::Sink;
use super::{ENTRY, Head, Holds, check_number, side_car_of};
use crate::Format;
use crate::convert::HeaderTally;
use crate::edax::{Header, Record};
use crate::egaroucid::{Entry, Version};
use crate::fingerprint::Fingerprint;

/// The side-car of a book that is written. There is a file only if something is put into it.
#[derive(Debug)]
pub(crate) struct SideCar {
    path: PathBuf,
    write: bool,
    old: Option<Header>,
    tally: HeaderTally,
    file: Option<(Sink, Holds)>,
    own: Fingerprint,
    bytes: Vec<u8>,
}

impl SideCar {
    /// That of a book `path` in a format, which is not written if `write` says so.
    pub(crate) fn new(path: &Path, format: Format, write: bool, old: Option<Header>) -> Self {
        Self {
            path: side_car_of(path, format),
            write,
            old,
            tally: HeaderTally::default(),
            file: None,
            own: Fingerprint::default(),
            bytes: Vec::new(),
        }
    }

    /// Another record, in `bytes`, behind the head that there must be.
    fn put(&mut self, holds: Holds) -> Result<()> {
        let (sink, _) = match &mut self.file {
            Some(file) => file,
            none => {
                let mut sink = Sink::create(self.write.then_some(self.path.as_path()))?;
                let head = match holds {
                    Holds::Records => Head::LEN + Header::LEN,
                    Holds::Entries => Head::LEN,
                };
                sink.put(|bytes| bytes.resize(head, 0))?;
                none.insert((sink, holds))
            }
        };
        self.own.add(&self.bytes);
        let record = &self.bytes;
        sink.put(|bytes| bytes.extend(record))
    }

    pub(crate) fn put_record(&mut self, record: &Record) -> Result<()> {
        self.tally.add(record.board, record.level);
        self.bytes.clear();
        record.write_to(&mut self.bytes);
        self.put(Holds::Records)
    }

    /// An entry, and the record that is written for it in the book; `None` if it is left out there.
    pub(crate) fn put_entry(&mut self, entry: &Entry, written: Option<&Record>) -> Result<()> {
        self.bytes.clear();
        entry.write_to(Version::Egbk3, &mut self.bytes);
        self.bytes.push(u8::from(written.is_none()));
        let check = written.map_or(0, check_number);
        self.bytes.extend(check.to_le_bytes());
        debug_assert_eq!(self.bytes.len(), ENTRY);
        self.put(Holds::Entries)
    }

    /// How many positions it has.
    pub(crate) const fn len(&self) -> u64 {
        self.own.count
    }

    /// Makes it the file, for a book with a fingerprint; one that an earlier book of that name had goes if there is none
    /// now.
    pub(crate) fn finish(self, book: Fingerprint) -> Result<()> {
        let Some((sink, holds)) = self.file else {
            if self.write && self.path.exists() {
                return std::fs::remove_file(&self.path).map_err(Error::io(&self.path));
            }
            return Ok(());
        };
        let own = self.own;
        let mut head = Head { holds, book, own }.to_bytes().to_vec();
        if holds == Holds::Records {
            head.extend(self.tally.header(self.old).to_bytes());
        }
        sink.finish(&head)
    }
}
