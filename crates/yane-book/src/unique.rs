//! Leaving out positions that a book has more than once.
//!
//! Rules 1 to 4 of [`mod@crate::merge`] say what becomes of a position that is there again, at the
//! same ply or at another. With [`Sameness::Flipped`] a position and the one that it becomes when the
//! board is turned by 180 degrees are the same too:
//!
//! * What remains is the one with black to move, with its own ply.
//! * Its moves are those of black's entry, unless white's first line was searched deeper or, with
//!   equal depth, white's entry has more moves; then white's moves, flipped. They are never mixed.
//! * A position of which only one orientation is there stays as it is.
//!
//! A program must look for flipped positions at whatever ply to find what was left out
//! (`FlippedBook` and `IgnoreBookPly`).

use std::path::Path;

use shogi_core::{Color, Position};
use yane_io::Overwrite;
use yane_io::external::Sorter;

use crate::book_move::flip_moves;
use crate::db::{
    BadLines, CommentCounts, CommentPolicy, Comments, LineEnd, SkippedLine, comments_of_books,
};
use crate::entries::{BookFile, Entry, Sorted, SortedEntry, TextWriter};
use crate::merge::{MergeInput, MergeOptions, merge};
use crate::{BookError, BookMove, Job, Result, add_move, sort_moves};

/// The positions that are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sameness {
    /// Those that look the same.
    #[default]
    Plain,
    /// Those that look the same from one side of the board or the other.
    Flipped,
}

/// Options: how to leave positions out.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniqueOptions {
    /// Rule by which positions are the same.
    pub sameness: Sameness,
    /// Entries that differ only in ply have their moves joined, instead of only those of the
    /// smallest ply being kept.
    pub ignore_ply: bool,
    /// Line ends of the output.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
    /// Policy for bad lines.
    pub bad_lines: BadLines,
    /// Policy for comments.
    pub comments: CommentPolicy,
}

/// Summary of the removed duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UniqueReport {
    /// Positions read, as often as they stand there.
    pub read: u64,
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// Entries left out because the same position is written, with another ply or not.
    pub repeated: u64,
    /// Entries left out because the flipped position is written.
    pub flipped: u64,
    /// Comments.
    pub comments: CommentCounts,
    /// Lines left out with [`BadLines::Skip`].
    pub skipped: Vec<SkippedLine>,
}

/// Writes the text book `input`, every position once, sorted.
///
/// # Errors
/// When a file cannot be read or written, or a line is wrong. The output is untouched then.
pub fn unique(
    input: &Path,
    output: &Path,
    options: UniqueOptions,
    job: &Job,
) -> Result<UniqueReport> {
    match options.sameness {
        Sameness::Plain => plain(input, output, options, job),
        Sameness::Flipped => also_flipped(input, output, options, job),
    }
}

fn plain(input: &Path, output: &Path, options: UniqueOptions, job: &Job) -> Result<UniqueReport> {
    let merge_options = MergeOptions {
        ignore_ply: options.ignore_ply,
        line_end: options.line_end,
        overwrite: options.overwrite,
        bad_lines: options.bad_lines,
        comments: options.comments,
        ..MergeOptions::default()
    };
    let report = merge(&[MergeInput::new(input)], output, merge_options, job)?;
    let read = report.read.iter().sum();
    Ok(UniqueReport {
        read,
        positions: report.positions,
        moves: report.moves,
        repeated: read - report.positions - report.without_moves,
        flipped: 0,
        comments: report.comments,
        skipped: report.skipped,
    })
}

fn also_flipped(
    input: &Path,
    output: &Path,
    options: UniqueOptions,
    job: &Job,
) -> Result<UniqueReport> {
    let _claim = options.overwrite.claim(output, &[input])?;
    let folder = job.temp_for(output);
    let book = BookFile::open(input, options.bad_lines)?;
    let mut sorted = Sorted::by(&book, black_key, &folder, 2, job)?;
    let mut report = UniqueReport {
        skipped: std::mem::take(&mut sorted.skipped),
        ..UniqueReport::default()
    };
    let mut kept = Sorter::new(job, &folder);
    let mut group = SameGroup::default();
    let mut entry = SortedEntry::default();
    while sorted.next(&mut entry)? {
        report.read += 1;
        if !group.belongs(&entry) {
            group.write(options, &mut report, &mut kept)?;
        }
        group.add(&entry);
    }
    group.write(options, &mut report, &mut kept)?;
    if report.positions == 0 {
        let reason = format!("no position of {} has a move", input.display());
        return Err(BookError::nothing(output, reason));
    }
    let mut about_book = comments_of_books([input])?;
    if options.comments == CommentPolicy::LeaveOut {
        report.comments.left_out += about_book.len() as u64;
        about_book.clear();
    }
    report.comments.kept += about_book.len() as u64;
    write_sorted(kept, output, &about_book, options.line_end, job)?;
    Ok(report)
}

/// The position as black to move sees it, and the side that really is to move.
fn black_key(entry: &Entry<'_>, key: &mut Vec<u8>) {
    let side = entry.side_to_move();
    match (side, Position::from_sfen(entry.sfen)) {
        (Color::White, Ok(position)) => {
            key.extend_from_slice(position.flip().to_sfen_without_ply().as_bytes());
        }
        _ => key.extend_from_slice(entry.position().as_bytes()),
    }
    key.extend_from_slice(match side {
        Color::Black => b" b",
        Color::White => b" w",
    });
}

/// The entries of one position, black's before white's.
#[derive(Default)]
struct SameGroup {
    /// The position as black to move sees it, without ply.
    position: Vec<u8>,
    black: Vec<(u32, Vec<BookMove>)>,
    white: Vec<(u32, Vec<BookMove>)>,
    /// As black to move sees the position.
    comments: Comments,
}

/// Bytes of the side at the end of a key.
const SIDE: usize = 2;

impl SameGroup {
    fn belongs(&self, entry: &SortedEntry) -> bool {
        self.position == entry.key[..entry.key.len() - SIDE]
    }

    fn add(&mut self, entry: &SortedEntry) {
        let (position, side) = entry.key.split_at(entry.key.len() - SIDE);
        self.position.clear();
        self.position.extend_from_slice(position);
        let list = match side {
            b" w" => &mut self.white,
            _ => &mut self.black,
        };
        list.push((entry.ply, entry.moves.clone()));
        match side {
            b" w" => self.comments.join(&entry.comments.flip()),
            _ => self.comments.join(&entry.comments),
        }
    }

    /// Puts what remains of the group into `kept` and empties the group.
    fn write(
        &mut self,
        options: UniqueOptions,
        report: &mut UniqueReport,
        kept: &mut Sorter,
    ) -> Result<()> {
        let mut side = |list: &mut Vec<(u32, Vec<BookMove>)>| {
            let entries = list.len() as u64;
            let one = join(std::mem::take(list), options.ignore_ply);
            report.repeated += entries.saturating_sub(1);
            one
        };
        let (black, white) = (side(&mut self.black), side(&mut self.white));
        let position = String::from_utf8_lossy(&self.position).into_owned();
        let mut comments = std::mem::take(&mut self.comments);
        if black.is_none() {
            comments = comments.flip();
        }
        let all = comments.len();
        if options.comments == CommentPolicy::LeaveOut {
            comments.clear();
        }
        let (position, ply, mut moves) = match (black, white) {
            (Some((ply, black)), Some((_, white))) => {
                report.flipped += 1;
                let rank = |moves: &[BookMove]| (moves[0].depth, moves.len());
                if rank(&white) > rank(&black) {
                    (position, ply, flip_moves(white))
                } else {
                    (position, ply, black)
                }
            }
            (Some((ply, moves)), None) => (position, ply, moves),
            (None, Some((ply, moves))) => (from_white(&position), ply, moves),
            (None, None) => {
                report.comments.count(all, 0);
                return Ok(());
            }
        };
        sort_moves(&mut moves);
        report.positions += 1;
        report.moves += moves.len() as u64;
        let sfen = format!("{position} {ply}").into_bytes();
        let mut text = Vec::new();
        let written = comments.push_entry(&mut text, &sfen, &moves, options.line_end);
        report.comments.count(all, written);
        Ok(kept.push(&sfen, &text)?)
    }
}

/// The position with white to move that black's view `position` stands for.
fn from_white(position: &str) -> String {
    Position::from_sfen(position).map_or_else(
        |_| position.to_owned(),
        |position| position.flip().to_sfen_without_ply(),
    )
}

/// Rules 1, 3 and 4 of the merge: the entry that remains of those of one position.
fn join(mut entries: Vec<(u32, Vec<BookMove>)>, ignore_ply: bool) -> Option<(u32, Vec<BookMove>)> {
    let smallest = entries.iter().map(|entry| entry.0).min()?;
    if ignore_ply {
        for entry in &mut entries {
            entry.0 = smallest;
        }
    }
    entries.sort_by_key(|entry| entry.0);
    entries
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| {
            let mut moves = Vec::new();
            for known in same.iter().flat_map(|entry| &entry.1) {
                add_move(&mut moves, *known);
            }
            (same[0].0, moves)
        })
        .find(|(_, moves)| !moves.is_empty())
}

/// Writes the kept positions.
fn write_sorted(
    kept: Sorter,
    output: &Path,
    about_book: &[Vec<u8>],
    line_end: LineEnd,
    job: &Job,
) -> Result<()> {
    job.progress.stage("write", None, crate::Unit::Positions);
    let mut out = TextWriter::create(output, line_end)?;
    out.push_book_comments(about_book, line_end);
    let mut records = kept.finish()?;
    let mut done = 0u64;
    while let Some((_, _, text)) = records.current() {
        out.push(text)?;
        records.advance()?;
        done += 1;
        if done.is_multiple_of(4096) {
            job.check()?;
            job.progress.advance(4096);
        }
    }
    out.commit()
}
