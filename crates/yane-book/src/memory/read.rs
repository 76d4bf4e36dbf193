//! Reading books into memory, all threads parsing; the moves of a position, 16 bytes each.

use crate::Format;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use shogi_core::{Move16, Position};
use yane_io::{Chunk, OrderedParallelMap};

use super::{Book, KeyIndex, ReadOptions, Slot};
use crate::db::{Records, line_error, map_chunks, open_chunks};
#[cfg(test)]
use crate::memory::moves::Moves;
use crate::memory::moves::{Stored, add};
use crate::ybb::Ybb;
use crate::{BookError, BookMove, Job, Result, Unit};

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

impl Book {
    /// A book of positions with their moves, joined as [`Self::read`] does.
    pub fn from_entries<M>(
        entries: impl IntoIterator<Item = (Position, M)>,
        options: ReadOptions,
    ) -> Self
    where
        M: IntoIterator<Item = BookMove>,
    {
        let mut builder = Builder::default();
        for (position, moves) in entries {
            builder.begin(&position, options);
            for new in moves {
                builder.add(new);
            }
        }
        builder.finish(options)
    }

    /// Reads the book at `path` into memory: a binary book if it is named `.ybb`, else a text book.
    ///
    /// An entry met again adds its moves to the first; a move met again replaces reply, value and
    /// depth, and counts add up (beyond 32 bits they stay the largest). Moves are not checked for
    /// legality.
    ///
    /// # Errors
    /// When the file cannot be read, a line or record of it is wrong (the error names it), or the job
    /// is cancelled.
    pub fn read(path: &Path, options: ReadOptions, job: &Job) -> Result<Self> {
        match Format::of_path(path) {
            Ok(Format::Ybb) => read_ybb(path, options, job),
            _ => read_db(path, options, job),
        }
    }
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
