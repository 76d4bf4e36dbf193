//! A book that grows by itself (`makebook endless_extend_tree`).
//!
//! The lines by which the book can grow ([`yane_book::extend_tree`]) are listed and thought about
//! ([`crate::think`]), and again, until there are none left that lead to anything new.

use std::path::PathBuf;

use farm::{Control, Engine, Players};
use farm_queue::Serving;
use yane_book::extend_tree::{ExtendTree, ExtendTreeReport, extension_lines};
use yane_book::from_sfen::RecordInput;
use yane_book::memory::ReadOptions;
use yane_book::records::read_roots;
use yane_io::{AtomicFile, Job};

use crate::Result;
use crate::think::{Observer, Queue, Summary, Task, Think};
use crate::think::{fingerprint, how, read_book, recover, trouble};

/// How a book is to grow.
#[derive(Clone, Debug)]
pub struct Endless {
    /// How to think, and the book; the records are [`Self::list`], whatever is said here.
    pub think: Think,
    /// Where to begin: a record file.
    pub roots: PathBuf,
    /// The list of lines to think about, made anew each time.
    pub list: PathBuf,
    /// Which lines.
    pub extend: ExtendTree,
    /// How often at most.
    pub loops: u64,
}

/// What comes before and behind each time that the book is made to grow.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Lines were listed.
    Listed {
        /// How often that has been done before.
        number: u64,
        /// What was found.
        report: &'a ExtendTreeReport,
    },
    /// The book has grown as far as these lines go.
    Grown {
        /// What was done.
        summary: &'a Summary,
    },
}

/// Hears of a book that grows.
pub trait Grower: Observer {
    /// A step is done.
    fn step(&self, step: &Step<'_>);
}

/// Hears nothing.
impl Grower for () {
    fn step(&self, _: &Step<'_>) {}
}

/// Why a book grows no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It has been made to grow as often as was asked for.
    Loops,
    /// No line leaves it any more that leads to anything new.
    NothingLeft,
    /// The run was ended.
    Interrupted,
}

/// A run in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// How often the book grew.
    pub loops: u64,
    /// All of it together; the counts are those of the last time.
    pub summary: Summary,
    /// Why it ended.
    pub end: End,
}

/// Has the book grow.
///
/// # Errors
/// When a file cannot be read or written, or no engine is left. What was thought by then is safe, and the same
/// call goes on from there.
pub fn grow(
    options: &Endless,
    players: &Players,
    control: &Control,
    job: &Job,
    grower: &dyn Grower,
) -> Result<Growth> {
    rounds(options, control, job, grower, |task| {
        task.run(players, control, grower)
    })
}

/// What machines that think for such a run have in common, at the server `url`: how to think, the options of their
/// engines, where lines begin, and the name of the book.
///
/// # Errors
/// When the roots cannot be read.
pub fn queue(options: &Endless, engines: &[Engine], url: &str) -> Result<Queue> {
    let roots = read_roots(&options.roots)?;
    let roots: Vec<_> = roots
        .iter()
        .map(|root| root.game().position().clone())
        .collect();
    let description = format!(
        "endless {:?} roots {:016x} {}",
        options.think.book.file_name(),
        fingerprint(&roots),
        how(&options.think, engines)
    );
    Ok(Queue::new(url, &description))
}

/// Has the book grow like [`grow`] by the thought of those who [`work`](crate::think::work) for `queue`. They wait
/// while lines are listed, and end when this has, unless it was interrupted.
///
/// # Errors
/// When a file cannot be read or written, or the queue has no proper address. What was thought by then is safe,
/// and the same call goes on from there.
pub fn serve(
    options: &Endless,
    queue: &Queue,
    control: &Control,
    job: &Job,
    grower: &dyn Grower,
) -> Result<Growth> {
    let quits = || control.is_quitting();
    let serving = Serving::new(queue, &quits);
    serving.begin(trouble(grower))?;
    let growth = rounds(options, control, job, grower, |task| {
        task.serve_round(&serving, grower)
    })?;
    if growth.end != End::Interrupted {
        serving.finish(trouble(grower))?;
    }
    Ok(growth)
}

/// Has the book grow, each time by what `think` does.
fn rounds(
    options: &Endless,
    control: &Control,
    job: &Job,
    grower: &dyn Grower,
    think: impl Fn(Task) -> Result<Summary>,
) -> Result<Growth> {
    let mut growth = Growth {
        loops: 0,
        summary: Summary::default(),
        end: End::Loops,
    };
    let recovered = recover(&options.think, job)?;
    while growth.loops < options.loops {
        if control.is_quitting() {
            growth.end = End::Interrupted;
            break;
        }
        let report = list(options, job)?;
        grower.step(&Step::Listed {
            number: growth.loops,
            report: &report,
        });
        let listed = Think {
            inputs: vec![RecordInput::new(&options.list)],
            ..options.think.clone()
        };
        let task = Task::prepare(listed, job)?;
        if task.counts().to_do == 0 {
            growth.end = End::NothingLeft;
            task.leave()?;
            break;
        }
        let summary = think(task)?;
        grower.step(&Step::Grown { summary: &summary });
        growth.loops += 1;
        growth.summary.add(&summary);
        if !summary.is_complete {
            growth.end = End::Interrupted;
            break;
        }
        if summary.thought == 0 {
            // Engines failed at all of it, and would again.
            growth.end = End::NothingLeft;
            break;
        }
    }
    growth.summary.counts.recovered += recovered;
    growth.summary.is_complete = growth.end != End::Interrupted;
    Ok(growth)
}

/// Lists the lines by which the book can grow.
fn list(options: &Endless, job: &Job) -> Result<ExtendTreeReport> {
    let roots = read_roots(&options.roots)?;
    let read = ReadOptions {
        ignore_ply: options.extend.ignore_book_ply,
    };
    let book = read_book(&options.think.book, read, job)?;
    let mut file = AtomicFile::create(&options.list)?;
    let report = extension_lines(&book, &roots, &options.extend, job, |line| {
        file.put(line.as_bytes())?;
        Ok(file.put(options.extend.line_end.bytes())?)
    })?;
    file.commit()?;
    Ok(report)
}
