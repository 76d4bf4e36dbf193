//! A book that grows by itself (`makebook endless_extend_tree`).
//!
//! The lines by which the book can grow ([`yane_book::extend_tree`]) are listed and searched ([`crate::think`]),
//! and again, until there are none left that lead to anything new.
//!
//! # Crash safety
//!
//! Positions are safe when they have been searched ([`crate::think`]). The checkpoint beside the book has the
//! number of the round and the hash of its list, so that the same call resumes in the same round; an
//! uninterrupted run gives the same book. A new list from half a round would find other ways to the same
//! positions, and so other move numbers.

use std::path::{Path, PathBuf};

use farm::RunControl;
use farm::queue::{Queue, Server};
use serde::{Deserialize, Serialize};
use shogi_farm::{Engine, EnginePool, with_contents};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use yane_book::extend_tree::{ExtendTree, ExtendTreeReport, extension_lines};
use yane_book::from_sfen::RecordInput;
use yane_book::memory::ReadOptions;
use yane_book::records::{Root, read_roots};
use yane_io::{AtomicFile, Job, RunIdentity, RunLock, Snapshot, beside};

pub use crate::report::EndlessStep;
use crate::report::{BookObserver, BookReport, BookRunEvent, BookSummary, BookTotals, StopReason};
use crate::think::{Task, Think};
use crate::think::{fingerprint, has_book, read_book, recover, search_description};
use crate::{Result, checkpoint};

/// Options of a run that extends and searches a book in rounds.
#[derive(Clone, Debug)]
pub struct Endless {
    /// Options of the search, and the book; its records are replaced by [`Self::list`].
    pub think: Think,
    /// Root positions: a record file.
    pub roots: PathBuf,
    /// The list of lines to search, written in every round.
    pub list: PathBuf,
    /// Options for the choice of lines.
    pub extend: ExtendTree,
    /// The limit of rounds, those before an interruption included.
    pub rounds: u64,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndlessSummary {
    /// Rounds, those before an interruption included.
    pub rounds: u64,
    /// Summary of this process; the counts are those of its last round.
    pub summary: BookSummary,
    /// Reason for the end.
    pub reason: StopReason,
}

/// Grows the book.
///
/// # Errors
/// When a file cannot be read or written, or no engine is left. What was searched by then is safe, and the same
/// call resumes from there.
pub fn grow(
    options: &Endless,
    pool: &EnginePool,
    control: &RunControl,
    job: &Job,
    observer: &BookObserver<'_>,
) -> Result<EndlessSummary> {
    rounds(options, control, job, observer, |task| {
        task.run(pool, control, observer)
    })
}

/// The queue at the server `url` by which machines share such a run. They have in common how to search, the options
/// of their engines, where lines start, and the name of the book.
///
/// # Errors
/// When the roots cannot be read.
pub fn queue(options: &Endless, engines: &[Engine], url: &str) -> Result<Queue> {
    let roots = read_roots(&options.roots)?;
    let description = format!(
        "endless 2 {:?} roots {:016x} {}",
        options.think.book.file_name(),
        fingerprint_of(&roots),
        search_description(&options.think, engines)
    );
    Ok(Queue::new(url, &description))
}

/// Grows the book like [`grow`] by the searches of the workers of `queue` ([`work`](crate::think::work)). They wait
/// while lines are listed, and end when this has, unless it was interrupted.
///
/// # Errors
/// When a file cannot be read or written, or the address of the queue is invalid. What was searched by then is
/// safe, and the same call resumes from there.
pub fn serve(
    options: &Endless,
    queue: &Queue,
    control: &RunControl,
    job: &Job,
    observer: &BookObserver<'_>,
) -> Result<EndlessSummary> {
    let server = Server::new(queue, control);
    let on_error = |reason: &str| observer(&BookRunEvent::TransientError { reason });
    server.open(on_error)?;
    let summary = rounds(options, control, job, observer, |task| {
        task.serve_round(&server, observer)
    })?;
    if summary.reason != StopReason::Interrupted {
        server.close(on_error)?;
    }
    Ok(summary)
}

/// Grows the book in rounds; `search` does the work of each.
fn rounds(
    options: &Endless,
    control: &RunControl,
    job: &Job,
    observer: &BookObserver<'_>,
    search: impl Fn(Task) -> Result<BookSummary>,
) -> Result<EndlessSummary> {
    let report = |step: EndlessStep<'_>| observer(&BookRunEvent::Report(BookReport::Endless(step)));
    let lock = RunLock::file(&state_of(options))?;
    let recovered = recover(&options.think, job)?;
    let (mut rounds, mut is_listed) = Rounds::open(options, lock, job)?;
    let mut summary = BookSummary::default();
    let reason = loop {
        if rounds.done >= options.rounds {
            break StopReason::Rounds;
        }
        if control.is_quitting() {
            break StopReason::Interrupted;
        }
        let number = rounds.done;
        if is_listed {
            report(EndlessStep::Resumed { number });
        } else {
            let found = &rounds.list(job)?;
            report(EndlessStep::Listed {
                number,
                report: found,
            });
        }
        // An interrupted round may be over, or all that is left of it may fail: neither decides about the next.
        let may_be_last = !std::mem::take(&mut is_listed);
        let listed = Think {
            inputs: vec![RecordInput::new(&options.list)],
            ..options.think.clone()
        };
        // No line is left.
        if !has_book(&options.list) {
            if may_be_last {
                break StopReason::NothingLeft;
            }
            rounds.done += 1;
            continue;
        }
        let task = Task::prepare(listed, job)?;
        if task.counts().to_do == 0 {
            task.leave()?;
            if may_be_last {
                break StopReason::NothingLeft;
            }
            rounds.done += 1;
            continue;
        }
        let grown = search(task)?;
        report(EndlessStep::Grown { summary: &grown });
        summary.add(&grown, BookTotals::add);
        if !grown.is_complete {
            break StopReason::Interrupted;
        }
        rounds.done += 1;
        if grown.finished == 0 && may_be_last {
            // Engines failed at all of it, and would again.
            break StopReason::NothingLeft;
        }
    };
    if reason != StopReason::Interrupted {
        rounds.end()?;
    }
    summary.totals.counts.recovered += recovered;
    summary.is_complete = reason != StopReason::Interrupted;
    Ok(EndlessSummary {
        rounds: rounds.done,
        summary,
        reason,
    })
}

/// The checkpoint of a run.
#[derive(Serialize, Deserialize)]
struct EndlessCheckpoint {
    /// Number of rounds before.
    number: u64,
    /// The hash of the list.
    list: String,
}

/// The rounds of a run.
struct Rounds<'a> {
    options: &'a Endless,
    roots: Vec<Root>,
    identity: RunIdentity,
    path: PathBuf,
    /// One run grows a book at a time, also between two rounds.
    _lock: RunLock,
    /// The number of finished rounds.
    done: u64,
}

impl<'a> Rounds<'a> {
    /// The rounds of an interrupted run, or else of a new one; and whether the list of that run is not finished.
    fn open(options: &'a Endless, lock: RunLock, job: &Job) -> Result<(Self, bool)> {
        let roots = read_roots(&options.roots)?;
        if roots.is_empty() {
            let reason =
                "no game or position is in the file (expected lines such as startpos moves 7g7f)";
            return Err(yane_io::Error::file(&options.roots, reason).into());
        }
        let identity = RunIdentity::new("makebook endless_extend_tree 2")
            .with("roots", format!("{:016x}", fingerprint_of(&roots)))
            .with("extension", format!("{:?}", options.extend));
        let identity = with_contents(identity, &options.think.contents);
        let path = state_of(options);
        let opened = match checkpoint::open(&path, &identity) {
            // What was searched is in the book, so that nothing but the count of rounds is lost.
            Err(error @ yane_io::Error::OtherRun { .. }) => {
                job.progress
                    .note(&format!("{error}; rounds are counted anew"));
                None
            }
            opened => Some(opened?),
        };
        let state: Option<EndlessCheckpoint> = match opened {
            Some(opened) => checkpoint::parse(opened, job)?,
            None => None,
        };
        let rounds = Self {
            options,
            roots,
            identity,
            path,
            _lock: lock,
            done: state.as_ref().map_or(0, |state| state.number),
        };
        // A list that was changed since is not the one of this round.
        let is_listed = match state {
            Some(state) => hash_of(&options.list)? == Some(state.list),
            None => false,
        };
        Ok((rounds, is_listed))
    }

    /// Lists the lines by which the book can grow.
    fn list(&self, job: &Job) -> Result<ExtendTreeReport> {
        let Endless {
            think,
            list,
            extend,
            ..
        } = self.options;
        let read = ReadOptions {
            ignore_ply: extend.ignore_book_ply,
        };
        let book = read_book(&think.book, read, job)?;
        let mut file = AtomicFile::create(list)?;
        let mut hash = Xxh3::new();
        let report = extension_lines(&book, &self.roots, extend, job, |line| {
            for bytes in [line.as_bytes(), extend.line_end.bytes()] {
                hash.update(bytes);
                file.put(bytes)?;
            }
            Ok(())
        })?;
        // First, so that there is no list without a checkpoint.
        let state = EndlessCheckpoint {
            number: self.done,
            list: hex(hash.digest()),
        };
        checkpoint::write(&self.path, &self.identity, &state)?;
        file.commit()?;
        Ok(report)
    }

    /// The run is over.
    fn end(&self) -> Result<()> {
        Ok(Snapshot::remove(&self.path)?)
    }
}

/// The state of a run.
fn state_of(options: &Endless) -> PathBuf {
    beside(&options.think.book, ".endless.state")
}

/// The hash of the roots.
fn fingerprint_of(roots: &[Root]) -> u64 {
    fingerprint(roots.iter().map(|root| root.game().position()))
}

fn hash_of(path: &Path) -> Result<Option<String>> {
    Ok(checkpoint::bytes(path)?.map(|bytes| hex(xxh3_64(&bytes))))
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}
