//! Positions of a whole book by the values of their best moves, plies and comments.

use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;

use shogi_core::{Move16, Position};
use yane_io::Chunk;

use super::base::{BaseKind, ybb_entry};
use super::db::ply_of;
use super::entry::EditableEntry;
use super::overlay::OverlaidBook;
use super::text::read_entry;
use crate::db::{MoveLine, Record, Records, canonical_sfen, map_chunks, open_chunks};
use crate::ybb::Ybb;
use crate::{BookError, Format, Job, Result, Unit};

/// Bytes of text, or positions, looked at at a time.
const TEXT_PIECE: usize = 1 << 20;
const POSITIONS: u64 = 1 << 13;

/// Which positions are wanted: all that is given has to hold.
#[derive(Clone, Debug, Default)]
pub struct EntryFilter {
    /// Scores of the best move (the one with the highest score, else the first one).
    pub score: Option<RangeInclusive<i32>>,
    /// Depths of the best move.
    pub depth: Option<RangeInclusive<i32>>,
    /// Plies of the position.
    pub ply: Option<RangeInclusive<u32>>,
    /// A part of a comment of the position or one of its moves; small letters are as capitals.
    pub comment: Option<String>,
}

/// A position that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPosition {
    /// The SFEN, with its ply.
    pub sfen: String,
    /// The ply, in a book that has it.
    pub ply: Option<u32>,
    /// The best move.
    pub mv: Option<Move16>,
    /// Its score.
    pub score: Option<i32>,
    /// Its depth.
    pub depth: Option<i32>,
    /// The comment of the position.
    pub comment: String,
}

impl EntryFilter {
    /// The entry as it is found, if it is wanted.
    pub(super) fn take(&self, entry: &EditableEntry) -> Option<FoundPosition> {
        let best = entry.best()?;
        let is_within = |range: &Option<RangeInclusive<i32>>, value: Option<i32>| {
            range
                .as_ref()
                .is_none_or(|range| value.is_some_and(|value| range.contains(&value)))
        };
        let is_wanted = is_within(&self.score, best.score)
            && is_within(&self.depth, best.depth)
            && self
                .ply
                .as_ref()
                .is_none_or(|range| entry.ply.is_some_and(|ply| range.contains(&ply)))
            && self
                .comment
                .as_ref()
                .is_none_or(|text| has_comment(entry, text));
        is_wanted.then(|| FoundPosition {
            sfen: entry.sfen(),
            ply: entry.ply,
            mv: best.mv,
            score: best.score,
            depth: best.depth,
            comment: entry.comment.clone(),
        })
    }

    /// Returns whether a record of a text book may be wanted: a quick look, before all of it is read.
    fn may_want(&self, record: &Record<'_>) -> bool {
        if let Some(range) = &self.ply
            && !range.contains(&ply_of(record.sfen))
        {
            return false;
        }
        if self.comment.is_some() && !record.body.iter().any(|&byte| matches!(byte, b'#' | b'/')) {
            // Text behind the fields begins with anything.
            let mut lines = record.lines();
            return lines.any(|(_, line)| !MoveLine::comment(line).is_empty());
        }
        if self.score.is_none() && self.depth.is_none() {
            return true;
        }
        let mut best = None;
        for (_, line) in record.lines() {
            let Ok(line) = MoveLine::parse(line) else {
                return true;
            };
            if !line.canonical {
                // A column may be missing.
                return true;
            }
            let known = line.book_move;
            if known.mv.is_some() && best.is_none_or(|(score, _)| known.eval > score) {
                best = Some((known.eval, known.depth));
            }
        }
        best.is_some_and(|(score, depth)| {
            self.score
                .as_ref()
                .is_none_or(|range| range.contains(&score))
                && self
                    .depth
                    .as_ref()
                    .is_none_or(|range| range.contains(&depth))
        })
    }
}

fn has_comment(entry: &EditableEntry, text: &str) -> bool {
    let text = text.to_lowercase();
    let has = |comment: &str| !comment.is_empty() && comment.to_lowercase().contains(&text);
    has(&entry.comment) || entry.moves.iter().any(|known| has(&known.comment))
}

/// Looks at all positions of a book, in the order of its file, edits last. `found` gets what is found piece by piece, and may
/// end the search.
///
/// # Errors
/// When the file cannot be read or the job is cancelled; an Apery book, which does not know its positions.
pub fn search(
    book: &OverlaidBook,
    filter: &EntryFilter,
    job: &Job,
    mut found: impl FnMut(Vec<FoundPosition>) -> ControlFlow<()>,
) -> Result<()> {
    let path = book.base().path();
    let base = book.base();
    let ended = match (base.format(), &base.kind) {
        (_, BaseKind::Sbk(base)) => {
            let entries = base.entries.iter();
            found(entries.filter_map(|entry| filter.take(entry)).collect())
        }
        (Format::Db, _) => search_db(book, filter, job, &mut found)?,
        (Format::Ybb, _) => search_ybb(book, filter, job, &mut found)?,
        (Format::Apery | Format::Sbk, _) => {
            let reason =
                "a book of Apery's does not know its positions: give a position to search from";
            return Err(BookError::file(path, reason));
        }
    };
    if ended.is_continue() {
        let mut edited: Vec<_> = book
            .changed_entries()
            .filter_map(|entry| filter.take(entry))
            .collect();
        edited.sort_by(|a, b| a.sfen.cmp(&b.sfen));
        let _ended = found(edited);
    }
    Ok(())
}

fn search_db(
    book: &OverlaidBook,
    filter: &EntryFilter,
    job: &Job,
    found: &mut dyn FnMut(Vec<FoundPosition>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let reader = open_chunks(book.base().path(), TEXT_PIECE)?;
    job.progress
        .stage("search", Some(reader.file_len()), Unit::Bytes);
    let (book, filter) = (book.clone(), filter.clone());
    let pieces = map_chunks(reader, job, move |chunk: &Chunk| {
        Ok((chunk.bytes.len() as u64, in_text(chunk, &book, &filter)))
    });
    for piece in pieces {
        let (bytes, positions) = piece?;
        job.check()?;
        job.progress.advance(bytes);
        if !positions.is_empty() && found(positions).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn in_text(chunk: &Chunk, book: &OverlaidBook, filter: &EntryFilter) -> Vec<FoundPosition> {
    let mut found = Vec::new();
    let mut buffer = Vec::new();
    for record in Records::new(&chunk.bytes, chunk.offset) {
        if !filter.may_want(&record) {
            continue;
        }
        let Ok(line) = canonical_sfen(record.sfen, &mut buffer) else {
            continue;
        };
        // Canonical text is ASCII.
        let position = String::from_utf8_lossy(line.position);
        if book.is_changed(&position, Some(line.ply)) {
            continue;
        }
        let start = (record.offset - chunk.offset) as usize;
        let end = (record.body_offset - chunk.offset) as usize + record.body.len();
        let entry = read_entry(&[&chunk.bytes[start..end]], &position, line.ply);
        found.extend(filter.take(&entry));
    }
    found
}

fn search_ybb(
    book: &OverlaidBook,
    filter: &EntryFilter,
    job: &Job,
    found: &mut dyn FnMut(Vec<FoundPosition>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    // A map of its own, which is read from front to back.
    let source = Arc::new(Ybb::open(book.base().path())?);
    job.progress
        .stage("search", Some(source.len()), Unit::Positions);
    let mut waiting = Vec::new();
    for (number, read) in source.entries().enumerate() {
        if (number as u64).is_multiple_of(POSITIONS) {
            job.check()?;
            job.progress.advance(POSITIONS);
            if !waiting.is_empty() && found(std::mem::take(&mut waiting)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        let read = read?;
        let entry = ybb_entry(&read, String::new(), source.depths());
        if filter.take(&entry).is_none() {
            continue;
        }
        let Ok(position) = read.position() else {
            continue;
        };
        let entry = EditableEntry {
            position: Position::to_sfen_without_ply(&position),
            ..entry
        };
        if !book.is_changed(&entry.position, entry.ply) {
            waiting.extend(filter.take(&entry));
        }
    }
    Ok(if waiting.is_empty() {
        ControlFlow::Continue(())
    } else {
        found(waiting)
    })
}
