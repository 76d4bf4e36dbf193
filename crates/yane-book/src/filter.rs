//! Filter of a book: plies, values, one side, positions that can be reached.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use shogi_core::{Color, Position};
use yane_io::Overwrite;

use crate::db::{BadLines, CommentCounts, CommentPolicy, Comments, LineEnd, SkippedLine};
use crate::entries::{BookFile, Entry, TextWriter};
use crate::memory::{Book, ReadOptions};
use crate::records::legal_move;
use crate::{BookError, BookMove, Job, Result, Unit, sort_moves};

/// The entries to keep. The default keeps everything.
///
/// Positions are selected by the entries of the book; then moves are left out; a position that has
/// no move left is removed too.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only positions with these plies.
    pub plies: Option<RangeInclusive<u32>>,
    /// Only positions whose best move has such a value for the side to move.
    pub evals: Option<RangeInclusive<i32>>,
    /// Only positions with this side to move.
    pub side: Option<Color>,
    /// Only positions that can be reached from one of these by moves of the book, at whatever ply,
    /// these included. This part of the work holds the book in memory.
    pub reachable_from: Option<Vec<Position>>,
    /// Only moves with such values.
    pub move_evals: Option<RangeInclusive<i32>>,
    /// Only moves with at least this count.
    pub min_count: u64,
    /// Only moves with at least this depth.
    pub min_depth: Option<i32>,
    /// Only the first so many of the moves that are left, by count and value (both falling).
    pub max_moves: Option<usize>,
    /// Line ends of the output.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
    /// Policy for bad lines.
    pub bad_lines: BadLines,
    /// Policy for comments.
    pub comments: CommentPolicy,
}

/// Summary of the kept entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterReport {
    /// Positions read.
    pub read: u64,
    /// Moves read.
    pub moves_read: u64,
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// Positions of the book that can be reached, with [`Filter::reachable_from`].
    pub reachable: Option<u64>,
    /// Comments.
    pub comments: CommentCounts,
    /// Lines left out with [`BadLines::Skip`].
    pub skipped: Vec<SkippedLine>,
}

/// Writes the part of the text book `input` that `filter` keeps, in the order of the book.
///
/// # Errors
/// When a file cannot be read or written, or a line is wrong. The output is untouched then.
pub fn filter(input: &Path, output: &Path, filter: &Filter, job: &Job) -> Result<FilterReport> {
    let _claim = filter.overwrite.claim(output, &[input])?;
    let book = BookFile::open(input, filter.bad_lines)?;
    let reachable = match &filter.reachable_from {
        Some(roots) => Some(Arc::new(Reachable::from(input, roots, job)?)),
        None => None,
    };
    let mut report = FilterReport {
        reachable: reachable.as_ref().map(|reachable| reachable.len()),
        ..FilterReport::default()
    };
    let mut out = TextWriter::create(output, filter.line_end)?;
    report.comments = out.begin_comments(&book, filter.comments, filter.line_end)?;
    let sieve = Sieve {
        filter: filter.clone(),
        reachable,
    };
    let visit = move |part: &mut FilteredChunk, entry: &Entry<'_>| {
        sieve.add(entry, part);
        Ok(())
    };
    report.skipped = book.entries("filter", job, visit, |part: FilteredChunk| {
        report.read += part.read;
        report.moves_read += part.moves_read;
        report.positions += part.positions;
        report.moves += part.moves;
        report.comments.add(part.comments);
        out.push(&part.text)
    })?;
    if report.positions == 0 {
        let reason = format!(
            "the filter keeps none of the {} positions of {}",
            report.read,
            input.display()
        );
        return Err(BookError::nothing(output, reason));
    }
    out.commit()?;
    Ok(report)
}

/// Output and counts of a piece of the book.
#[derive(Default)]
struct FilteredChunk {
    read: u64,
    moves_read: u64,
    positions: u64,
    moves: u64,
    comments: CommentCounts,
    text: Vec<u8>,
    kept: Vec<BookMove>,
}

struct Sieve {
    filter: Filter,
    reachable: Option<Arc<Reachable>>,
}

impl Sieve {
    fn add(&self, entry: &Entry<'_>, part: &mut FilteredChunk) {
        part.read += 1;
        part.moves_read += entry.moves.len() as u64;
        let written = self.write(entry, part);
        part.comments.count(entry.comments.len(), written);
    }

    /// Writes what is kept of an entry. Returns the number of its comments.
    fn write(&self, entry: &Entry<'_>, part: &mut FilteredChunk) -> u64 {
        if !self.keeps_position(entry) {
            return 0;
        }
        let kept = &mut part.kept;
        kept.clear();
        kept.extend(entry.moves.iter().filter(|known| self.keeps_move(known)));
        if let Some(most) = self.filter.max_moves
            && kept.len() > most
        {
            sort_moves(kept);
            kept.truncate(most);
        }
        if kept.is_empty() {
            return 0;
        }
        part.positions += 1;
        part.moves += kept.len() as u64;
        let (text, sfen, line_end) = (&mut part.text, entry.sfen.as_bytes(), self.filter.line_end);
        match self.filter.comments {
            CommentPolicy::Keep => entry.comments.push_entry(text, sfen, kept, line_end),
            CommentPolicy::LeaveOut => Comments::default().push_entry(text, sfen, kept, line_end),
        }
    }

    fn keeps_position(&self, entry: &Entry<'_>) -> bool {
        let Filter {
            plies, evals, side, ..
        } = &self.filter;
        let best = || entry.moves.iter().map(|known| known.eval).max();
        plies
            .as_ref()
            .is_none_or(|plies| plies.contains(&entry.ply))
            && side.is_none_or(|side| side == entry.side_to_move())
            && evals
                .as_ref()
                .is_none_or(|evals| best().is_some_and(|best| evals.contains(&best)))
            && self
                .reachable
                .as_ref()
                .is_none_or(|reachable| reachable.contains(entry))
    }

    fn keeps_move(&self, known: &BookMove) -> bool {
        let Filter {
            move_evals,
            min_count,
            min_depth,
            ..
        } = &self.filter;
        move_evals
            .as_ref()
            .is_none_or(|evals| evals.contains(&known.eval))
            && known.count >= *min_count
            && min_depth.is_none_or(|depth| known.depth >= depth)
    }
}

/// Positions walked between two checks of the clock.
const STEP: u64 = 1 << 12;

/// The positions of a book that can be reached.
struct Reachable {
    book: Book,
    /// For each entry of the book, true if it was reached.
    reached: Vec<bool>,
}

impl Reachable {
    /// Walks the book at `path` from `roots`, whatever the plies are.
    fn from(path: &Path, roots: &[Position], job: &Job) -> Result<Self> {
        let book = Book::read(path, ReadOptions { ignore_ply: true }, job)?;
        let mut walk = Self {
            reached: vec![false; book.len()],
            book,
        };
        let total = walk.book.len() as u64;
        job.progress.stage("walk", Some(total), Unit::Positions);
        // Depth first: few positions wait at any time. Each is put there once.
        let mut waiting: Vec<Position> = Vec::new();
        for root in roots {
            walk.reach(root, &mut waiting);
        }
        let mut done = 0u64;
        while let Some(position) = waiting.pop() {
            done += 1;
            if done.is_multiple_of(STEP) {
                job.check()?;
                job.progress.advance(STEP);
            }
            let Some(moves) = walk.book.get(&position) else {
                continue;
            };
            let moves: Vec<_> = moves.iter().filter_map(|known| known.mv).collect();
            for m in moves {
                let Some(m) = legal_move(&position, m) else {
                    continue;
                };
                let mut child = position.clone();
                let _ = child.do_move_unchecked(m);
                walk.reach(&child, &mut waiting);
            }
        }
        Ok(walk)
    }

    /// Marks a position; one that is new and in the book waits to be walked from.
    fn reach(&mut self, position: &Position, waiting: &mut Vec<Position>) {
        if let Some(at) = self.book.index_of_key(position.key128())
            && !std::mem::replace(&mut self.reached[at], true)
        {
            waiting.push(position.clone());
        }
    }

    /// Number of positions reached.
    fn len(&self) -> u64 {
        self.reached.iter().filter(|&&reached| reached).count() as u64
    }

    /// Returns whether the position of the entry was reached.
    fn contains(&self, entry: &Entry<'_>) -> bool {
        Position::from_sfen(entry.sfen)
            .ok()
            .and_then(|position| self.book.index_of_key(position.key128()))
            .is_some_and(|at| self.reached[at])
    }
}
