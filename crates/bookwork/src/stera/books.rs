//! Reading and writing the book of a [`Store`], and the start of a run: books, records and journal.

use std::path::Path;
use std::time::Duration;

use farm::{RunControl, SharedBacklog};
use hashbrown::HashSet;
use shogi_core::Position;
use shogi_farm::with_contents;
use shogi_packed::PackedSfen;
use yane_book::db::{BadLines, LineProblem, Lines, Record, Records, line_error, open_chunks};
use yane_book::records::{Replay, read_record_lines, read_roots};
use yane_book::ybb::Ybb;
use yane_book::{BookError, BookMove, Format, Job, Unit};
use yane_io::{Flush, Journal, JournalReport, RunIdentity};

use super::choice::{Choice, Rule};
use super::journal::{SteraRecorder, decode};
use super::store::{Refused, Store};
use super::{SteraOptions, SteraSummary, books};
use crate::Result;
use crate::report::SteraStep;
use crate::report::{BookObserver, BookReport, BookRunEvent};
use crate::stera::write::BATCH;
use crate::think::has_book;

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
        Format::Apery | Format::Sbk => {
            Err(BookError::file(path, "expected a .db or .ybb book").into())
        }
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

// The start of a run: books, records and journal.

/// The description in the header of journals of such runs.
const DESCRIPTION: &str = "makebook s_tera 1";
/// Interval between flushes of the journal to the disk.
const FLUSH: Flush = Flush::Every(Duration::from_secs(10));

/// State at the start of a run.
pub(super) struct Start {
    choice: Choice,
    journal: Journal,
    report: JournalReport,
    incomplete: u64,
}

impl Start {
    /// Reads the books and the journal.
    pub(super) fn read(options: &SteraOptions, job: &Job) -> Result<Self> {
        let path = &options.write_book;
        if Format::of_path(path)? != Format::Db {
            let reason = "s_tera writes .db books; convert it afterwards";
            return Err(BookError::file(path, reason).into());
        }
        let roots = roots(options.roots.as_deref())?;
        let folder = yane_io::folder_of(path);
        std::fs::create_dir_all(&folder).map_err(yane_io::Error::write(&folder, 0))?;
        // First, as it locks out other processes.
        let identity = with_contents(RunIdentity::new(DESCRIPTION), &options.contents);
        let (mut journal, report) =
            Journal::open(&Journal::path_of(path), &identity, FLUSH)?.into_parts();
        report.tell(|note| job.progress.note(note));
        match choice(roots, &mut journal, options, job) {
            Ok((choice, incomplete)) => Ok(Self {
                choice,
                journal,
                report,
                incomplete,
            }),
            Err(error) => {
                if journal.is_empty() {
                    journal.remove()?;
                }
                Err(error)
            }
        }
    }

    /// Runs `search`, which chooses and searches positions with so many `workers` of this process, and records its
    /// results to the end of the run.
    pub(super) fn record(
        mut self,
        options: &SteraOptions,
        workers: usize,
        control: &RunControl,
        observer: &BookObserver<'_>,
        search: impl FnOnce(&SharedBacklog<Choice>, &mut SteraRecorder<'_>) -> Result<()>,
    ) -> Result<SteraSummary> {
        observer(&BookRunEvent::Report(BookReport::Stera(
            SteraStep::Started {
                workers,
                positions: self.choice.store.graph.len() as u64,
                incomplete: self.incomplete,
                finished: self.choice.turn,
                limit: options.think_limit,
                lost: self.report.lost(),
            },
        )));
        self.choice.limit = options.think_limit;
        let choice = SharedBacklog::new(self.choice);
        let mut recorder = SteraRecorder::new(options, &choice, self.journal, observer);
        let result = search(&choice, &mut recorder);
        recorder.finish(result, control)
    }
}

/// The backlog with everything that is known, and how many positions of books were left out.
fn choice(
    roots: Vec<Position>,
    journal: &mut Journal,
    options: &SteraOptions,
    job: &Job,
) -> Result<(Choice, u64)> {
    let mut store = Store::new(options.virtual_loss);
    let incomplete = read_books(&mut store, options, job)?;
    store.graph.settle_all();
    let mut choice = Choice::new(store, roots, rules(options));
    if let Some(records) = &options.records {
        choice.records = record_keys(records)?;
    }
    let numbers: Vec<u64> = journal.numbers().collect();
    for number in numbers {
        let bytes = journal.get(number)?.unwrap_or_default();
        let Some((item, moves)) = decode(&bytes) else {
            let reason = format!("entry {number} is invalid");
            return Err(BookError::file(Journal::path_of(&options.write_book), reason).into());
        };
        // A position may be in a book that was written since.
        choice.learn(&item, moves.as_deref()).ok();
        choice.turn += 1;
    }
    Ok((choice, incomplete))
}

/// Reads the books that are there: what this command wrote before, and the one to start with.
fn read_books(store: &mut Store, options: &SteraOptions, job: &Job) -> Result<u64> {
    let SteraOptions {
        read_book,
        write_book,
        bad_lines,
        ..
    } = options;
    let mut incomplete = 0;
    if has_book(write_book) {
        let Read {
            incomplete, bad, ..
        } = books::read(store, write_book, *bad_lines, job)?;
        if incomplete + bad > 0 {
            let reason = format!(
                "would lose positions that lack a legal move or are invalid ({} in all); choose another output",
                incomplete + bad
            );
            return Err(BookError::file(write_book, reason).into());
        }
    }
    if read_book.is_file() {
        incomplete = books::read(store, read_book, *bad_lines, job)?.incomplete;
    }
    Ok(incomplete)
}

/// The positions at which play starts.
pub(super) fn roots(path: Option<&Path>) -> Result<Vec<Position>> {
    let mut roots = match path {
        Some(path) => {
            let roots = read_roots(path)?;
            let position = |root: &yane_book::records::Root| root.game().position().clone();
            roots.iter().map(position).collect()
        }
        None => Vec::new(),
    };
    if roots.is_empty() {
        roots.push(Position::startpos());
    }
    for root in &roots {
        if let Err(error) = PackedSfen::encode(root) {
            let reason = format!("{}: {error}", root.to_sfen());
            return Err(BookError::file(path.unwrap_or(Path::new("")), reason).into());
        }
    }
    Ok(roots)
}

/// Returns the rules by which leaves are chosen, in turn.
fn rules(options: &SteraOptions) -> Vec<Rule> {
    let mut rules = vec![Rule::Nearest];
    if options.search_delta > 0 {
        rules.push(Rule::Within(options.search_delta));
    }
    if options.search_delta_on_kif > 0 && options.records.is_some() {
        rules.push(Rule::OnRecord(options.search_delta_on_kif));
    }
    rules
}

/// The keys of all positions of the games in the record file at `path`. A game that cannot be followed to its
/// end counts as far as it can.
fn record_keys(path: &Path) -> Result<HashSet<u128>> {
    let text = read_record_lines(path)?;
    let mut keys = HashSet::new();
    for (_, line) in Lines::new(&text, 0) {
        let Ok(mut game) = Replay::new(line) else {
            continue;
        };
        keys.insert(game.position().key128());
        while let Ok(Some(_)) = game.play_next() {
            keys.insert(game.position().key128());
        }
    }
    Ok(keys)
}
