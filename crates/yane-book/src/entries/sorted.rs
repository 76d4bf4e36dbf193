//! The positions of a book in the order of their keys, whatever the order of the book is. In between they are the bytes of
//! records, for sorting outside of memory.

use shogi_core::Move16;
use yane_io::external::{KWayMerge, RecordBytes, RunBuilder, RunReader, SortedSource, Sorter};
use yane_io::{OrderedParallelMap, Pool, TempFolder};

use super::{BookChunk, BookFile, Entry};
use crate::db::{Comments, SkippedLine};
use crate::{BookError, BookMove, Job, Result};

/// A position as it comes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SortedEntry {
    /// Key of the entry.
    pub(crate) key: Vec<u8>,
    /// Ply of the entry.
    pub(crate) ply: u32,
    /// Moves of the entry.
    pub(crate) moves: Vec<BookMove>,
    /// Comments of the entry.
    pub(crate) comments: Comments,
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

    /// Reads the next entry into `entry`; false at the end.
    pub(crate) fn next(&mut self, entry: &mut SortedEntry) -> Result<bool> {
        let Some((_, key, body)) = self.records.current() else {
            return Ok(false);
        };
        entry.key.clear();
        entry.key.extend_from_slice(key);
        entry.moves.clear();
        let (len, body) = body.split_first_chunk().unwrap_or((&[0; 4], &[]));
        let (moves, comments) = body.split_at(u32::from_le_bytes(*len) as usize);
        entry.ply = unpack_entry(moves, &mut entry.moves);
        entry.comments.set_bytes(comments);
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

/// Bytes of the length of ply and moves, which stands before them; comments follow.
const LEN: usize = 4;

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
            let start = body.len();
            body.extend_from_slice(&[0; LEN]);
            pack_entry(body, entry.ply, entry.moves);
            let len = (body.len() - start - LEN) as u32;
            body[start..start + LEN].copy_from_slice(&len.to_le_bytes());
            body.extend_from_slice(entry.comments.as_bytes());
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

    /// Continues with the next piece that has entries.
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

// A position with its moves as the bytes of a record, for sorting outside of memory.

/// Bytes of a move.
const MOVE: usize = 20;

/// Appends ply and moves.
pub(crate) fn pack_entry(out: &mut Vec<u8>, ply: u32, moves: &[BookMove]) {
    out.extend_from_slice(&ply.to_le_bytes());
    for known in moves {
        let code = |mv: Option<Move16>| mv.map_or(0, |mv| mv.0).to_le_bytes();
        out.extend_from_slice(&code(known.mv));
        out.extend_from_slice(&code(known.ponder));
        out.extend_from_slice(&known.eval.to_le_bytes());
        out.extend_from_slice(&known.depth.to_le_bytes());
        out.extend_from_slice(&known.count.to_le_bytes());
    }
}

/// The ply; the moves are appended to `moves`.
///
/// # Panics
/// When the bytes are not from [`push`].
pub(crate) fn unpack_entry(bytes: &[u8], moves: &mut Vec<BookMove>) -> u32 {
    let (ply, rest) = bytes.split_at(4);
    moves.extend(rest.chunks_exact(MOVE).map(|bytes| {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| i32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let mv = |code: u16| (code != 0).then_some(Move16(code));
        BookMove {
            mv: mv(half(0)),
            ponder: mv(half(2)),
            eval: word(4),
            depth: word(8),
            count: u64::from_le_bytes(std::array::from_fn(|i| bytes[12 + i])),
        }
    }));
    u32::from_le_bytes(std::array::from_fn(|i| ply[i]))
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

    #[test]
    fn nothing_is_lost() {
        let moves = [
            BookMove {
                mv: Some(Move16(0x1234)),
                ponder: Some(Move16(0x2345)),
                eval: i32::MIN,
                depth: i32::MAX,
                count: u64::MAX,
            },
            BookMove::new(None),
        ];
        let mut bytes = Vec::new();
        pack_entry(&mut bytes, 77, &moves);
        let mut read_back = Vec::new();
        assert_eq!(unpack_entry(&bytes, &mut read_back), 77);
        assert_eq!(read_back, moves);
    }
}
