//! Writing the sorted positions.

use std::cmp::Reverse;
use std::path::Path;

use shogi_core::PackedSfen;
use yane_io::AtomicFile;

use super::Options;
use super::target::APERY_KEY;
use crate::apery::AperyWriter;
use crate::db::{HEADER, LineEnd, push_move_line, push_position_line};
use crate::ybb::YbbWriter;
use crate::{BookMove, Format, Job, Result, sort_moves};

/// The output file.
pub(super) struct Output {
    writer: Writer,
    order: Order,
}

enum Writer {
    Db(DbWriter),
    Ybb(YbbWriter),
    Apery(AperyWriter),
}

/// In which order the moves of a position are written.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// As in the input.
    Input,
    /// Best value first.
    Value,
    /// By count, then value.
    CountThenValue,
}

impl Output {
    /// Begins the file `path` for `positions` positions that come from `source`.
    pub(super) fn create(
        path: &Path,
        source: Format,
        positions: u64,
        options: &Options,
        job: &Job,
    ) -> Result<Self> {
        let format = Format::of_path(path)?;
        let order = match (source, format) {
            (Format::Apery, _) | (_, Format::Apery) => Order::CountThenValue,
            (_, Format::Db) => Order::Value,
            (_, Format::Ybb) => Order::Input,
        };
        let writer = match format {
            Format::Db => Writer::Db(DbWriter::create(path, source, positions, options)?),
            Format::Ybb => {
                let temp_dir = job.temp_for(path);
                Writer::Ybb(YbbWriter::create(path, &temp_dir, options.depths)?)
            }
            Format::Apery => Writer::Apery(AperyWriter::create(path)?),
        };
        Ok(Self { writer, order })
    }

    /// Writes a position. `key` is its [`super::target::Target::key`].
    pub(super) fn write(&mut self, key: &[u8], ply: u32, moves: &mut [BookMove]) -> Result<()> {
        match self.order {
            Order::Input => {}
            Order::Value => moves.sort_by_key(|known| Reverse(known.eval)),
            Order::CountThenValue => sort_moves(moves),
        }
        match &mut self.writer {
            Writer::Db(writer) => writer.push(key, ply, moves),
            Writer::Ybb(writer) => {
                let mut packed = [0; 32];
                packed.copy_from_slice(key);
                let ply = u16::try_from(ply).unwrap_or(u16::MAX);
                writer.push(&PackedSfen(packed), ply, moves)
            }
            Writer::Apery(writer) => {
                let mut bytes = [0; APERY_KEY];
                bytes.copy_from_slice(&key[..APERY_KEY]);
                writer.push(u64::from_be_bytes(bytes), moves)
            }
        }
    }

    /// Makes it the file.
    pub(super) fn commit(self) -> Result<()> {
        match self.writer {
            Writer::Db(writer) => Ok(writer.file.commit()?),
            Writer::Ybb(writer) => writer.commit(),
            Writer::Apery(writer) => writer.commit(),
        }
    }
}

/// Writes text.
struct DbWriter {
    file: AtomicFile,
    line_end: LineEnd,
    /// Whether a move has its fifth field, the count.
    counts: bool,
    text: Vec<u8>,
}

impl DbWriter {
    fn create(path: &Path, source: Format, positions: u64, options: &Options) -> Result<Self> {
        // A `.ybb` book knows no counts; what `YaneuraOu` writes of such books has four fields.
        let counts = source != Format::Ybb;
        let usual = if counts { LineEnd::CrLf } else { LineEnd::Lf };
        let line_end = options.line_end.unwrap_or(usual);
        let mut text = [HEADER.as_bytes(), line_end.bytes()].concat();
        if !counts {
            text.extend_from_slice(format!("# NOE:{positions}").as_bytes());
            text.extend_from_slice(line_end.bytes());
        }
        let mut file = AtomicFile::create(path)?;
        file.put(&text)?;
        Ok(Self {
            file,
            line_end,
            counts,
            text,
        })
    }

    fn push(&mut self, sfen: &[u8], ply: u32, moves: &[BookMove]) -> Result<()> {
        let text = &mut self.text;
        text.clear();
        push_position_line(text, sfen, ply, self.line_end);
        for book_move in moves {
            push_move_line(text, book_move);
            if !self.counts {
                let fifth = text.iter().rposition(|&byte| byte == b' ');
                text.truncate(fifth.unwrap_or(text.len()));
            }
            text.extend_from_slice(self.line_end.bytes());
        }
        Ok(self.file.put(text)?)
    }
}
