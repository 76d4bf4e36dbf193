//! From the workers through the sorter to the output file.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use shogi_packed::PackedSfen;
use yane_io::external::Sorter;
use yane_io::{AtomicFile, Pool, TempFolder};

use super::batch::{APERY_KEY, Done, Input, LeftOut, REMEMBERED};
use super::{ConvertOptions, ConvertReport, LostPosition, OtherPlies};
use crate::apery::AperyWriter;
use crate::db::{
    CommentCounts, Comments, HEADER, LineEnd, LineProblem, push_move_line, push_position_line,
};
use crate::entries::unpack_entry;
use crate::ybb::YbbWriter;
use crate::{BookMove, Format, Job, Result, Unit, add_move, sort_moves};

/// Positions between two reports of progress while writing.
const STEP: u64 = 1 << 14;

/// Collects the results of the workers.
pub(super) struct Collector {
    pub(super) job: Job,
    source: Format,
    sorter: Sorter,
    /// Buffers of runs that went to the disk, for the workers to fill again.
    pub(super) pool: Pool,
    positions: u64,
    tally: LeftOut,
    pub(super) unreached: u64,
    /// The first that cannot be reached.
    pub(super) unreached_first: Vec<LostPosition>,
}

impl Collector {
    pub(super) fn new(job: &Job, temp_dir: &TempFolder, source: Format) -> Self {
        Self {
            job: job.clone(),
            source,
            sorter: Sorter::new(job, temp_dir),
            pool: Pool::default(),
            positions: 0,
            tally: LeftOut::default(),
            unreached: 0,
            unreached_first: Vec::new(),
        }
    }

    /// Adds a batch.
    pub(super) fn take(&mut self, done: Done) -> Result<()> {
        self.positions += done.positions;
        let (all, new) = (&mut self.tally, done.tally);
        all.without_moves += new.without_moves;
        all.bad_positions += new.bad_positions;
        all.bad_moves += new.bad_moves;
        all.collisions += new.collisions;
        all.comments += new.comments;
        let room = REMEMBERED.saturating_sub(all.collided.len());
        all.collided.extend(new.collided.into_iter().take(room));
        let room = REMEMBERED.saturating_sub(all.problems.len());
        all.problems.extend(new.problems.into_iter().take(room));
        self.job.progress.advance(done.amount);
        Ok(self.sorter.add_run(done.run, &self.pool)?)
    }

    /// Number of positions taken.
    pub(super) const fn positions(&self) -> u64 {
        self.positions
    }

    /// Returns the summary of the entries left out so far.
    pub(super) fn report(&mut self, input: &Input) -> Result<ConvertReport> {
        let tally = std::mem::take(&mut self.tally);
        Ok(ConvertReport {
            without_moves: tally.without_moves,
            bad_positions: tally.bad_positions,
            bad_moves: tally.bad_moves,
            collisions: tally.collisions,
            comments: CommentCounts {
                kept: 0,
                left_out: tally.comments,
            },
            unreached: self.unreached,
            lost: [tally.collided, std::mem::take(&mut self.unreached_first)].concat(),
            left_out: input.errors(tally.problems)?,
            ..ConvertReport::default()
        })
    }

    /// Writes all positions in the order of the output.
    pub(super) fn write(
        self,
        input: &Input,
        other_plies: OtherPlies,
        mut output: Output,
        report: &mut ConvertReport,
    ) -> Result<()> {
        let job = self.job;
        job.progress
            .stage("write", Some(self.positions), Unit::Positions);
        let mut sorted = self.sorter.finish()?;
        let mut joined = Joined::default();
        let mut read = 0;
        while let Some((_, key, body)) = sorted.current() {
            if joined.key == key && !joined.moves.is_empty() {
                joined
                    .join(body, self.source, other_plies, report)
                    .map_err(|(at, problem)| input.error(at, problem))?;
            } else {
                joined.write(&mut output, report)?;
                joined.begin(key, body);
            }
            sorted.advance()?;
            read += 1;
            if read % STEP == 0 {
                job.check()?;
                job.progress.advance(STEP);
            }
        }
        joined.write(&mut output, report)?;
        job.progress.advance(read % STEP);
        job.check()?;
        output.commit()
    }
}

/// Place in the input and ply of a record of the sorter; the moves are appended to `moves`.
fn read_body(body: &[u8], moves: &mut Vec<BookMove>) -> (u64, u32) {
    let (at, rest) = body.split_at(8);
    let at = u64::from_le_bytes(std::array::from_fn(|i| at[i]));
    (at, unpack_entry(rest, moves))
}

/// A position, joined from all places where the input has it.
#[derive(Default)]
struct Joined {
    key: Vec<u8>,
    ply: u32,
    /// Empty before the first position.
    moves: Vec<BookMove>,
}

impl Joined {
    fn begin(&mut self, key: &[u8], body: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.moves.clear();
        (_, self.ply) = read_body(body, &mut self.moves);
    }

    /// Adds the same position from a later place of the input.
    fn join(
        &mut self,
        body: &[u8],
        source: Format,
        other_plies: OtherPlies,
        report: &mut ConvertReport,
    ) -> std::result::Result<(), (u64, LineProblem)> {
        let mut moves = Vec::new();
        let (at, ply) = read_body(body, &mut moves);
        if source != Format::Db {
            let problem = LineProblem::Expected {
                expected: "each position once",
                found: "one that was there before".to_owned(),
            };
            return Err((at, problem));
        }
        if ply == self.ply {
            for book_move in moves {
                add_move(&mut self.moves, book_move);
            }
            return Ok(());
        }
        if other_plies == OtherPlies::Refuse {
            let problem = LineProblem::Expected {
                expected: "each position with one ply only (or leave to write the smallest)",
                found: format!("ply {ply} after ply {}", self.ply),
            };
            return Err((at, problem));
        }
        report.other_plies += 1;
        if ply < self.ply {
            self.ply = ply;
            self.moves = moves;
        }
        Ok(())
    }

    fn write(&mut self, output: &mut Output, report: &mut ConvertReport) -> Result<()> {
        if self.moves.is_empty() {
            return Ok(());
        }
        output.write(&self.key, self.ply, &mut self.moves)?;
        report.positions += 1;
        report.moves += self.moves.len() as u64;
        Ok(())
    }
}

/// The output file.
pub(super) struct Output {
    writer: Writer,
    order: MoveOrder,
}

enum Writer {
    Db(DbWriter),
    Ybb(YbbWriter),
    Apery(AperyWriter),
}

/// In which order the moves of a position are written.
#[derive(Clone, Copy, Debug)]
enum MoveOrder {
    /// Order of the input.
    Input,
    /// Best value first.
    Value,
    /// Order by count, then value.
    CountThenValue,
}

impl Output {
    /// Begins the file `path` for `positions` positions that come from `source`.
    pub(super) fn create(
        path: &Path,
        source: Format,
        positions: u64,
        options: &ConvertOptions,
        job: &Job,
    ) -> Result<Self> {
        let format = Format::of_path(path)?;
        let order = match (source, format) {
            (Format::Apery | Format::Sbk, _) | (_, Format::Apery | Format::Sbk) => {
                MoveOrder::CountThenValue
            }
            (_, Format::Db) => MoveOrder::Value,
            (_, Format::Ybb) => MoveOrder::Input,
        };
        let writer = match format {
            Format::Db => Writer::Db(DbWriter::create(path, source, positions, options)?),
            Format::Ybb => {
                let temp_dir = job.temp_for(path);
                Writer::Ybb(YbbWriter::create(path, &temp_dir, options.depths)?)
            }
            Format::Apery => Writer::Apery(AperyWriter::create(path)?),
            Format::Sbk => return Err(super::never_written(path)),
        };
        Ok(Self { writer, order })
    }

    /// Adds comments about the book and about positions, which only a `.db` book has. Returns whether they are written.
    pub(super) fn comment(
        &mut self,
        about: &[String],
        comments: CommentsByPosition,
    ) -> Result<bool> {
        let Writer::Db(writer) = &mut self.writer else {
            return Ok(false);
        };
        for line in about {
            writer.file.put(line.as_bytes())?;
            writer.file.put(writer.line_end.bytes())?;
        }
        writer.comments = comments;
        Ok(true)
    }

    /// Writes a position. `key` is its [`super::batch::OutputRules::key`].
    pub(super) fn write(&mut self, key: &[u8], ply: u32, moves: &mut [BookMove]) -> Result<()> {
        match self.order {
            MoveOrder::Input => {}
            MoveOrder::Value => moves.sort_by_key(|known| Reverse(known.eval)),
            MoveOrder::CountThenValue => sort_moves(moves),
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

    /// Replaces the file with the output.
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
    /// True if a move has its fifth field, the count.
    counts: bool,
    /// Comments by the SFENs without ply.
    comments: CommentsByPosition,
    text: Vec<u8>,
}

/// Comments of positions by their SFENs without ply.
pub(super) type CommentsByPosition = HashMap<Vec<u8>, Comments>;

impl DbWriter {
    fn create(
        path: &Path,
        source: Format,
        positions: u64,
        options: &ConvertOptions,
    ) -> Result<Self> {
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
            comments: CommentsByPosition::new(),
            text,
        })
    }

    fn push(&mut self, sfen: &[u8], ply: u32, moves: &[BookMove]) -> Result<()> {
        let text = &mut self.text;
        text.clear();
        if let Some(comments) = self.comments.get(sfen) {
            let sfen = [sfen, b" ", ply.to_string().as_bytes()].concat();
            comments.push_entry(text, &sfen, moves, self.line_end);
            return Ok(self.file.put(text)?);
        }
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
