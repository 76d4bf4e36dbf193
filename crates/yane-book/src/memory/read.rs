//! Reading books into memory, all threads parsing; the moves of a position, 16 bytes each.

use std::ops::Range;
use std::path::Path;
use std::slice;
use std::sync::Arc;

use shogi_core::{Move16, Position};
use yane_io::{Chunk, OrderedParallelMap};

use super::{Book, KeyIndex, ReadOptions, Slot};
use crate::db::{Records, line_error, map_chunks, open_chunks};
use crate::ybb::Ybb;
use crate::{BookError, BookMove, Job, Result, Unit, sort_moves};

/// Bytes of text parsed at a time by one thread.
const CHUNK: usize = 1 << 20;
/// Positions of a binary book decoded at a time by one thread.
const PIECE: u64 = 1 << 13;

/// Reads the text book at `path`.
pub(super) fn read_db(path: &Path, options: ReadOptions, job: &Job) -> Result<Book> {
    let chunks = open_chunks(path, CHUNK)?;
    let total = chunks.file_len();
    let name = path.display().to_string();
    job.progress.stage(&name, Some(total), Unit::Bytes);
    let owned = path.to_owned();
    let parsed = map_chunks(chunks, job, move |chunk| {
        Ok((chunk.bytes.len() as u64, parse(&owned, chunk, options)?))
    });
    collect(parsed, total, options, job)
}

/// Reads the binary book at `path`.
pub(super) fn read_ybb(path: &Path, options: ReadOptions, job: &Job) -> Result<Book> {
    let book = Arc::new(Ybb::open(path)?);
    let total = book.len();
    let name = path.display().to_string();
    job.progress.stage(&name, Some(total), Unit::Positions);
    let mut next = 0;
    let ranges = move || {
        let range = next..total.min(next + PIECE);
        next = range.end;
        Ok((!range.is_empty()).then_some(range))
    };
    let parsed = OrderedParallelMap::new(job.threads, ranges, move |range: Range<u64>| {
        Ok((range.end - range.start, decode(&book, range, options)?))
    });
    collect(parsed, total, options, job)
}

/// Positions `range` of `book`.
fn decode(book: &Ybb, range: Range<u64>, options: ReadOptions) -> Result<Builder> {
    book.verify_range(range.clone())?;
    let mut builder = Builder::default();
    for at in range {
        let Some(entry) = book.get(at)? else {
            break;
        };
        let position = entry.position().map_err(|error| {
            let reason = format!("index record {at}: {error}");
            BookError::byte(book.path(), entry.offset(), reason)
        })?;
        builder.begin(&position, options);
        for book_move in entry.moves() {
            builder.add(book_move);
        }
    }
    Ok(builder)
}

/// Puts pieces together; each comes with its length, `total` is the length of all.
fn collect(
    pieces: OrderedParallelMap<(u64, Builder), BookError>,
    total: u64,
    options: ReadOptions,
    job: &Job,
) -> Result<Book> {
    let mut builder = Builder::default();
    let mut done = 0;
    for piece in pieces {
        job.check()?;
        let (len, piece) = piece?;
        builder.append(piece);
        if done == 0 {
            builder.reserve(len, total);
        }
        done += len;
        job.progress.advance(len);
    }
    Ok(builder.finish(options))
}

/// The positions of a chunk of the text book at `path`.
fn parse(path: &Path, chunk: &Chunk, options: ReadOptions) -> Result<Builder> {
    let mut builder = Builder::default();
    for record in Records::new(&chunk.bytes, chunk.offset) {
        let position = record
            .position()
            .map_err(|problem| line_error(path, record.offset, problem))?;
        builder.begin(&position, options);
        for (offset, line) in record.moves() {
            builder.add(line.map_err(|problem| line_error(path, offset, problem))?);
        }
    }
    Ok(builder)
}

/// Positions as they come, with their moves.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) entries: Vec<Slot>,
    pub(super) moves: Vec<Stored>,
}

impl Builder {
    /// Begins a position; the moves added next are its own.
    pub(super) fn begin(&mut self, position: &Position, options: ReadOptions) {
        let ply = if options.ignore_ply {
            0
        } else {
            position.ply()
        };
        self.entries.push(Slot {
            key: position.key128(),
            start: self.moves.len() as u64,
            ply,
            len: 0,
        });
    }

    /// Adds a move to the position begun last, if there is one.
    pub(super) fn add(&mut self, new: BookMove) {
        if let Some(entry) = self.entries.last_mut() {
            let start = entry.start as usize;
            add(&mut self.moves, start, new.into());
            entry.len = (self.moves.len() - start) as u32;
        }
    }

    /// Appends what another builder has gathered.
    pub(super) fn append(&mut self, other: Self) {
        let start = self.moves.len() as u64;
        self.moves.extend_from_slice(&other.moves);
        let moved = other.entries.into_iter().map(|entry| Slot {
            start: entry.start + start,
            ..entry
        });
        self.entries.extend(moved);
    }

    /// Makes room when `done` of `total` bytes of input have been read, so that arrays do not grow
    /// by doubling, which would take twice the memory.
    pub(super) fn reserve(&mut self, done: u64, total: u64) {
        let share = total.saturating_sub(done) as f64 / done.max(1) as f64 * 1.05;
        let more = |len: usize| (len as f64 * share) as usize;
        self.entries.reserve(more(self.entries.len()));
        self.moves.reserve(more(self.moves.len()));
    }

    /// Sorts, joins what belongs to the same position in the order in which it came, and indexes.
    pub(super) fn finish(mut self, options: ReadOptions) -> Book {
        self.entries
            .sort_unstable_by_key(|entry| (entry.id(), entry.start));
        self.join_duplicates();
        self.entries.shrink_to_fit();
        self.moves.shrink_to_fit();
        Book {
            index: KeyIndex::new(&self.entries),
            entries: self.entries,
            moves: self.moves,
            options,
        }
    }

    /// Joins neighbours that are the same position. The joined list goes to the end of the moves;
    /// duplicates are too rare for their old places to matter.
    fn join_duplicates(&mut self) {
        let mut kept = 0;
        let mut at = 0;
        while at < self.entries.len() {
            let mut entry = self.entries[at];
            let same = self.entries[at..]
                .iter()
                .take_while(|other| other.id() == entry.id())
                .count();
            if same > 1 {
                let start = self.moves.len();
                for i in at..at + same {
                    for j in self.entries[i].range() {
                        let stored = self.moves[j];
                        add(&mut self.moves, start, stored);
                    }
                }
                entry.start = start as u64;
                entry.len = (self.moves.len() - start) as u32;
            }
            self.entries[kept] = entry;
            kept += 1;
            at += same;
        }
        self.entries.truncate(kept);
    }
}

// Moves of a position, 16 bytes each.

/// A [`BookMove`] in 16 bytes. `none` is the move of bits 0, which names no move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    mv: u16,
    ponder: u16,
    eval: i32,
    depth: i32,
    count: u32,
}

const _: () = assert!(size_of::<Stored>() == 16);

impl From<BookMove> for Stored {
    fn from(full: BookMove) -> Self {
        let bits = |mv: Option<Move16>| mv.map_or(0, |mv| mv.0);
        Self {
            mv: bits(full.mv),
            ponder: bits(full.ponder),
            eval: full.eval,
            depth: full.depth,
            count: full.count.min(u64::from(u32::MAX)) as u32,
        }
    }
}

impl From<Stored> for BookMove {
    fn from(stored: Stored) -> Self {
        let mv = |bits| (bits != 0).then_some(Move16(bits));
        Self {
            mv: mv(stored.mv),
            ponder: mv(stored.ponder),
            eval: stored.eval,
            depth: stored.depth,
            count: u64::from(stored.count),
        }
    }
}

/// As [`crate::add_move`], for the moves of `list` from `start` on.
pub(super) fn add(list: &mut Vec<Stored>, start: usize, new: Stored) {
    match list[start..].iter_mut().find(|known| known.mv == new.mv) {
        Some(known) => {
            let count = known.count.saturating_add(new.count);
            *known = Stored { count, ..new };
        }
        None => list.push(new),
    }
}

/// The moves of a position in the order of the file.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a>(pub(super) &'a [Stored]);

impl<'a> Moves<'a> {
    /// The number of entries.
    pub const fn len(self) -> usize {
        self.0.len()
    }

    /// Returns whether the position has none.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The first line of the position, which speaks for it when books are merged.
    pub fn first(self) -> Option<BookMove> {
        self.0.first().map(|&stored| stored.into())
    }

    /// The line about `mv`.
    pub fn find(self, mv: Move16) -> Option<BookMove> {
        let found = self.0.iter().find(|stored| stored.mv == mv.0)?;
        Some((*found).into())
    }

    /// Iterates over all moves, in the order of the file.
    pub fn iter(self) -> MovesIter<'a> {
        MovesIter(self.0.iter())
    }

    /// Returns all moves, by count, then by value, both falling; equal ones in the order of the
    /// file.
    pub fn sorted(self) -> Vec<BookMove> {
        let mut moves: Vec<_> = self.iter().collect();
        sort_moves(&mut moves);
        moves
    }
}

impl<'a> IntoIterator for Moves<'a> {
    type Item = BookMove;
    type IntoIter = MovesIter<'a>;

    fn into_iter(self) -> MovesIter<'a> {
        self.iter()
    }
}

/// Iterator over [`Moves`].
#[derive(Clone, Debug)]
pub struct MovesIter<'a>(slice::Iter<'a, Stored>);

impl Iterator for MovesIter<'_> {
    type Item = BookMove;

    #[inline]
    fn next(&mut self) -> Option<BookMove> {
        self.0.next().map(|&stored| stored.into())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for MovesIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_but_counts_beyond_32_bits() {
        for mv in [None, Some(Move16(0x1234))] {
            let full = BookMove {
                mv,
                ponder: mv.map(|_| Move16(0x2345)),
                eval: i32::MIN,
                depth: i32::MAX,
                count: u64::from(u32::MAX),
            };
            assert_eq!(BookMove::from(Stored::from(full)), full);
            let more = BookMove {
                count: u64::MAX,
                ..full
            };
            assert_eq!(BookMove::from(Stored::from(more)), full);
        }
    }

    #[test]
    fn a_repeated_move_is_absorbed_within_its_position_only() {
        let stored = |bits, count| {
            Stored::from(BookMove {
                count,
                ..BookMove::new(Some(Move16(bits)))
            })
        };
        let mut list = vec![stored(5, 1)];
        add(&mut list, 1, stored(5, 2));
        add(&mut list, 1, stored(6, 3));
        add(&mut list, 1, stored(5, 4));
        let counts: Vec<_> = Moves(&list).iter().map(|known| known.count).collect();
        assert_eq!(counts, [1, 6, 3]);
        let sorted: Vec<_> = Moves(&list[1..]).sorted();
        assert_eq!(sorted[0].mv, Some(Move16(5)));
        assert_eq!(Moves(&list).find(Move16(6)).unwrap().count, 3);
        assert_eq!(Moves(&list).find(Move16(7)), None);
    }
}
