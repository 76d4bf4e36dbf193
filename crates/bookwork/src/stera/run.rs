//! A run, from its books to its book.

use std::path::Path;
use std::time::{Duration, Instant};

use farm::{Control, Players, Source as _};
use shogi_core::{PackedSfen, Position};
use yane_book::records::read_roots;
use yane_book::{BookError, Format, Job};
use yane_io::{Flush, Journal};

use super::books::{self, Read};
use super::chooser::{Choice, Chooser, Rule};
use super::expand::{Expand, Search, Searched};
use super::store::Store;
use super::unit::{Leaf, Outcome, decode, encode};
use super::{Grower, Grown, Step, SteraOptions};
use crate::Result;
use crate::saved::{beside, journal_of};
use crate::think::{Event, Summary, has_book};

/// What journals of such runs begin with.
const DESCRIPTION: &str = "makebook s_tera 1";
/// How often the journal is flushed to the disk.
const FLUSH: Flush = Flush::Every(Duration::from_secs(10));

/// Grows a book until `options.think_limit` positions are searched, no leaf is left, or `control` says so. The
/// same call goes on with a run that was interrupted: all that was searched is in the journal beside the
/// output. `job` is for reading books.
///
/// # Errors
/// When a file cannot be read or written, or no engine is left. What was searched is safe.
pub fn run(
    options: &SteraOptions,
    players: &Players,
    control: &Control,
    job: &Job,
    grower: &dyn Grower,
) -> Result<Grown> {
    let begin = begin(options, job)?;
    begin.run(options, players.seats(), control, grower, |growth| {
        let chooser = growth.chooser;
        let work = Expand {
            chooser,
            search: Search::new(options),
        };
        farm::run(players, &work, chooser, control, options.rules, |event| {
            growth.take(players, event)
        })
    })
}

/// What a run begins with.
pub(super) struct Begin {
    choice: Choice,
    journal: Journal,
    incomplete: u64,
}

impl Begin {
    /// Has positions chosen and searched by what `search` does, `seats` at a time here, to the end of the run.
    pub(super) fn run(
        mut self,
        options: &SteraOptions,
        seats: usize,
        control: &Control,
        grower: &dyn Grower,
        search: impl FnOnce(&mut Growth<'_>) -> Result<()>,
    ) -> Result<Grown> {
        let grown = Grown {
            positions: self.choice.store.net.len() as u64,
            finished: self.choice.turn,
            summary: Summary::default(),
        };
        grower.step(&Step::Begun {
            seats,
            positions: grown.positions,
            incomplete: self.incomplete,
            finished: grown.finished,
            limit: options.think_limit,
            lost: self.journal.lost(),
        });
        self.choice.limit = options.think_limit;
        let mut growth = Growth {
            options,
            chooser: &Chooser::new(self.choice),
            journal: self.journal,
            grown,
            begun: Instant::now(),
            since_save: 0,
            numbered: 0,
            grower,
        };
        let result = search(&mut growth);
        growth.end(result, control)
    }
}

/// Reads what is known.
pub(super) fn begin(options: &SteraOptions, job: &Job) -> Result<Begin> {
    let path = &options.write_book;
    if Format::of_path(path)? != Format::Db {
        let reason = "s_tera writes .db books; convert it afterwards";
        return Err(BookError::file(path, reason).into());
    }
    let roots = roots(options.roots.as_deref())?;
    let folder = yane_io::folder_of(path);
    std::fs::create_dir_all(&folder).map_err(yane_io::Error::write(&folder, 0))?;
    // First, as it keeps other processes away.
    let mut journal = Journal::open(&journal_of(path), DESCRIPTION, FLUSH)?;
    match choice(roots, &mut journal, options, job) {
        Ok((choice, incomplete)) => Ok(Begin {
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

/// Everything that is known, and how many positions of books were left out.
fn choice(
    roots: Vec<Position>,
    journal: &mut Journal,
    options: &SteraOptions,
    job: &Job,
) -> Result<(Choice, u64)> {
    let mut store = Store::new(options.virtual_loss);
    let incomplete = read_books(&mut store, options, job)?;
    store.net.settle_all();
    let mut choice = Choice::new(store, roots, rules(options));
    if let Some(records) = &options.records {
        choice.records = super::records::keys(records)?;
    }
    let numbers: Vec<u64> = journal.numbers().collect();
    for number in numbers {
        let bytes = journal.get(number)?.unwrap_or_default();
        let Some((leaf, outcome)) = decode(&bytes) else {
            let reason = format!("unit {number} makes no sense");
            return Err(BookError::file(journal_of(&options.write_book), reason).into());
        };
        // A position may be in a book that was written since.
        choice.learn(&leaf, &outcome).ok();
        choice.turn += 1;
    }
    Ok((choice, incomplete))
}

/// Reads the books that are there: what this command wrote before, and the one to begin with.
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
                "would lose {} position(s) that lack a legal move or make no sense; choose another name for \
                 the output",
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

/// Takes what comes from the engines.
pub(super) struct Growth<'a> {
    options: &'a SteraOptions,
    pub(super) chooser: &'a Chooser,
    journal: Journal,
    grown: Grown,
    begun: Instant,
    since_save: u64,
    /// Numbered saves.
    numbered: u32,
    grower: &'a dyn Grower,
}

impl Growth<'_> {
    /// Takes what comes from seats of this process.
    fn take(&mut self, players: &Players, event: farm::Event<'_, Leaf, Searched>) -> Result<()> {
        match event {
            farm::Event::Done { seat, unit, done } => self.searched(Some(seat), unit, &done)?,
            farm::Event::GivenUp { unit } => self.given_up(unit)?,
            farm::Event::Failed { seat, reason, .. } => {
                self.grown.summary.failures += 1;
                let name = players.name(seat);
                self.grower.event(&Event::Failed { seat, name, reason });
            }
            farm::Event::Closed { seat, reason } => {
                let name = players.name(seat);
                self.grower.event(&Event::Closed { seat, name, reason });
            }
            farm::Event::Tick { seats } => self.grower.event(&Event::Tick { seats }),
            _ => {}
        }
        Ok(())
    }

    /// Takes what another machine found out about a position: nothing when it was given up there.
    pub(super) fn found(&mut self, leaf: &Leaf, searched: Option<Searched>) -> Result<()> {
        let mut choice = self.chooser.lock();
        // One that lacks a legal move is worth as little as none.
        let searched = searched.filter(|found| choice.learn(leaf, &found.outcome).is_ok());
        drop(choice);
        match searched {
            Some(searched) => self.searched(None, leaf, &searched)?,
            None => self.given_up(leaf)?,
        }
        self.chooser.done(leaf);
        Ok(())
    }

    fn given_up(&mut self, leaf: &Leaf) -> Result<()> {
        self.grown.summary.given_up += 1;
        self.chooser.lock().learn(leaf, &Outcome::GivenUp).ok();
        let position = leaf.position();
        self.grower.event(&Event::GivenUp { position });
        self.finish(leaf, &Outcome::GivenUp)
    }

    fn searched(&mut self, seat: Option<usize>, leaf: &Leaf, searched: &Searched) -> Result<()> {
        let summary = &mut self.grown.summary;
        summary.thought += 1;
        summary.nodes += searched.nodes;
        summary.elapsed = self.begun.elapsed();
        if let Outcome::Moves(moves) = &searched.outcome {
            summary.moves += moves.len() as u64;
            self.grower.event(&Event::Position {
                seat,
                position: leaf.position(),
                moves,
                depth: moves.first().map_or(0, |best| best.depth as u32),
                nodes: searched.nodes,
                summary,
            });
        }
        self.finish(leaf, &searched.outcome)
    }

    /// A position is finished, and known to those who choose.
    fn finish(&mut self, leaf: &Leaf, outcome: &Outcome) -> Result<()> {
        if let Some(bytes) = encode(leaf, outcome) {
            self.journal.put(self.grown.finished, &bytes)?;
        }
        self.grown.finished += 1;
        let mut choice = self.chooser.lock();
        choice.unsaved.remove(&leaf.key());
        let net = &choice.store.net;
        self.grown.positions = (net.len() - choice.unsaved.len()) as u64;
        let root = net.find(choice.roots[0].0);
        let root_value = root.map(|root| net.value(root));
        drop(choice);
        let grown = &self.grown;
        self.grower.step(&Step::Grown { root_value, grown });
        self.since_save += 1;
        if self.since_save >= self.options.save_interval.max(1) {
            self.save()?;
        }
        Ok(())
    }

    /// Writes the book.
    fn save(&mut self) -> Result<()> {
        let positions = std::mem::take(&mut self.since_save);
        let path = &self.options.write_book;
        // A crash of the machine must not leave a book that is ahead of it.
        self.journal.flush()?;
        self.grown.positions = books::write(self.chooser, path, self.options.line_end)?;
        if self.options.numbered_saves {
            let numbered = loop {
                self.numbered += 1;
                let path = beside(path, &format!("{:06}", self.numbered));
                if !path.exists() {
                    break path;
                }
            };
            books::write(self.chooser, &numbered, self.options.line_end)?;
        }
        self.grown.summary.saves += 1;
        self.grower.event(&Event::Saved { path, positions });
        Ok(())
    }

    /// Writes the book for the last time. The journal is not needed any more when the run is complete.
    fn end(mut self, result: Result<()>, control: &Control) -> Result<Grown> {
        // A run that found nothing leaves no book.
        if self.grown.positions > 0 {
            self.save()?;
        } else {
            // Positions that were given up are in it.
            self.journal.flush()?;
        }
        if let Err(error) = result {
            if self.journal.is_empty() {
                self.journal.remove()?;
            }
            return Err(error);
        }
        let summary = &mut self.grown.summary;
        summary.elapsed = self.begun.elapsed();
        summary.is_complete = !control.is_quitting();
        if summary.is_complete {
            self.journal.remove()?;
        }
        Ok(self.grown)
    }
}
