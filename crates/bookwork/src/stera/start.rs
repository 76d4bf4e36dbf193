//! The start of a run: books, records and journal.

use std::path::Path;
use std::time::Duration;

use farm::{RunControl, SharedBacklog};
use hashbrown::HashSet;
use shogi_core::{PackedSfen, Position};
use yane_book::db::Lines;
use yane_book::records::{Replay, read_roots};
use yane_book::sniff::RECORDS;
use yane_book::{BookError, Format, Job};
use yane_io::{Flush, Journal, read_text};

use super::books::{self, Read};
use super::choice::{Choice, Rule};
use super::journal::decode;
use super::recorder::SteraRecorder;
use super::store::Store;
use super::{SteraOptions, SteraStep, SteraSummary};
use crate::Result;
use crate::checkpoint::journal_of;
use crate::report::{BookObserver, BookReport, BookRunEvent};
use crate::think::has_book;

/// The description in the header of journals of such runs.
const DESCRIPTION: &str = "makebook s_tera 1";
/// How often the journal is flushed to the disk.
const FLUSH: Flush = Flush::Every(Duration::from_secs(10));

/// Everything that a run starts with.
pub(super) struct Start {
    choice: Choice,
    journal: Journal,
    incomplete: u64,
}

impl Start {
    /// Reads what is known.
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
        let mut journal = Journal::open(&journal_of(path), DESCRIPTION, FLUSH)?;
        match choice(roots, &mut journal, options, job) {
            Ok((choice, incomplete)) => Ok(Self {
                choice,
                journal,
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

    /// Has positions chosen and searched by what `search` does, with so many `workers` of this process, to the end
    /// of the run.
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
                lost: self.journal.lost(),
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
            return Err(BookError::file(journal_of(&options.write_book), reason).into());
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
                "would lose {} position(s) that lack a legal move or are invalid; choose another output",
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

/// How leaves are chosen, in turn.
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
    let text = read_text(path, &RECORDS)?;
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
