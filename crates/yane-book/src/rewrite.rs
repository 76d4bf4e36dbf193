//! A book read for its moves, and written again with other moves: the order of its positions, their spelling but for hands,
//! and comments stay (`makebook analyze`).

use std::path::Path;

use shogi_core::Color;
use yane_io::Overwrite;

use crate::db::{BadLines, CommentCounts, CommentPolicy, Comments, LineEnd, SkippedLine};
use crate::entries::{BookFile, Entry, TextWriter};
use crate::{BookError, BookMove, Job, Result, sort_moves};

/// A position of a book with its moves.
#[derive(Clone, Copy, Debug)]
pub struct ListedPosition<'a> {
    /// The canonical SFEN with ply.
    pub sfen: &'a str,
    /// The canonical SFEN without ply.
    pub position: &'a str,
    /// The ply.
    pub ply: u32,
    /// The side to move.
    pub side: Color,
    /// The lines of the position in their order; a move may be there twice.
    pub moves: &'a [BookMove],
}

impl<'a> ListedPosition<'a> {
    fn of(entry: &Entry<'a>) -> Self {
        Self {
            sfen: entry.sfen,
            position: &entry.sfen[..entry.position_len],
            ply: entry.ply,
            side: entry.side_to_move(),
            moves: entry.moves,
        }
    }
}

/// Calls `take` with what `visit` makes of the positions of each piece of the `.db` or `.ybb` book at `path`, in the order of
/// the book. Returns the lines that were left out.
///
/// # Errors
/// When the book cannot be read, a line is wrong and `bad_lines` does not allow for it, or `take` fails.
pub fn list_positions<T: Default + Send + 'static>(
    path: &Path,
    bad_lines: BadLines,
    job: &Job,
    visit: impl Fn(&mut T, ListedPosition<'_>) + Send + Sync + 'static,
    mut take: impl FnMut(T),
) -> Result<Vec<SkippedLine>> {
    let book = BookFile::open(path, bad_lines)?;
    let visit = move |part: &mut T, entry: &Entry<'_>| {
        visit(part, ListedPosition::of(entry));
        Ok(())
    };
    book.entries("read", job, visit, |part| {
        take(part);
        Ok(())
    })
}

/// Options: how to write a book again.
#[derive(Clone, Copy, Debug, Default)]
pub struct RewriteOptions {
    /// Line ends of the output.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
    /// Policy for bad lines.
    pub bad_lines: BadLines,
}

/// Summary of a book that was written again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RewriteReport {
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// Comments.
    pub comments: CommentCounts,
}

/// A position on its way to the output.
struct Waiting {
    sfen: String,
    position_len: usize,
    moves: Vec<BookMove>,
    comments: Comments,
}

/// Writes the book `input` as the text book `output`. `change` gets the SFEN without ply and the moves of every position, and
/// changes the moves; positions without moves are not written.
///
/// # Errors
/// When a file cannot be read or written, a line is wrong, or `change` fails. The output is untouched then.
pub fn rewrite<E: From<BookError>>(
    input: &Path,
    output: &Path,
    options: RewriteOptions,
    job: &Job,
    mut change: impl FnMut(&str, &mut Vec<BookMove>) -> std::result::Result<(), E>,
) -> std::result::Result<RewriteReport, E> {
    let _claim = options
        .overwrite
        .claim(output, &[input])
        .map_err(BookError::from)?;
    let book = BookFile::open(input, options.bad_lines)?;
    let mut out = TextWriter::create(output, options.line_end)?;
    let mut report = RewriteReport {
        comments: out.begin_comments(&book, CommentPolicy::Keep, options.line_end)?,
        ..RewriteReport::default()
    };
    let visit = |part: &mut Vec<Waiting>, entry: &Entry<'_>| {
        part.push(Waiting {
            sfen: entry.sfen.to_owned(),
            position_len: entry.position_len,
            moves: entry.moves.to_vec(),
            comments: entry.comments.clone(),
        });
        Ok(())
    };
    let mut failed = None;
    let mut text = Vec::new();
    book.entries("write", job, visit, |part: Vec<Waiting>| {
        for mut entry in part {
            if failed.is_some() {
                break;
            }
            let position = &entry.sfen[..entry.position_len];
            if let Err(error) = change(position, &mut entry.moves) {
                failed = Some(error);
                break;
            }
            sort_moves(&mut entry.moves);
            let mut written = 0;
            if !entry.moves.is_empty() {
                text.clear();
                let sfen = entry.sfen.as_bytes();
                let (moves, line_end) = (&entry.moves, options.line_end);
                written = entry.comments.push_entry(&mut text, sfen, moves, line_end);
                out.push(&text)?;
                report.positions += 1;
                report.moves += entry.moves.len() as u64;
            }
            report.comments.count(entry.comments.len(), written);
        }
        Ok(())
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if report.positions == 0 {
        let reason = format!("no position of {} has a move", input.display());
        return Err(BookError::nothing(output, reason).into());
    }
    out.commit()?;
    Ok(report)
}
