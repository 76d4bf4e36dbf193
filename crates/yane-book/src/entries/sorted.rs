//! The positions of a book in the order of their keys, whatever the order of the book is.

use yane_io::external::{KWayMerge, RecordBytes, RunBuilder, RunReader, SortedSource, Sorter};
use yane_io::{OrderedParallelMap, Pool, TempFolder};

use super::{BookChunk, BookFile, Entry, packed_entry};
use crate::db::SkippedLine;
use crate::{BookError, BookMove, Job, Result};

/// A position as it comes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SortedEntry {
    /// Its key.
    pub(crate) key: Vec<u8>,
    /// Its ply.
    pub(crate) ply: u32,
    /// Its moves.
    pub(crate) moves: Vec<BookMove>,
}

/// The entries of a book by their keys; equal keys in the order of the book.
pub(crate) struct Sorted {
    records: KWayMerge<SortedEntries>,
    /// Lines that were left out. Of a sorted book they are known before it is read.
    pub(crate) skipped: Vec<SkippedLine>,
}

enum SortedEntries {
    EntryStream(EntryStream),
    Run(RunReader),
}

/// A book that is sorted, read ahead by other threads.
struct EntryStream {
    runs: OrderedParallelMap<Vec<u8>, BookError>,
    current: RecordBytes,
}

/// The part of the SFEN that is the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SfenKey {
    /// With its ply.
    WithPly,
    /// Without: entries that differ in nothing else have equal keys.
    WithoutPly,
}

impl SfenKey {
    fn push(self, entry: &Entry<'_>, key: &mut Vec<u8>) {
        let text = match self {
            Self::WithPly => entry.sfen,
            Self::WithoutPly => entry.position(),
        };
        key.extend_from_slice(text.as_bytes());
    }
}

impl Sorted {
    /// By SFEN. A book that is sorted already (it is read once to find out) is streamed, any other
    /// is sorted in `folder`. `of` is how many books are read at once within the memory.
    pub(crate) fn by_sfen(
        book: &BookFile,
        key: SfenKey,
        folder: &TempFolder,
        of: usize,
        job: &Job,
    ) -> Result<Self> {
        let write = move |entry: &Entry<'_>, out: &mut Vec<u8>| key.push(entry, out);
        let (order, skipped) = order_of(book, job)?;
        if order.falls > 0 {
            return Self::by(book, write, folder, of, job);
        }
        let stream = EntryStream::start(book, write, job)?;
        Ok(Self {
            records: KWayMerge::new(vec![SortedEntries::EntryStream(stream)]),
            skipped,
        })
    }

    /// By the keys that `key` writes; sorted in `folder`.
    pub(crate) fn by(
        book: &BookFile,
        key: impl Fn(&Entry<'_>, &mut Vec<u8>) + Send + Sync + 'static,
        folder: &TempFolder,
        of: usize,
        job: &Job,
    ) -> Result<Self> {
        let mut sorter = Sorter::new(job, folder);
        let visit = move |run: &mut Run, entry: &Entry<'_>| {
            run.add(&key, entry);
            Ok(())
        };
        let skipped = book.entries("sort", job, visit, |run| {
            // A pool of its own: a buffer that went to the disk is not kept.
            Ok(sorter.add_run(run.builder.into_run(), &Pool::default())?)
        })?;
        let readers = sorter.into_readers(of)?;
        let sources = readers.into_iter().map(SortedEntries::Run).collect();
        Ok(Self {
            records: KWayMerge::new(sources),
            skipped,
        })
    }

    /// Puts the next entry into `entry`; false at the end.
    pub(crate) fn next(&mut self, entry: &mut SortedEntry) -> Result<bool> {
        let Some((_, key, body)) = self.records.current() else {
            return Ok(false);
        };
        entry.key.clear();
        entry.key.extend_from_slice(key);
        entry.moves.clear();
        entry.ply = packed_entry::read(body, &mut entry.moves);
        self.records.advance()?;
        Ok(true)
    }
}

/// The order of the SFENs, and the lines that were left out.
fn order_of(book: &BookFile, job: &Job) -> Result<(Order, Vec<SkippedLine>)> {
    let mut order = Order::default();
    let visit = |order: &mut Order, entry: &Entry<'_>| {
        order.add(entry.sfen.as_bytes());
        Ok(())
    };
    let skipped = book.entries("check the order", job, visit, |piece| {
        order.append(piece);
        Ok(())
    })?;
    Ok((order, skipped))
}

/// Entries of a piece.
#[derive(Default)]
struct Run {
    builder: RunBuilder,
    key: Vec<u8>,
}

impl Run {
    fn add(&mut self, key: impl Fn(&Entry<'_>, &mut Vec<u8>), entry: &Entry<'_>) {
        self.key.clear();
        key(entry, &mut self.key);
        self.builder.push_with(&self.key, |body| {
            packed_entry::push(body, entry.ply, entry.moves);
        });
    }
}

impl EntryStream {
    fn start(
        book: &BookFile,
        key: impl Fn(&Entry<'_>, &mut Vec<u8>) + Send + Sync + 'static,
        job: &Job,
    ) -> Result<Self> {
        let collect = book.visitor(move |run: &mut Run, entry: &Entry<'_>| {
            run.add(&key, entry);
            Ok(())
        });
        let work = move |piece: &BookChunk<'_>| Ok(collect(piece)?.0.builder.into_unsorted_run());
        let mut stream = Self {
            runs: book.stream("compare", job, work)?,
            current: RecordBytes::default(),
        };
        stream.ensure()?;
        Ok(stream)
    }

    /// Goes on with the next piece that has entries.
    #[cold]
    fn ensure(&mut self) -> Result<()> {
        while self.current.is_at_end() {
            match self.runs.next() {
                Some(run) => self.current = RecordBytes::new(run?),
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

impl SortedSource for SortedEntries {
    type Error = BookError;

    fn current(&self) -> Option<(&[u8], &[u8])> {
        match self {
            Self::EntryStream(stream) => stream.current.record(),
            Self::Run(run) => run.current(),
        }
    }

    fn advance(&mut self) -> Result<()> {
        match self {
            Self::EntryStream(stream) => {
                stream.current.advance();
                if stream.current.is_at_end() {
                    stream.ensure()?;
                }
                Ok(())
            }
            Self::Run(run) => Ok(run.advance()?),
        }
    }
}

/// The order of a stretch of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    ends: Option<(Vec<u8>, Vec<u8>)>,
    /// Keys that are smaller than the one before.
    pub(crate) falls: u64,
    /// Keys that are equal to the one before.
    pub(crate) repeats: u64,
}

impl Order {
    /// Adds the next key.
    pub(crate) fn add(&mut self, key: &[u8]) {
        let Some((_, last)) = &mut self.ends else {
            self.ends = Some((key.to_vec(), key.to_vec()));
            return;
        };
        match key.cmp(last.as_slice()) {
            std::cmp::Ordering::Less => self.falls += 1,
            std::cmp::Ordering::Equal => self.repeats += 1,
            std::cmp::Ordering::Greater => {}
        }
        last.clear();
        last.extend_from_slice(key);
    }

    /// Adds the stretch that follows.
    pub(crate) fn append(&mut self, next: Self) {
        let Some((first, last)) = next.ends else {
            return;
        };
        self.add(&first);
        self.falls += next.falls;
        self.repeats += next.repeats;
        if let Some((_, end)) = &mut self.ends {
            *end = last;
        }
    }

    /// Returns whether every key is greater than the one before.
    pub(crate) const fn is_strict(&self) -> bool {
        self.falls == 0 && self.repeats == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_tell_what_the_whole_tells() {
        let keys = [b"b", b"a", b"c", b"c", b"d", b"b"];
        for cut in 0..=keys.len() {
            let mut order = Order::default();
            for part in [&keys[..cut], &keys[cut..]] {
                let mut piece = Order::default();
                for key in part {
                    piece.add(*key);
                }
                order.append(piece);
            }
            assert_eq!((order.falls, order.repeats), (2, 1), "cut at {cut}");
            assert!(!order.is_strict());
        }
        let mut order = Order::default();
        order.add(b"a");
        order.add(b"b");
        assert!(order.is_strict());
    }
}
