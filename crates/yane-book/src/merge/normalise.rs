//! From the text of a book to records that can be compared and merged.
//!
//! The key of a record is the canonical SFEN (with ply, unless plies are ignored). Its body begins
//! with a [`Meta`] and goes on with the move lines in their canonical form and in file order: rule 1
//! of the merge depends on that order, and most bodies go into the output as they are.

use std::path::PathBuf;

use shogi_core::{Color, Move16, Position};
use shogi_packed::SfenBoard;
use yane_io::external::RunBuilder;
use yane_io::{Chunk, Pool};

use super::{Legality, MergeInput, MergeOptions};
use crate::db::{
    BadLines, LineEnd, LineProblem, MoveLine, Record, Records, canonical_sfen, push_move_line,
    push_number,
};
use crate::graph::{View, sfen_position};

/// What of an input is taken, and how.
#[derive(Clone, Debug)]
pub(super) struct Normaliser {
    pub(super) path: PathBuf,
    side: Option<Color>,
    ignore_ply: bool,
    line_end: LineEnd,
    bad_lines: BadLines,
    legality: Legality,
    /// True if the book is taken to be sorted.
    pub(super) sorted: bool,
}

/// What one chunk gives.
#[derive(Debug, Default)]
pub(super) struct Normalised {
    /// The records, in file order.
    pub(super) records: RunBuilder,
    /// Positions read, those of the other side included.
    pub(super) read: u64,
    /// Bad lines left out, by offset.
    pub(super) skipped: Vec<(u64, LineProblem)>,
}

/// What the merge needs to know of a body without reading its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) ply: u32,
    /// Depth of the first line.
    pub(super) first_depth: i32,
    /// Number of lines.
    pub(super) moves: u32,
    /// No move occurs twice, and the lines are in the order in which they are written.
    pub(super) clean: bool,
}

impl Meta {
    pub(super) const SIZE: usize = 12;

    fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..4].copy_from_slice(&self.ply.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.first_depth.to_le_bytes());
        let moves = self.moves << 1 | u32::from(self.clean);
        bytes[8..].copy_from_slice(&moves.to_le_bytes());
        bytes
    }

    /// The meta and the lines of a body.
    #[inline(always)]
    pub(super) fn split(body: &[u8]) -> (Self, &[u8]) {
        let (meta, lines) = body.split_at(Self::SIZE);
        let word = |at: usize| [meta[at], meta[at + 1], meta[at + 2], meta[at + 3]];
        let moves = u32::from_le_bytes(word(8));
        let meta = Self {
            ply: u32::from_le_bytes(word(0)),
            first_depth: i32::from_le_bytes(word(4)),
            moves: moves >> 1,
            clean: moves & 1 != 0,
        };
        (meta, lines)
    }
}

/// Buffers used again and again.
struct Scratch {
    sfen: Vec<u8>,
    key: Vec<u8>,
    seen: Vec<u16>,
    board: SfenBoard,
}

impl Normaliser {
    pub(super) fn new(input: &MergeInput, options: MergeOptions, sorted: bool) -> Self {
        Self {
            path: input.path.clone(),
            side: input.side,
            ignore_ply: options.ignore_ply,
            line_end: options.line_end,
            bad_lines: options.bad_lines,
            legality: options.legality,
            sorted,
        }
    }

    /// The records of a chunk.
    ///
    /// # Errors
    /// A bad line, with its offset.
    pub(super) fn normalise(
        &self,
        chunk: &Chunk,
        pool: &Pool,
    ) -> Result<Normalised, (u64, LineProblem)> {
        let buffer = pool.take(chunk.bytes.len() + chunk.bytes.len() / 4);
        let mut result = Normalised {
            records: RunBuilder::in_buffer(buffer),
            ..Normalised::default()
        };
        let mut scratch = Scratch {
            sfen: Vec::new(),
            key: Vec::new(),
            seen: Vec::new(),
            board: SfenBoard::empty(),
        };
        for record in Records::new(&chunk.bytes, chunk.offset) {
            result.read += 1;
            let added = self.add(&record, &mut scratch, &mut result);
            if let Err(problem) = added {
                if self.bad_lines == BadLines::Fail {
                    return Err((record.offset, problem));
                }
                result.skipped.push((record.offset, problem));
            }
            if self.bad_lines == BadLines::Fail
                && let Some(bad) = result.skipped.pop()
            {
                return Err(bad);
            }
        }
        Ok(result)
    }

    /// Adds a record; bad move lines are left out and listed.
    #[inline]
    fn add(
        &self,
        record: &Record<'_>,
        scratch: &mut Scratch,
        result: &mut Normalised,
    ) -> Result<(), LineProblem> {
        let line = canonical_sfen(record.sfen, &mut scratch.sfen)?;
        if self.side.is_some_and(|side| side != line.side_to_move()) {
            return Ok(());
        }
        scratch.key.clear();
        scratch.key.extend_from_slice(line.position);
        if !self.ignore_ply {
            scratch.key.push(b' ');
            push_number(&mut scratch.key, line.ply.into(), false);
        }
        let ply = line.ply;
        let position;
        let judge = match self.legality {
            Legality::Pieces => {
                scratch.board.set(line.position);
                MoveCheck::Pieces(&scratch.board)
            }
            Legality::Rules => {
                position = sfen_position(record.sfen, View::AsWritten)?.0;
                MoveCheck::Rules(&position)
            }
        };
        let (seen, skipped) = (&mut scratch.seen, &mut result.skipped);
        result.records.push_with(&scratch.key, |body| {
            let start = body.len();
            body.extend_from_slice(&[0; Meta::SIZE]);
            let meta = self.push_lines(record, ply, &judge, seen, skipped, body);
            body[start..start + Meta::SIZE].copy_from_slice(&meta.to_bytes());
        });
        Ok(())
    }

    #[inline]
    fn push_lines(
        &self,
        record: &Record<'_>,
        ply: u32,
        judge: &MoveCheck<'_>,
        seen: &mut Vec<u16>,
        skipped: &mut Vec<(u64, LineProblem)>,
        body: &mut Vec<u8>,
    ) -> Meta {
        let mut meta = Meta {
            ply,
            first_depth: 0,
            moves: 0,
            clean: true,
        };
        seen.clear();
        let mut last = (u64::MAX, i32::MAX);
        for (offset, text) in record.lines() {
            let line = match MoveLine::parse(text) {
                Ok(line) if judge.allows(line.book_move.mv) => line,
                wrong => {
                    let problem = wrong.map_or_else(|problem| problem, |line| illegal(&line));
                    skipped.push((offset, problem));
                    continue;
                }
            };
            let known = line.book_move;
            if meta.moves == 0 {
                meta.first_depth = known.depth;
            }
            let mv = known.mv.map_or(0, |mv| mv.0);
            let order = (known.count, known.eval);
            meta.clean &= order <= last && !seen.contains(&mv);
            last = order;
            seen.push(mv);
            meta.moves += 1;
            if line.canonical {
                body.extend_from_slice(text);
            } else {
                push_move_line(body, &known);
            }
            body.extend_from_slice(self.line_end.bytes());
        }
        meta
    }
}

/// What says whether moves may be played in a position.
enum MoveCheck<'a> {
    Pieces(&'a SfenBoard),
    Rules(&'a Position),
}

impl MoveCheck<'_> {
    /// Returns whether the move may be played; `none` may stand anywhere.
    #[inline(always)]
    fn allows(&self, mv: Option<Move16>) -> bool {
        match (self, mv) {
            (_, None) => true,
            (Self::Pieces(board), Some(mv)) => {
                mv.decode().is_some_and(|text| board.is_pseudo_legal(text))
            }
            (Self::Rules(position), Some(mv)) => {
                let complete = position.move_from_16(mv);
                complete.is_some_and(|m| position.is_legal(m))
            }
        }
    }
}

#[cold]
fn illegal(line: &MoveLine) -> LineProblem {
    let text = line.book_move.mv.and_then(Move16::decode);
    LineProblem::Illegal(text.map_or_else(String::new, |text| text.to_string()))
}
