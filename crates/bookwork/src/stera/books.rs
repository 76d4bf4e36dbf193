//! Reading and writing the book of a [`Store`].

use std::path::Path;

use farm::SharedBacklog;
use hashbrown::HashSet;
use shogi_core::Position;
use yane_book::db::{BadLines, HEADER, LineEnd, LineProblem, Record, Records};
use yane_book::db::{line_error, open_chunks, push_move_line};
use yane_book::ybb::Ybb;
use yane_book::{BookError, BookMove, Format, Job, Unit};
use yane_io::AtomicFile;

use super::choice::Choice;
use super::store::{Refused, Store};
use crate::Result;

/// Positions read or written between two checks for cancellation.
const BATCH: usize = 1 << 10;

/// Bytes of a text book read at a time.
const CHUNK: usize = 1 << 18;

/// The result of reading a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    /// Positions that the store has now and had not before.
    pub(super) new: u64,
    /// Positions left out because a legal move has no value, or a king is missing.
    pub(super) incomplete: u64,
    /// Positions and lines left out because they are invalid.
    pub(super) bad: u64,
}

/// Reads the book at `path` into `store`, whose values are not valid before [`super::graph::SearchGraph::settle_all`].
pub(super) fn read(store: &mut Store, path: &Path, bad: BadLines, job: &Job) -> Result<Read> {
    match Format::of_path(path)? {
        Format::Db => read_db(store, path, bad, job),
        Format::Ybb => read_ybb(store, path, job),
        Format::Apery => Err(BookError::file(path, "expected a .db or .ybb book").into()),
    }
}

fn read_db(store: &mut Store, path: &Path, bad: BadLines, job: &Job) -> Result<Read> {
    let mut chunks = open_chunks(path, CHUNK)?;
    let name = path.display().to_string();
    job.progress
        .stage(&name, Some(chunks.file_len()), Unit::Bytes);
    let mut report = Read::default();
    while let Some(chunk) = chunks.next_chunk()? {
        job.check()?;
        for record in Records::new(&chunk.bytes, chunk.offset) {
            match (parse(&record), bad) {
                (Ok((position, moves)), _) => report.add(store, &position, &moves),
                (Err(_), BadLines::Skip) => report.bad += 1,
                (Err((offset, fault)), BadLines::Fail) => {
                    return Err(line_error(path, offset, fault).into());
                }
            }
        }
        job.progress.advance(chunk.bytes.len() as u64);
        chunks.pool().give(chunk.bytes);
    }
    Ok(report)
}

/// The position of a record, with its moves.
fn parse(
    record: &Record<'_>,
) -> std::result::Result<(Position, Vec<BookMove>), (u64, LineProblem)> {
    let position = record
        .position()
        .map_err(|problem| (record.offset, problem))?;
    let mut moves = Vec::new();
    for (offset, line) in record.moves() {
        yane_book::add_move(&mut moves, line.map_err(|problem| (offset, problem))?);
    }
    Ok((position, moves))
}

fn read_ybb(store: &mut Store, path: &Path, job: &Job) -> Result<Read> {
    let book = Ybb::open(path)?;
    book.verify()?;
    let name = path.display().to_string();
    job.progress.stage(&name, Some(book.len()), Unit::Positions);
    let mut report = Read::default();
    for index in 0..book.len() {
        let Some(entry) = book.get(index)? else {
            break;
        };
        let position = entry
            .position()
            .map_err(|error| BookError::byte(path, entry.offset(), error.to_string()))?;
        let moves: Vec<BookMove> = entry.moves().collect();
        report.add(store, &position, &moves);
        if index % BATCH as u64 == 0 {
            job.check()?;
            job.progress.advance(BATCH as u64);
        }
    }
    Ok(report)
}

impl Read {
    fn add(&mut self, store: &mut Store, position: &Position, moves: &[BookMove]) {
        match store.add(position, moves, true) {
            Ok(()) => self.new += 1,
            Err(Refused::Known) => {}
            Err(_) => self.incomplete += 1,
        }
    }
}

/// Writes the book of `choice` as far as the journal has it, sorted by SFEN, as `path`; workers choose leaves
/// meanwhile.
pub(super) fn write(shared: &SharedBacklog<Choice>, path: &Path, line_end: LineEnd) -> Result<u64> {
    let choice = shared.lock();
    let graph = &choice.store.graph;
    let len = graph.len() as u32;
    let unsaved = choice.unsaved.iter().filter_map(|&key| graph.find(key));
    let unsaved: HashSet<u32> = unsaved.collect();
    drop(choice);
    let mut order = Vec::with_capacity(len as usize);
    for batch in batches(0..len) {
        let choice = shared.lock();
        let saved = batch.filter(|node| !unsaved.contains(node));
        order.extend(saved.map(|node| (choice.store.position(node).to_sfen(), node)));
    }
    order.sort_unstable();
    let mut file = AtomicFile::create(path)?;
    file.put(HEADER.as_bytes())?;
    file.put(line_end.bytes())?;
    let mut text = Vec::new();
    for batch in order.chunks(BATCH) {
        text.clear();
        let choice = shared.lock();
        for (sfen, node) in batch {
            text.extend_from_slice(b"sfen ");
            text.extend_from_slice(sfen.as_bytes());
            text.extend_from_slice(line_end.bytes());
            for known in choice.store.moves(*node) {
                push_move_line(&mut text, &known);
                text.extend_from_slice(line_end.bytes());
            }
        }
        drop(choice);
        file.put(&text)?;
    }
    file.commit()?;
    Ok(order.len() as u64)
}

fn batches(range: std::ops::Range<u32>) -> impl Iterator<Item = std::ops::Range<u32>> {
    let end = range.end;
    range
        .step_by(BATCH)
        .map(move |start| start..end.min(start + BATCH as u32))
}
