//! Writes a book with the positions of another and new moves.
//!
//! The old book is read once more and the new one written in its order, which is right if the old one
//! was sorted; only if it turns out not to be, the work is done again through a sorter.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use yane_io::AtomicFile;
use yane_io::external::Sorter;

use super::{GraphSource, Layout, NodeId, NumberedChunk, SourceRecord};
use crate::db::{HEADER, LineEnd, push_move_line, push_number};
use crate::{BookError, BookMove, Job, Result, Unit, sort_moves};

/// Creates the moves of a node.
pub(crate) trait Rewrite<S: GraphSource>: Send + Sync + 'static {
    /// Puts the moves to write in `moves`, which is empty, and returns the ply to write; `None` leaves
    /// the position out, and so does having no moves.
    ///
    /// # Errors
    /// An error ends the writing.
    fn rewrite(
        &self,
        id: NodeId,
        record: &S::Record<'_>,
        source: &S,
        moves: &mut Vec<BookMove>,
    ) -> Result<Option<u32>>;
}

/// The output: where and how to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteTarget<'a> {
    pub(crate) path: &'a Path,
    pub(crate) line_end: LineEnd,
}

/// Summary of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) positions: u64,
    pub(crate) moves: u64,
}

/// Writes the book: positions in the order of their SFEN, of those that differ only in ply the one
/// with the smallest, moves by count and value.
pub(crate) fn write_book<S: GraphSource>(
    job: &Job,
    source: &S,
    layout: &Arc<Layout>,
    rewrite: &Arc<impl Rewrite<S>>,
    target: WriteTarget<'_>,
) -> Result<Written> {
    match write_in_order(job, source, layout, rewrite, target)? {
        Some(written) => Ok(written),
        None => write_sorted(job, source, layout, rewrite, target),
    }
}

/// Makes the book the file, if there is anything in it.
fn finish(file: AtomicFile, written: Written, target: WriteTarget<'_>) -> Result<Written> {
    if written.positions == 0 {
        let reason =
            "no position of the book is left (none is reached from a root, or all lack moves)";
        return Err(BookError::nothing(target.path, reason));
    }
    file.commit()?;
    Ok(written)
}

/// Positions of a piece as they will be written.
#[derive(Default)]
struct Block {
    text: Vec<u8>,
    entries: Vec<BlockEntry>,
    size: u64,
}

/// A position in a [`Block`].
struct BlockEntry {
    /// All of it.
    range: Range<usize>,
    /// Board, side and hands.
    key: Range<usize>,
    ply: u32,
    moves: u64,
}

impl Block {
    fn new<S: GraphSource>(
        piece: &NumberedChunk<'_, S>,
        rewrite: &impl Rewrite<S>,
        line_end: LineEnd,
    ) -> Result<Self> {
        let mut block = Self {
            size: piece.size(),
            ..Self::default()
        };
        let mut moves = Vec::new();
        for (id, record) in piece.records() {
            let Some(record) = record else { continue };
            moves.clear();
            let ply = rewrite.rewrite(id, &record, piece.source, &mut moves)?;
            if let Some(ply) = ply
                && !moves.is_empty()
            {
                sort_moves(&mut moves);
                let place = |problem| piece.source.error(record.place(), problem);
                block.push(&record, ply, &moves, line_end).map_err(place)?;
            }
        }
        Ok(block)
    }

    fn push(
        &mut self,
        record: &impl SourceRecord,
        ply: u32,
        moves: &[BookMove],
        line_end: LineEnd,
    ) -> std::result::Result<(), crate::db::LineProblem> {
        let text = &mut self.text;
        let start = text.len();
        text.extend_from_slice(b"sfen ");
        let key_start = text.len();
        record.push_sfen(text)?;
        let key = key_start..text.len();
        text.push(b' ');
        push_number(text, ply.into(), false);
        text.extend_from_slice(line_end.bytes());
        for book_move in moves {
            push_move_line(text, book_move);
            text.extend_from_slice(line_end.bytes());
        }
        self.entries.push(BlockEntry {
            range: start..text.len(),
            key,
            ply,
            moves: moves.len() as u64,
        });
        Ok(())
    }

    /// Returns whether the keys rise, from above `last`; leaves the last key there.
    fn rises_from(&self, last: &mut Vec<u8>) -> bool {
        let mut before: &[u8] = last;
        for entry in &self.entries {
            let key = &self.text[entry.key.clone()];
            if before >= key {
                return false;
            }
            before = key;
        }
        let before = before.to_vec();
        *last = before;
        true
    }
}

/// The blocks of the new book.
fn blocks<S: GraphSource>(
    job: &Job,
    source: &S,
    layout: &Arc<Layout>,
    rewrite: &Arc<impl Rewrite<S>>,
    line_end: LineEnd,
) -> Result<impl Iterator<Item = Result<Block>>> {
    job.progress
        .stage("write", Some(source.size()), Unit::Bytes);
    let rewrite = Arc::clone(rewrite);
    layout.read_again(job, source, move |piece| {
        Block::new(&piece, &*rewrite, line_end)
    })
}

fn begin(target: WriteTarget<'_>) -> Result<AtomicFile> {
    let mut file = AtomicFile::create(target.path)?;
    file.put(HEADER.as_bytes())?;
    file.put(target.line_end.bytes())?;
    Ok(file)
}

/// Writes positions as they come; `None` when they are not in order.
fn write_in_order<S: GraphSource>(
    job: &Job,
    source: &S,
    layout: &Arc<Layout>,
    rewrite: &Arc<impl Rewrite<S>>,
    target: WriteTarget<'_>,
) -> Result<Option<Written>> {
    let mut file = begin(target)?;
    let mut written = Written::default();
    let mut last = Vec::new();
    for block in blocks(job, source, layout, rewrite, target.line_end)? {
        let block = block?;
        job.check()?;
        if !block.rises_from(&mut last) {
            return Ok(None);
        }
        file.put(&block.text)?;
        written.positions += block.entries.len() as u64;
        written.moves += block.entries.iter().map(|entry| entry.moves).sum::<u64>();
        job.progress.advance(block.size);
    }
    finish(file, written, target).map(Some)
}

/// Writes positions in order, whatever order they come in.
fn write_sorted<S: GraphSource>(
    job: &Job,
    source: &S,
    layout: &Arc<Layout>,
    rewrite: &Arc<impl Rewrite<S>>,
    target: WriteTarget<'_>,
) -> Result<Written> {
    let mut sorter = Sorter::new(job, job.temp_for(target.path));
    let mut body = Vec::new();
    for block in blocks(job, source, layout, rewrite, target.line_end)? {
        let block = block?;
        for entry in &block.entries {
            body.clear();
            body.extend_from_slice(&entry.ply.to_le_bytes());
            body.extend_from_slice(&entry.moves.to_le_bytes());
            body.extend_from_slice(&block.text[entry.range.clone()]);
            sorter.push(&block.text[entry.key.clone()], &body)?;
        }
        job.progress.advance(block.size);
    }
    let mut sorted = sorter.finish()?;
    let mut file = begin(target)?;
    let mut written = Written::default();
    let mut best: Option<(Vec<u8>, Vec<u8>)> = None;
    let mut put = |body: &[u8]| {
        let (_, rest) = split_body(body);
        written.positions += 1;
        written.moves += rest.0;
        file.put(rest.1)
    };
    while let Some((_, key, body)) = sorted.current() {
        match &mut best {
            Some((known, kept)) if known == key => {
                if split_body(body).0 < split_body(kept).0 {
                    *kept = body.to_vec();
                }
            }
            _ => {
                if let Some((_, body)) = best.replace((key.to_vec(), body.to_vec())) {
                    put(&body)?;
                }
            }
        }
        sorted.advance()?;
    }
    if let Some((_, body)) = best {
        put(&body)?;
    }
    job.check()?;
    finish(file, written, target)
}

/// Ply, number of moves and text of a record of the sorter.
fn split_body(body: &[u8]) -> (u32, (u64, &[u8])) {
    let (ply, rest) = body.split_at(4);
    let (moves, text) = rest.split_at(8);
    let mut ply_bytes = [0; 4];
    ply_bytes.copy_from_slice(ply);
    let mut move_bytes = [0; 8];
    move_bytes.copy_from_slice(moves);
    (
        u32::from_le_bytes(ply_bytes),
        (u64::from_le_bytes(move_bytes), text),
    )
}
