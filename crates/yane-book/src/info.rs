//! Statistics of a book: counts, distributions, the state of the file.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use memchr::memchr2_iter;
use shogi_core::{ByColor, Color};
use yane_io::{TextEncoding, TextFile};

use crate::db::{BadLines, SkippedLine};
use crate::entries::{BookChunk, BookFile, Entry, Order};
use crate::{BookError, Format, Job, Result, lacks_values};

/// Width of a bin of [`BookInfo::evals`].
pub const EVAL_BIN: i32 = 100;
/// Values from here on are in the last bins of [`BookInfo::evals`].
pub const EVAL_END: i32 = 2000;

/// Statistics of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookInfo {
    /// The kind of file.
    pub format: Format,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Positions, as often as they stand there.
    pub positions: u64,
    /// Move lines.
    pub moves: u64,
    /// Positions by ply.
    pub plies: BTreeMap<u32, u64>,
    /// Positions by their number of moves.
    pub move_counts: BTreeMap<usize, u64>,
    /// Positions by the value of their first move, for the side to move, in bins of [`EVAL_BIN`];
    /// the key is the smallest value of the bin. Values below `-EVAL_END` are in the bin
    /// `-EVAL_END - EVAL_BIN`, those from `EVAL_END` on in the bin `EVAL_END`.
    pub evals: BTreeMap<i32, u64>,
    /// Smallest and largest value of a move.
    pub eval_range: Option<RangeInclusive<i32>>,
    /// Smallest and largest depth of a move.
    pub depth_range: Option<RangeInclusive<i32>>,
    /// Smallest and largest count of a move; `.ybb` files have none.
    pub count_range: Option<RangeInclusive<u64>>,
    /// Positions by the side to move.
    pub sides: ByColor<u64>,
    /// True if the positions stand in the order in which they are searched for in the file, each
    /// once.
    pub sorted: bool,
    /// Positions whose moves have no value ([`crate::lacks_values`]): they come from records and were never searched.
    pub without_value: u64,
    /// Positions that are spelled in an unusual way, so that searching in the file misses them.
    pub unusual: u64,
    /// Properties of text files; `None` for others.
    pub text: Option<TextInfo>,
    /// Bytes of memory that the book takes in the engine; 0 for a file that is looked up in place.
    pub memory: u64,
    /// Lines left out with [`BadLines::Skip`].
    pub skipped: Vec<SkippedLine>,
}

/// Properties of text files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextInfo {
    /// The first line if it is a comment.
    pub header: Option<String>,
    /// The number of positions that the second line announces (`# NOE:n`).
    pub announced: Option<u64>,
    /// Encoding of the characters.
    pub encoding: TextEncoding,
    /// True if the file begins with a byte order mark.
    pub byte_order_mark: bool,
    /// Lines that end with LF alone.
    pub lf: u64,
    /// Lines that end with CR LF.
    pub crlf: u64,
    /// Lines that end with CR alone.
    pub cr: u64,
}

/// Reads a `.db` or `.ybb` book and describes it.
///
/// # Errors
/// When it cannot be read, a line is wrong and `bad_lines` does not allow for it, or there is no position.
pub fn info(path: &Path, bad_lines: BadLines, job: &Job) -> Result<BookInfo> {
    let book = BookFile::open(path, bad_lines)?;
    let mut tally = Tally::default();
    let visit = |tally: &mut Tally, entry: &Entry<'_>| {
        tally.add(entry);
        Ok(())
    };
    let skipped = book.entries("read", job, visit, |piece| {
        tally.append(piece);
        Ok(())
    })?;
    if tally.positions == 0 {
        let bad = match skipped.first() {
            Some(first) => format!(" ({} left out: {first})", skipped.len()),
            None => String::new(),
        };
        return Err(BookError::file(
            path,
            format!("no position is in the book{bad}"),
        ));
    }
    let text = match book.binary() {
        Some(_) => None,
        None => Some(text_info(&book, job)?),
    };
    let (sorted, memory) = match book.binary() {
        Some(book) => (book.verify().is_ok(), 0),
        None => (
            tally.order.is_strict() && !book.encoding().is_some_and(TextEncoding::is_utf16),
            engine_memory(tally.positions, tally.moves),
        ),
    };
    Ok(BookInfo {
        format: if text.is_some() {
            Format::Db
        } else {
            Format::Ybb
        },
        bytes: std::fs::metadata(path).map_err(BookError::io(path))?.len(),
        positions: tally.positions,
        moves: tally.moves,
        plies: tally.plies,
        move_counts: tally.move_counts,
        evals: tally.evals,
        eval_range: tally.eval.range(),
        depth_range: tally.depth.range(),
        count_range: tally.count.range().filter(|_| text.is_some()),
        sides: tally.sides,
        sorted,
        without_value: tally.without_value,
        unusual: tally.unusual,
        text,
        memory,
        skipped,
    })
}

/// Bytes that [`crate::memory::Book`] takes: an array of positions, one of moves, and an index by as
/// many bits of the key as the number of positions has.
fn engine_memory(positions: u64, moves: u64) -> u64 {
    let bits = (u64::BITS - positions.leading_zeros()).max(1);
    positions * 32 + moves * 16 + ((1 << bits) + 1) * 4
}

/// Counts of one piece.
#[derive(Default)]
struct Tally {
    positions: u64,
    moves: u64,
    plies: BTreeMap<u32, u64>,
    move_counts: BTreeMap<usize, u64>,
    evals: BTreeMap<i32, u64>,
    eval: Extent<i32>,
    depth: Extent<i32>,
    count: Extent<u64>,
    sides: ByColor<u64>,
    order: Order,
    without_value: u64,
    unusual: u64,
}

impl Tally {
    fn add(&mut self, entry: &Entry<'_>) {
        self.positions += 1;
        self.moves += entry.moves.len() as u64;
        *self.plies.entry(entry.ply).or_default() += 1;
        *self.move_counts.entry(entry.moves.len()).or_default() += 1;
        self.sides[entry.side_to_move()] += 1;
        self.order.add(entry.sfen.as_bytes());
        self.without_value += u64::from(lacks_values(entry.moves.iter().copied()));
        self.unusual += u64::from(!entry.canonical);
        if let Some(first) = entry.moves.first() {
            *self.evals.entry(bin(first.eval)).or_default() += 1;
        }
        for known in entry.moves {
            self.eval.add(known.eval);
            self.depth.add(known.depth);
            self.count.add(known.count);
        }
    }

    fn append(&mut self, next: Self) {
        self.positions += next.positions;
        self.moves += next.moves;
        add_counts(&mut self.plies, next.plies);
        add_counts(&mut self.move_counts, next.move_counts);
        add_counts(&mut self.evals, next.evals);
        self.eval.append(next.eval);
        self.depth.append(next.depth);
        self.count.append(next.count);
        for side in [Color::Black, Color::White] {
            self.sides[side] += next.sides[side];
        }
        self.order.append(next.order);
        self.without_value += next.without_value;
        self.unusual += next.unusual;
    }
}

fn add_counts<K: Ord>(counts: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    for (key, count) in more {
        *counts.entry(key).or_default() += count;
    }
}

/// The bin of a value.
fn bin(eval: i32) -> i32 {
    let eval = eval.clamp(-EVAL_END - 1, EVAL_END);
    eval.div_euclid(EVAL_BIN) * EVAL_BIN
}

/// Smallest and largest of the numbers seen.
#[derive(Clone, Copy, Default)]
struct Extent<T>(Option<(T, T)>);

impl<T: Ord + Copy> Extent<T> {
    fn add(&mut self, number: T) {
        self.append(Self(Some((number, number))));
    }

    fn append(&mut self, other: Self) {
        self.0 = match (self.0, other.0) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
    }

    fn range(self) -> Option<RangeInclusive<T>> {
        self.0.map(|(min, max)| min..=max)
    }
}

/// Line ends and first lines.
fn text_info(book: &BookFile, job: &Job) -> Result<TextInfo> {
    let mut info = first_lines(book)?;
    // True if the piece before ended with a CR of its own.
    let mut after_cr = false;
    let work = |piece: &BookChunk<'_>| {
        let mut ends = TextInfo::default();
        let BookChunk::Text(chunk) = piece else {
            return Ok((ends, false, false));
        };
        let text = &chunk.bytes;
        for at in memchr2_iter(b'\n', b'\r', text) {
            match (text[at], at > 0 && text[at - 1] == b'\r') {
                (b'\r', _) => ends.cr += 1,
                (_, true) => {
                    ends.cr -= 1;
                    ends.crlf += 1;
                }
                (_, false) => ends.lf += 1,
            }
        }
        let (first, last) = (text.first(), text.last());
        Ok((ends, first == Some(&b'\n'), last == Some(&b'\r')))
    };
    book.pieces("line ends", job, work, |(ends, begins_lf, ends_cr)| {
        let joined = u64::from(after_cr && begins_lf);
        info.lf += ends.lf - joined;
        info.crlf += ends.crlf + joined;
        info.cr = info.cr + ends.cr - joined;
        after_cr = ends_cr;
        Ok(())
    })?;
    Ok(info)
}

/// Reads header, announced number and byte order mark.
fn first_lines(book: &BookFile) -> Result<TextInfo> {
    let mut start = Vec::new();
    TextFile::open_any(book.path())?.read_up_to(4096, &mut start)?;
    let text = String::from_utf8_lossy(&start);
    let mut lines = text.split(['\r', '\n']).filter(|line| !line.is_empty());
    let header = lines.next().filter(|line| line.starts_with('#'));
    let announced = lines
        .next()
        .filter(|line| header.is_some() && line.starts_with('#'))
        .and_then(|line| line.split_once("NOE:"))
        .and_then(|(_, number)| number.split(',').next()?.trim().parse().ok());
    Ok(TextInfo {
        header: header.map(str::to_owned),
        announced,
        encoding: book.encoding().unwrap_or_default(),
        byte_order_mark: book.has_mark(),
        ..TextInfo::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_closed_ends() {
        for (eval, expected) in [
            (0, 0),
            (99, 0),
            (-1, -100),
            (1999, 1900),
            (2000, 2000),
            (i32::MAX, 2000),
            (-2000, -2000),
            (-2001, -2100),
            (i32::MIN, -2100),
        ] {
            assert_eq!(bin(eval), expected, "{eval}");
        }
    }
}
