//! A piece of a book and the positions in it.

use std::ops::Range;
use std::path::Path;

use yane_io::Chunk;

use crate::db::{
    BadLines, Fault, Record, Records, SfenLine, SkippedLine, canonical_sfen, line_error,
    push_number,
};
use crate::ybb::{self, Ybb};
use crate::{BookError, BookMove, Result};

/// Neighbouring positions of a book.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// Text that begins and ends where a position does.
    Text(&'a Chunk),
    /// Positions of a binary book by their numbers.
    Binary(&'a Ybb, Range<u64>),
}

/// A position with its moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// The canonical SFEN with ply.
    pub(crate) sfen: &'a str,
    /// Length of `sfen` without the ply and the blank before it.
    pub(crate) position_len: usize,
    /// The ply.
    pub(crate) ply: u32,
    /// The lines of the position in their order; a move may be there twice.
    pub(crate) moves: &'a [BookMove],
    /// Whether the book spells the position as `sfen`.
    pub(crate) canonical: bool,
}

impl Entry<'_> {
    /// The SFEN without ply.
    pub(crate) fn position(&self) -> &str {
        &self.sfen[..self.position_len]
    }

    /// Who is to move.
    pub(crate) fn side_to_move(&self) -> shogi_core::Color {
        let line = SfenLine {
            position: self.position().as_bytes(),
            ply: self.ply,
        };
        line.side_to_move()
    }
}

/// Buffers used again and again.
#[derive(Default)]
struct Scratch {
    rewritten: Vec<u8>,
    sfen: String,
    moves: Vec<BookMove>,
}

impl Piece<'_> {
    /// Bytes of text, positions of a binary book.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Text(chunk) => chunk.bytes.len() as u64,
            Self::Binary(_, range) => range.end - range.start,
        }
    }

    /// Calls `visit` on each position. Tells the lines that were left out, their numbers not filled
    /// in yet.
    pub(super) fn for_each(
        &self,
        path: &Path,
        bad_lines: BadLines,
        visit: &mut dyn FnMut(&Entry<'_>) -> Result<()>,
    ) -> Result<Vec<SkippedLine>> {
        let mut scratch = Scratch::default();
        match self {
            Self::Text(chunk) => {
                let mut skipped = Vec::new();
                let mut bad = |offset, fault| match bad_lines {
                    BadLines::Fail => Err(line_error(path, offset, fault)),
                    BadLines::Skip => {
                        skipped.push(SkippedLine::new(path, offset, fault));
                        Ok(())
                    }
                };
                for record in Records::new(&chunk.bytes, chunk.offset) {
                    text_entry(&record, &mut scratch, &mut bad, visit)?;
                }
                Ok(skipped)
            }
            Self::Binary(book, range) => {
                for at in range.clone() {
                    if let Some(entry) = book.get(at)? {
                        binary_entry(path, &entry, &mut scratch, visit)?;
                    }
                }
                Ok(Vec::new())
            }
        }
    }
}

fn text_entry(
    record: &Record<'_>,
    scratch: &mut Scratch,
    bad: &mut dyn FnMut(u64, Fault) -> Result<()>,
    visit: &mut dyn FnMut(&Entry<'_>) -> Result<()>,
) -> Result<()> {
    let line = match canonical_sfen(record.sfen, &mut scratch.rewritten) {
        Ok(line) => line,
        Err(error) => return bad(record.offset, error.into()),
    };
    scratch.moves.clear();
    for (offset, line) in record.moves() {
        match line {
            Ok(known) => scratch.moves.push(known),
            Err(fault) => bad(offset, fault)?,
        }
    }
    let position_len = line.position.len();
    spell(&mut scratch.sfen, line);
    visit(&Entry {
        sfen: &scratch.sfen,
        position_len,
        ply: line.ply,
        moves: &scratch.moves,
        canonical: scratch.sfen.as_bytes() == record.sfen,
    })
}

/// Writes a canonical SFEN (ASCII by its nature) with its ply.
fn spell(sfen: &mut String, line: SfenLine<'_>) {
    let mut bytes = std::mem::take(sfen).into_bytes();
    bytes.clear();
    bytes.extend_from_slice(line.position);
    bytes.push(b' ');
    push_number(&mut bytes, line.ply.into(), false);
    *sfen = String::from_utf8(bytes).unwrap_or_default();
}

fn binary_entry(
    path: &Path,
    entry: &ybb::Entry<'_>,
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(&Entry<'_>) -> Result<()>,
) -> Result<()> {
    let position = entry
        .position()
        .map_err(|error| BookError::byte(path, entry.offset(), error.to_string()))?;
    scratch.moves.clear();
    scratch.moves.extend(entry.moves());
    let sfen = position.to_sfen();
    visit(&Entry {
        position_len: position.to_sfen_without_ply().len(),
        sfen: &sfen,
        ply: position.ply(),
        moves: &scratch.moves,
        canonical: true,
    })
}
